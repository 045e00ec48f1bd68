"""``litecheck suite``: a conformance suite made from rules, run on a device, judged, and put to the proof itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from litecheck.cli import suite_options as options
from litecheck.cli import verify_options as device_options
from litecheck.cli.commands import PlainGroup, add
from litecheck.cli.console import Manner, NoColor, Quiet, Verbose, ends_well, say
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import parse_outputs, write
from litecheck.cli.suite_diff import diff
from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.devices.port import Device, Limits

#: What a stream's answers are right under unless something else is asked for.
REFERENCE = "litert-reference"
app = typer.Typer(
    cls=PlainGroup,
    help="A conformance suite: made from rules, run on a device, judged, and put to the proof itself.",
    rich_markup_mode="rich",
    add_completion=False,
)


@ends_well
def make(
    output: options.NewFolder = None,
    stream: options.Stream = None,
    profile: options.SuiteProfile = "litert-int8",
    select: options.Select = None,
    level: options.Level = "standard",
    seed: options.SuiteSeed = 0,
    arithmetic: options.AnswersOf = None,
    no_flags: options.NoFlags = False,
    count: options.Count = None,
    jobs: options.Processes = 1,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Make a suite: one-operator models that a profile allows, models it forbids, inputs that decide, and the answers.

    Everything is a plain file: models, inputs and outputs as .npy and as raw little-endian values, and a manifest with
    the SHA-256 of each. No litecheck is needed to use them. The same options give the same bytes.

    \b
    [bold]Examples[/]
      litecheck suite make -o suite
      litecheck suite make -o suite --profile acme-npu.yaml --level smoke
      litecheck suite make -o suite --select 'CONV*' --select ADD -j 4
      litecheck suite make --stream CONV_2D | ./simulator | litecheck suite judge --stream -
    """
    from litecheck.cli import one_thread
    from litecheck.cli.progress import steps
    from litecheck.cli.suite_stream import make_stream
    from litecheck.profile.load import load_profile
    from litecheck.suite.make import ARITHMETICS, Scope, chosen
    from litecheck.suite.make import make as made

    one_thread()
    limit_reference(memory, timeout)
    if stream is not None:
        make_stream(stream, arithmetic=(arithmetic or [REFERENCE])[0], seed=seed, count=count, level=level)
        return
    if output is None:
        raise ConfigError("a new folder is wanted (-o DIR), or a stream (--stream NAME)")
    scope = Scope(
        profile,
        options.checked_level(level),
        tuple(select or ()),
        seed,
        tuple(arithmetic or ARITHMETICS),
        not no_flags,
    )
    names = chosen(load_profile(profile), scope.select)
    with steps(len(names), no_color) as advance:
        manifest = made(scope, output, jobs, advance)
    refused = sum(1 for case in manifest.cases if case.broken)
    say(f"wrote {output}: {len(manifest.cases):,} cases, {refused:,} of them to be refused", quiet)


@ends_well
def run(
    suite: options.Folder,
    device: device_options.DeviceName,
    output: options.ResultsOut,
    device_version: device_options.Build = "",
    jobs: device_options.Jobs = 1,
    cluster: options.Cluster = None,
    cluster_resource: options.Resource = "",
    timeout: device_options.Seconds = 60.0,
    memory: device_options.Megabytes = 4096,
    budget: options.Time = None,
    resume: device_options.Resume = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Run a suite on a device and keep what it gives: a crash, a hang or a refusal is the result of that case.

    Results are noted as they come; a run that was killed goes on with --resume.

    \b
    [bold]Examples[/]
      litecheck suite run suite --device delegate:./libacme.so -o results
      litecheck suite run suite -d 'command:./simulate {model} {runs}' -o results -j 4 --budget 30m
      litecheck suite run suite -d 'delegate:./libacme.so,board={worker}' -o results --cluster tcp://10.0.0.1:8786
    """
    from litecheck.cli.progress import steps
    from litecheck.devices.port import Limits
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.run import run as run_suite

    read = read_suite(suite)
    limits = Limits(timeout, memory << 20)
    seconds = options.seconds_of(budget) if budget else float("inf")
    opened, at_once = _opened(device, limits, device_version, cluster, cluster_resource)
    try:
        with steps(len(read.manifest.cases), no_color) as advance:
            done = run_suite(
                read,
                opened,
                output,
                limits=limits,
                jobs=max(jobs, at_once),
                resume=resume,
                budget=seconds,
                progress=advance,
            )
    finally:
        opened.close()
    say(f"wrote {output}: results of {done:,} of {len(read.manifest.cases):,} cases", quiet)


def _opened(
    device: str, limits: Limits, build: str, cluster: str | None, resource: str
) -> tuple[Device, int]:
    """The device, here or on a cluster, and how many jobs it takes at the same time."""
    from litecheck.devices.registry import open_device

    if cluster is None:
        return open_device(device, limits, build), 1
    from litecheck.devices.cluster import OnCluster

    spread = OnCluster(cluster, device, limits, build, resource)
    return spread, spread.workers


@ends_well
def judge(
    suite: options.JudgedFolder = None,
    results: options.JudgedResults = None,
    stream: options.Answers = None,
    header: options.Header = None,
    arithmetic: options.Claimed = None,
    claims: options.ClaimsFile = None,
    waivers: options.WaiverFiles = None,
    date: options.Day = None,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    outputs: options.SuiteOutputs = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Judge what a device gave for a suite: the per-operator conformance report.

    Each operator is judged under the arithmetic that fits it best, of those named. What the device gave otherwise is
    compared with every known mistake. Models that must be refused and were computed are told as leniency.

    With --claims, every operator that is claimed must be computed, and by the arithmetic and within the tolerance that is
    claimed; whatever is not claimed is told and fails nothing. A waiver excuses what fails until its date.

    Exit codes: 0 every operator that was computed conforms, 1 one does not, 2 nothing could be judged, 64 the command
    is wrong, 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck suite judge suite results
      litecheck suite judge --stream answers.txt -f json
      litecheck suite judge suite results --claims claims.yaml --date 2027-03-31
      litecheck suite judge suite results --arithmetic litert-reference -f text -f html:report.html -f csv:report.csv
    """
    from litecheck.cli.suite_stream import judge_answers
    from litecheck.suite.claims_file import load_claims
    from litecheck.suite.judge import judge as judged
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.results import read_results
    from litecheck.suite.waivers import iso_date, load_waivers

    limit_reference(memory, timeout)
    if stream is not None:
        judge_answers(stream, header=header, output=(outputs or ["text"])[0], no_color=no_color)
    if suite is None or results is None:
        raise ConfigError("a suite and its results are wanted, or the answers to a stream (--stream FILE)")
    targets = parse_outputs(outputs or (), "suite")
    read = read_suite(suite)
    report = judged(
        read,
        read_results(results, read),
        tuple(arithmetic or ()),
        claims=load_claims(claims) if claims else None,
        waivers=[waiver for file in waivers or () for waiver in load_waivers(file)],
        date=iso_date(date) if date else "",
    )
    write(report, targets, Manner(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(report.exit_code)


@ends_well
def prove(
    suite: options.Folder,
    arithmetic: options.Expected = "",
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    outputs: options.ProofOutputs = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Put a suite to the proof: every known mistake of every operator, and the case that catches it.

    Beside it stands what a tolerance of 1 LSB would let through. Exit codes: 0 every mistake is caught, 1 one is not, 64
    the command is wrong, 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck suite prove suite
      litecheck suite prove suite -f markdown > kills.md
      litecheck suite prove suite --arithmetic tflm
    """
    from litecheck.cli import one_thread
    from litecheck.cli.progress import steps
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.prove import prove as proved

    one_thread()
    limit_reference(memory, timeout)
    targets = parse_outputs(outputs or (), "prove")
    read = read_suite(suite)
    groups = {(case.opcode, case.kind) for case in read.manifest.cases if not case.broken}
    with steps(len(groups), no_color) as advance:
        table = proved(read, arithmetic, advance)
    write(table, targets, Manner(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(table.exit_code)


for _function in (make, run, judge, prove, diff):
    add(app, _function)
