"""``litecheck suite``: make a conformance suite, run it on a device, judge the results, and test the suite itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from litecheck.cli import device_options
from litecheck.cli import suite_options as options
from litecheck.cli.commands import PlainGroup, add
from litecheck.cli.console import UNJUDGED, NoColor, OutputOptions, Quiet, Verbose, handle_errors, log
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import parse_outputs, write
from litecheck.cli.suite_diff import diff
from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from litecheck.devices.port import Device, Limits

#: Default arithmetic of the expected answers of a stream.
REFERENCE = "litert-reference"
app = typer.Typer(
    cls=PlainGroup,
    help="Make a conformance suite, run it on a device, judge the results.",
    rich_markup_mode="rich",
    add_completion=False,
)


@handle_errors
def make(
    profile: options.SuiteProfile = "litert-int8",
    select: options.Select = None,
    level: options.Level = "standard",
    seed: options.SuiteSeed = 0,
    arithmetic: options.AnswersOf = None,
    output: options.NewFolder = None,
    quiet: Quiet = False,
    no_color: NoColor = False,
    jobs: options.Processes = 1,
    no_defects: options.NoDefects = False,
    resume: options.ResumeMaking = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    stream: options.Stream = None,
    count: options.Count = None,
) -> None:
    """Make a suite from a profile: models, inputs, expected outputs.

    A suite contains one-operator models that the profile allows, models that it forbids, inputs that distinguish
    implementations, and the expected outputs. Everything is a plain file: models, inputs and outputs as raw
    little-endian values, and a manifest with the SHA-256 of each. A device needs no litecheck to use them. The same
    options give the same bytes.

    \b
    [bold]Examples[/]
      litecheck suite make -o suite
      litecheck suite make -o suite --profile acme-npu.yaml --level smoke
      litecheck suite make -o suite --select 'CONV*' --select ADD -j 4
      litecheck suite make -o suite --level exhaustive --resume
      litecheck suite make --stream CONV_2D > vectors.txt
    """
    from litecheck.cli.progress import steps
    from litecheck.cli.suite_stream import make_stream
    from litecheck.comparison.admitted_arithmetics import PUBLISHED
    from litecheck.profile.load import load_profile
    from litecheck.rendering.suite.headline import gaps_sentence, suite_size_sentence
    from litecheck.suite.suite_cases import select_operators
    from litecheck.suite.suite_writer import Scope
    from litecheck.suite.suite_writer import make as made

    limit_reference(memory, timeout)
    if stream is not None:
        make_stream(stream, arithmetic=(arithmetic or [REFERENCE])[0], seed=seed, count=count, level=level)
        return
    if output is None:
        raise ConfigError("no output: got neither -o DIR nor --stream NAME, expected one")
    scope = Scope(
        profile,
        options.check_level(level),
        tuple(select or ()),
        seed,
        tuple(arithmetic or PUBLISHED),
        not no_defects,
    )
    names = select_operators(load_profile(profile), scope.select)
    with steps(len(names), no_color) as advance:
        manifest = made(scope, output, jobs, advance, resume)
    log(f"wrote {output}: {suite_size_sentence(manifest)}", quiet)
    if gaps := gaps_sentence(manifest):
        log(f"note: {gaps}", quiet)


@handle_errors
def run(
    suite: options.Folder,
    device: device_options.DeviceName,
    output: options.ResultsOut,
    device_version: device_options.Build = "",
    quiet: Quiet = False,
    no_color: NoColor = False,
    budget: options.Time = None,
    timeout: device_options.Seconds = 60.0,
    memory: device_options.Megabytes = 4096,
    jobs: device_options.Jobs = 1,
    resume: device_options.Resume = False,
    cluster: options.Cluster = None,
) -> None:
    """Run a suite on a device and save its outputs.

    A crash, a timeout or a rejected model is the result of that case, and the run continues. Results are saved at once:
    --resume continues an interrupted run.

    \b
    [bold]Exit codes[/]
      0   the device computed a valid case
      2   the device computed no valid case, or cannot be opened
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck suite run suite --device delegate:./libacme.so -o results
      litecheck suite run suite -d 'command:./simulate {model} {runs}' -o results
      litecheck suite run suite -d litert:xnnpack -o results --budget 30m --resume
    """
    from litecheck.cli.progress import steps
    from litecheck.devices.port import Limits
    from litecheck.rendering.suite.headline import run_sentence
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.results import read_results
    from litecheck.suite.run_summary import summarize
    from litecheck.suite.suite_run import run as run_suite
    from litecheck.verification.settings import parse_budget

    read = read_suite(suite)
    limits = Limits(timeout, memory << 20)
    opened, at_once = _open_device(device, limits, device_version, cluster)
    try:
        with steps(len(read.manifest.cases), no_color) as advance:
            run_suite(
                read,
                opened,
                output,
                limits=limits,
                jobs=max(jobs, at_once),
                resume=resume,
                budget=parse_budget(budget) if budget else None,
                progress=advance,
            )
    finally:
        opened.close()
    summary = summarize(read, read_results(output, read))
    log(f"wrote {output}: {run_sentence(summary)}", quiet and not summary.idle)
    if summary.idle:
        raise typer.Exit(UNJUDGED)


def _open_device(device: str, limits: Limits, build: str, cluster: str | None) -> tuple[Device, int]:
    """Return the device, here or on a cluster, and the number of its parallel jobs."""
    from litecheck.devices.registry import open_device

    if cluster is None:
        return open_device(device, limits, build), 1
    from litecheck.devices.cluster import ClusterDevice

    address, resource = options.parse_cluster(cluster)
    spread = ClusterDevice(address, device, limits, build, resource)
    return spread, spread.workers


@handle_errors
def judge(
    suite: options.JudgedFolder = None,
    results: options.JudgedResults = None,
    arithmetic: options.Claimed = None,
    claims: options.ClaimsFile = None,
    waivers: options.WaiverFiles = None,
    date: options.Day = None,
    outputs: options.SuiteOutputs = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    partial: options.Partial = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    stream_results: options.StreamResults = None,
    stream_header: options.StreamHeader = None,
) -> None:
    """Judge the results of a suite: conformance of each operator.

    Each operator must be exact under one of the named arithmetics: by default its own for litert:* and tflm, any of the
    suite's for another device. Missing results fail, unless --partial is given. Outputs that differ are compared with
    every known defect. Invalid models that the device computed are listed as wrongly accepted. With --claims, every
    claimed operator must run, with the claimed arithmetic and within the claimed tolerance. Operators without
    a claim are reported and do not fail. A waiver excuses a failure until its date.

    \b
    [bold]Exit codes[/]
      0   every operator conforms; with --partial: every operator that ran
      1   an operator does not conform, or results are missing
      2   no operator was judged
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck suite judge suite results
      litecheck suite judge suite results --claims claims.yaml -f html:report.html
      litecheck suite judge suite results --arithmetic litert-reference
      litecheck suite judge --stream-results results.txt -f json
    """
    from litecheck.cli.suite_stream import judge_answers
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.results import read_results

    limit_reference(memory, timeout)
    if stream_results is not None:
        judge_answers(
            stream_results, header=stream_header, output=(outputs or ["text"])[0], no_color=no_color
        )
    if suite is None or results is None:
        raise ConfigError("no results: got neither SUITE and RESULTS nor --stream-results FILE, expected one")
    targets = parse_outputs(outputs or (), "suite")
    read = read_suite(suite)
    judged = options.judging(read, claims, waivers, date)
    report = judged(read_results(results, read), tuple(arithmetic or ()), partial=partial)
    write(report, targets, OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(report.exit_code)


@handle_errors
def prove(
    suite: options.Folder,
    arithmetic: options.Expected = "",
    outputs: options.ProofOutputs = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
) -> None:
    """Test a suite: list the case that detects each known defect.

    The report also counts the defects that a tolerance of 1 LSB would accept.

    \b
    [bold]Exit codes[/]
      0   the suite detects every defect
      1   the suite does not detect a defect
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck suite prove suite
      litecheck suite prove suite -f markdown:coverage.md
      litecheck suite prove suite --arithmetic tflm
    """
    from litecheck.cli.progress import steps
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.mutation_coverage import prove as proved

    limit_reference(memory, timeout)
    targets = parse_outputs(outputs or (), "prove")
    read = read_suite(suite)
    groups = {(case.opcode, case.kind) for case in read.manifest.cases if not case.broken}
    with steps(len(groups), no_color) as advance:
        table = proved(read, arithmetic, advance)
    write(table, targets, OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(table.exit_code)


for _function in (make, run, judge, prove, diff):
    add(app, _function)
