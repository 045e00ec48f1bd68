"""``litecheck verify``: comparison of models on a device with the bit-exact reference, operator by operator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from litecheck.cli import device_options as devices
from litecheck.cli import verify_options as options
from litecheck.cli.advanced_settings import parse_advanced
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors
from litecheck.cli.input_options import Seed
from litecheck.cli.limit_options import limit_beside_device

if TYPE_CHECKING:
    from litecheck.model.types import Model
    from litecheck.verification.result import Verification
    from litecheck.verification.settings import Settings
    from litecheck.verification.several_models import Verifications


@handle_errors
def verify(
    models: options.ModelFiles,
    device: devices.DeviceName,
    arithmetic: options.Arithmetics = None,
    tolerances: options.Tolerances = None,
    select: options.Selection = None,
    unit: options.Unit = "operator",
    inputs: options.Inputs = None,
    data: options.Data = None,
    samples: options.Samples = 4,
    seed: Seed = 0,
    fail_on_fallback: options.FailOnFallback = False,
    require_coverage: options.RequireCoverage = False,
    budget: options.Budget = None,
    dry_run: options.DryRun = False,
    timeout: devices.Seconds = 60.0,
    memory: devices.Megabytes = 4096,
    jobs: devices.Jobs = 1,
    resume: devices.Resume = False,
    outputs: options.Outputs = None,
    reproduce: options.Reproduce = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    set_: options.Set = None,
) -> None:
    """Compare each operator of a device with bit-exact kernels.

    litecheck cuts every operator into a model of its own and runs this model on the device with the same inputs as
    the reference kernel. An error in one operator therefore does not change the next one. The device runs in a
    separate process. A crash, a timeout or a rejected model is the outcome of that operator, and the run continues.

    An arithmetic is a named set of rounding, accumulation and saturation rules of a runtime's kernels.

    \b
    [bold]Exit codes[/]
      0   every compared operator is exact or within its tolerance
      1   an operator differs, crashes, times out or is rejected
      2   no operator was compared
      64  invalid command, option or configuration
      74  the disk is full
    With several models: 1 if any model fails, else 2 if any was not compared, else 0.

    \b
    [bold]Examples[/]
      litecheck verify model.tflite --device litert:reference
      litecheck verify model.tflite -d tflm -f html:report.html
      litecheck verify models/ -d delegate:./libacme.so,cores=2 --fail-on-fallback
      litecheck verify model.tflite -d 'command:./simulate {model} {runs}' -j 2
    """
    from litecheck.cases.inputs import KINDS
    from litecheck.cli.input_options import load_samples
    from litecheck.cli.outputs import parse_outputs, write
    from litecheck.cli.verify_models import VerifyRun, models_asked
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.verification.settings import Settings, parse_budget

    advanced = parse_advanced(set_ or ())
    limit_beside_device(memory, timeout)
    manner = OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color)
    targets = parse_outputs(outputs or (), "verify")
    wanted = models_asked(models, targets, advanced.checkpoint)
    plain = Settings(
        arithmetics=tuple(arithmetic or ()),
        profile=tolerances,
        signature=advanced.signature,
        seed=seed,
        kinds=advanced.inputs or KINDS,
        drift=advanced.drift,
        select=tuple(select or ()),
        element=advanced.element,
        repeat=advanced.repeat,
        jobs=jobs,
        fail_on_fallback=fail_on_fallback,
        require_coverage=require_coverage,
        claims=advanced.require,
        reproduce=reproduce,
        scrub=advanced.scrub,
        shapes=advanced.shapes,
        record=advanced.record,
        seconds=timeout,
        budget=parse_budget(budget) if budget else None,
        **options.parse_unit(unit),  # type: ignore[arg-type]
    )

    def asked(model: Model) -> Settings:
        given, told = load_samples(model, plain.signature, inputs or [], data or [], samples, seed)
        return replace(plain, samples=given, data_description=told)

    run = VerifyRun(asked, advanced.member, advanced.checkpoint, resume, manner)
    # Errors in a model or its settings are reported before a device is opened.
    prepared = [run.prepare_model(file) for file in wanted.files] if dry_run or not wanted.several else []
    opened = open_device(device, Limits(timeout, memory << 20), advanced.device_version)
    report: Verification | Verifications
    try:
        if dry_run:
            run.print_estimate(opened, prepared)
            return
        report = run.each(opened, wanted.files) if wanted.several else run.one(opened, *prepared[0])
    finally:
        opened.close()
    write(report, targets, manner)
    raise typer.Exit(report.exit_code)
