"""``litecheck convert``: conversion of a float model to a quantized model that conforms to a profile, with its cost."""

from __future__ import annotations

import typer

from litecheck.cli import convert_options as options
from litecheck.cli import convert_values as values
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, check_output, handle_errors, log
from litecheck.cli.input_options import Seed
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import parse_outputs, write


@handle_errors
def convert(
    model: options.ModelFile,
    to: options.To = None,
    profile: options.Profile = None,
    input_dtype: options.InputDtype = None,
    output_dtype: options.OutputDtype = None,
    keep_float: options.KeepFloat = None,
    int16x8: options.Int16x8 = None,
    recipe: options.RecipeFile = None,
    budget: options.BudgetLimit = None,
    for_runtimes: options.ForRuntimes = "",
    equalize: options.Equalize = None,
    data: options.Data = None,
    evaluate: options.Evaluate = None,
    samples: options.Samples = None,
    seed: Seed = 0,
    preprocessing: options.Preprocessing = "",
    device: options.Device = "auto",
    signature: options.Signature = None,
    member: options.Member = "",
    target: options.Target = None,
    reports: options.Reports = None,
    dry_run: options.DryRun = False,
    sensitivity: options.Sensitivity = None,
    no_agreement: options.NoAgreement = False,
    max_float: options.MaxFloat = None,
    min_snr: options.MinSnr = None,
    force: options.Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    sequences: options.Sequences = False,
    calibrate: options.Calibrate = None,
    ranges: options.Ranges = None,
    calibration_cache: options.CalibrationCache = None,
    scales_from: options.ScalesFrom = None,
    plan: options.Plan = None,
    save_plan: options.SavePlan = None,
    correct_bias: options.CorrectBias = False,
    match: options.Match = None,
    tie: options.Tie = None,
    via: options.ConverterName = "litecheck",
    compare: options.Compare = False,
) -> None:
    """Convert a float model to int8, int16x8, int8 weights or float16.

    litecheck runs the model on samples to measure the range of every tensor. From the ranges and the rules of the
    profile it makes a plan: the scale of each tensor, and the operators that stay in float32, with the reason. The new
    model is validated before it is written. The report lists the cost of each choice: shared scales that are too
    coarse, signal-to-noise ratio, saturation, and agreement with the float model.

    \b
    [bold]Exit codes[/]
      0   the new model is written and conforms
      1   the new model would violate its profile or fails a gate, and is
          not written
      2   no new model: unreadable file, quantized already, samples that do
          not fit, or no rule applies
      64  invalid command or option, or no data
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck convert model.tflite -o int8.tflite --data samples.npz
      litecheck convert model.tflite -o int8.tflite --data images/ --samples 100
      litecheck convert model.tflite -o out.tflite --data x.npz --keep-float '#31'
      litecheck convert model.tflite -o int8.tflite --data x.npz --evaluate t.npz
      litecheck convert model.tflite -o out.tflite --recipe recipe.yaml
      litecheck convert model.tflite --dry-run --data x.npz --save-plan plan.json
      litecheck convert model.tflite -o int8.tflite --plan plan.json
      litecheck convert model.tflite -o weights.tflite --to dynamic
      litecheck convert model.tflite --compare --data samples.npz
    """
    from litecheck.conversion.calibration.prestart import prestart_child
    from litecheck.conversion.target_name import check_target
    from litecheck.processes.garbage_collection import search_cycles_rarely

    search_cycles_rarely()
    manner = OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color)
    vias = values.parse_vias(via, compare)
    targets = parse_outputs(reports or (), "convert" if vias == ("litecheck",) else "converters")
    paths, random = values.parse_data(data)
    decided = {
        "--to": to, "--keep-float": keep_float, "--int16x8": int16x8, "--input-dtype": input_dtype,
        "--output-dtype": output_dtype, "--match": match, "--for": for_runtimes, "--tie": tie,
        "--recipe": recipe, "--budget": budget,
    }  # fmt: skip
    if vias != ("litecheck",):
        own = {
            **{name: value for name, value in decided.items() if name != "--to"}, "--plan": plan,
            "--equalize": equalize, "--correct-bias": correct_bias, "--sensitivity": sensitivity,
            "--calibrate": calibrate, "--calibration-cache": calibration_cache, "--scales-from": scales_from,
            "--range": ranges,
            "--max-float": max_float is not None, "--min-snr": min_snr is not None, "--force": force,
        }  # fmt: skip
        values.check_others({**own, "--save-plan": save_plan, "--dry-run": dry_run}, target, compare)
    else:
        values.check_targets(target, dry_run, decided, plan)
        values.check_recipe(recipe, to)
    made = target and check_target(target)
    for file in filter(None, (made, save_plan, calibration_cache)):
        check_output(file, model=file == made)
    runs = vias == ("litecheck",) and bool(paths or random)
    started = prestart_child(device, not no_agreement) if runs else None
    limit_reference(memory, timeout)
    from litecheck.cli.progress import samples_done
    from litecheck.conversion.background_calibration import BackgroundCalibration
    from litecheck.conversion.runtime_faults import parse_runtimes
    from litecheck.conversion.session_setup import prepare_session
    from litecheck.conversion.settings import ConversionSettings
    from litecheck.conversion.source import load_source

    settings = ConversionSettings(
        to=to or "int8",
        profile=profile or "",
        keep=tuple(keep_float or ()),
        int16x8=tuple(int16x8 or ()),
        recipe=recipe or "",
        budget=budget or "",
        equalize=equalize,
        correct_bias=correct_bias,
        sensitivity=values.parse_sensitivity(sensitivity),
        runtimes=parse_runtimes(for_runtimes),
        ties=values.parse_ties(tie or ()),
        max_float=max_float,
        min_snr=min_snr,
        force=force,
        inputs=input_dtype or "float32",
        outputs=output_dtype or "float32",
        generation=values.parse_match(match),
        data=paths,
        random=random,
        seed=seed,
        sequences=sequences,
        samples=samples,
        preprocessing=preprocessing,
        signature=signature,
        calibrate=tuple(calibrate or ()),
        ranges=tuple(ranges or ()),
        evaluate=tuple(evaluate or ()),
        device=device,
        statistics=calibration_cache or "",
        scales_from=scales_from or "",
        plan=plan or "",
        agreement=not no_agreement,
    )
    if vias != ("litecheck",):
        from litecheck.conversion.converters import compare_converters

        with samples_done(len(vias), manner) as tell:
            compared = compare_converters(
                load_source(model, member, signature), settings, vias, target or "", tell
            )
        write(compared, targets, manner)
        raise typer.Exit(compared.exit_code)
    session = prepare_session(load_source(model, member, signature), settings)
    shown = not quiet and any(output.format == "text" and not output.file for output in targets)
    for warning in () if shown else session.warnings:
        log(f"warning: {warning}")
    with samples_done(session.steps, manner) as tell:
        calibrating = BackgroundCalibration(session, tell, started)
        from litecheck.conversion.pipeline import carry_out

        record = carry_out(session, target or "", save_plan or "", tell, calibrating)
    for warning in () if shown else record.warnings:
        if warning not in session.warnings:
            log(f"warning: {warning}")
    write(record, targets, manner)
    raise typer.Exit(record.exit_code)
