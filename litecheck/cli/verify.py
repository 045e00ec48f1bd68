"""``litecheck verify``: a model on a device, operator by operator, against the bit-exact reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from litecheck.cli import verify_options as options
from litecheck.cli.console import Manner, NoColor, Verbose, console, judges_well

if TYPE_CHECKING:
    from litecheck.devices.port import Device
    from litecheck.model.types import Model
    from litecheck.verify.outcome import Verification
    from litecheck.verify.settings import Settings


@judges_well
def verify(
    model: options.ModelFile,
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
    """Verify that a device computes a model exactly, and if not: which operator, which arithmetic, which input.

    Every operator is cut out into a model of its own and fed the reference's tensors, so that no error is inherited
    and no intermediate tensor need be visible. The device runs in processes of its own: a crash, a hang or a refusal
    is an outcome of that operator, and the run goes on.

    Exit codes: 0 every operator judged is exact or within its tolerance, 1 one is not, 2 nothing could be judged.

    \b
    [bold]Examples[/]
      litecheck verify model.tflite --device litert:xnnpack
      litecheck verify model.tflite -d delegate:./libacme.so,cores=2 --fail-on-fallback -j 2
      litecheck verify model.tflite -d 'command:./simulate {model} {runs}' --timeout 600 --resume
      litecheck verify model.tflite -d tflm --arithmetic tflm -f text -f html:report.html
      litecheck verify model.tflite -d delegate:./libacme.so --arithmetic device.arithmetic.yaml --reproduce failing/
    """
    from litecheck.cli import one_thread
    from litecheck.cli.input_options import given_samples
    from litecheck.cli.outputs import parse_outputs, write
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.model.load import load_model
    from litecheck.verify.settings import Settings, parse_budget

    one_thread()
    manner = Manner(quiet=quiet, verbose=verbose, no_color=no_color)
    targets = parse_outputs(outputs or (), "verify")
    loaded = load_model(model, member)
    given, described = given_samples(loaded, signature, inputs or [], calibration, samples, random)
    settings = Settings(
        arithmetics=tuple(arithmetic or ("litert-reference",)),
        profile=profile,
        signature=signature,
        samples=given,
        described=described,
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
    opened = open_device(device, Limits(timeout, memory << 20), device_version)
    try:
        if dry_run:
            from litecheck.rendering.verification.text import print_forecast
            from litecheck.verify.forecast import forecast

            foretold = forecast(loaded, opened, settings)
            print_forecast(foretold, console(no_color), verbose)
            return
        report = _verified(loaded, opened, settings, journal, resume, manner)
    finally:
        opened.close()
    write(report, targets, manner)
    raise typer.Exit(report.exit_code)


def _verified(
    model: Model, device: Device, settings: Settings, journal: str | None, resume: bool, manner: Manner
) -> Verification:
    from litecheck.cli.progress import steps
    from litecheck.devices.isolated import Isolated
    from litecheck.verify.campaign import run
    from litecheck.verify.plan import weights

    found = weights(model, settings)
    total = sum(found.values()) + (len(found) if settings.drift else 0)
    with steps(round(total), manner.no_color, found) as advance:
        if isinstance(device, Isolated) and settings.jobs == 1:
            device.progress = advance.within
        return run(model, device, settings, journal, resume, advance)
