"""``litecheck verify``: models on a device, operator by operator, against the bit-exact reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from litecheck.cli import verify_options as options
from litecheck.cli.console import Manner, NoColor, Verbose, ends_well
from litecheck.cli.limit_options import limit_beside_device

if TYPE_CHECKING:
    from litecheck.model.types import Model
    from litecheck.verify.outcome import Verification
    from litecheck.verify.settings import Settings
    from litecheck.verify.several import Verifications


@ends_well
def verify(
    models: options.ModelFiles,
    device: options.DeviceName,
    device_version: options.Build = "",
    arithmetic: options.Arithmetics = None,
    profile: options.Profile = None,
    inputs: options.Inputs = None,
    calibration: options.Calibration = None,
    samples: options.Samples = 4,
    random: options.Seed = 0,
    feed: options.Feed = None,
    signature: options.Signature = None,
    member: options.Member = "",
    segment: options.Segment = 0,
    between: options.Between = None,
    whole: options.Whole = False,
    drift: options.Drift = False,
    select: options.Selection = None,
    element: options.Element = None,
    repeat: options.Repeat = 2,
    budget: options.Budget = None,
    dry_run: options.DryRun = False,
    timeout: options.Seconds = 60.0,
    memory: options.Megabytes = 4096,
    jobs: options.Jobs = 1,
    journal: options.Journal = None,
    resume: options.Resume = False,
    reproduce: options.Reproduce = None,
    scrub: options.Scrub = False,
    record: options.Record = None,
    fail_on_fallback: options.FailOnFallback = False,
    require_coverage: options.RequireCoverage = False,
    claim: options.Claim = None,
    outputs: options.Outputs = None,
    quiet: options.QuietCases = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Verify that a device computes models exactly, and if not: which operator, which arithmetic, which input.

    Every operator is cut out into a model of its own and fed the reference's tensors, so that no error is inherited
    and no intermediate tensor need be visible. The device runs in processes of its own: a crash, a hang or a refusal
    is an outcome of that operator, and the run goes on. Where a system has no fork (Windows), starting them takes
    longer; --memory limits a device on Linux alone.

    Exit codes: 0 every operator judged is exact or within its tolerance, 1 one is not, 2 nothing could be judged, 64 the
    command is wrong, 74 the disk is full. Of several models the worst counts.

    \b
    [bold]Examples[/]
      litecheck verify model.tflite --device litert:xnnpack
      litecheck verify models/ --device litert:xnnpack -f text -f junit:verify.xml
      litecheck verify model.tflite -d delegate:./libacme.so,cores=2 --fail-on-fallback -j 2
      litecheck verify model.tflite -d 'command:./simulate {model} {runs}' --timeout 600 --resume
      litecheck verify model.tflite -d tflm --arithmetic tflm -f text -f html:report.html
      litecheck verify model.tflite -d delegate:./libacme.so --arithmetic device.arithmetic.yaml --reproduce failing/
    """
    from litecheck.cli import one_thread
    from litecheck.cli.input_options import given_samples
    from litecheck.cli.outputs import parse_outputs, write
    from litecheck.cli.verify_models import VerifyRun, models_asked
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.verify.settings import Settings, parse_budget

    one_thread()
    limit_beside_device(memory, timeout)
    manner = Manner(quiet=quiet, verbose=verbose, no_color=no_color)
    targets = parse_outputs(outputs or (), "verify")
    wanted = models_asked(models, targets, journal)
    plain = Settings(
        arithmetics=tuple(arithmetic or ("litert-reference",)),
        profile=profile,
        signature=signature,
        seed=random,
        kinds=options.parse_kinds(feed),
        segment=segment,
        between=between,
        whole=whole,
        drift=drift,
        select=tuple(select or ()),
        element=options.parse_element(element),
        repeat=repeat,
        jobs=jobs,
        fail_on_fallback=fail_on_fallback,
        require_coverage=require_coverage,
        claims=tuple(claim or ()),
        reproduce=reproduce,
        scrub=scrub,
        record=record,
        seconds=timeout,
        budget=parse_budget(budget) if budget else None,
    )

    def asked(model: Model) -> Settings:
        given, told = given_samples(model, signature, inputs or [], calibration, samples, random)
        return replace(plain, samples=given, described=told)

    run = VerifyRun(asked, member, journal, resume, manner)
    # What is wrong with one model, or with what is to be counted, is said before a device is opened.
    prepared = [run.prepared(file) for file in wanted.found] if dry_run or not wanted.several else []
    opened = open_device(device, Limits(timeout, memory << 20), device_version)
    report: Verification | Verifications
    try:
        if dry_run:
            run.foretell(opened, prepared)
            return
        report = run.each(opened, wanted.found) if wanted.several else run.one(opened, *prepared[0])
    finally:
        opened.close()
    write(report, targets, manner)
    raise typer.Exit(report.exit_code)
