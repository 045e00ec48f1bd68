"""``litecheck convert``: a float model becomes a quantized one that keeps its profile, with the account of what it cost."""

from __future__ import annotations

import typer

from litecheck.cli import convert_options as options
from litecheck.cli.console import Manner, NoColor, Quiet, Verbose, ends_well, say
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import parse_outputs, write


@ends_well
def convert(
    model: options.ModelFile,
    target: options.Target = None,
    to: options.To = None,
    profile: options.Profile = None,
    data: options.Data = None,
    random: options.Random = None,
    seed: options.Seed = 0,
    samples: options.Samples = None,
    sequences: options.Sequences = False,
    preprocessing: options.Preprocessing = "",
    calibrate: options.Calibrate = None,
    statistics: options.Statistics = None,
    scales_from: options.ScalesFrom = None,
    plan: options.Plan = None,
    save_plan: options.SavePlan = None,
    dry_run: options.DryRun = False,
    keep: options.Keep = None,
    int16x8: options.Int16x8 = None,
    equalize: options.Equalize = False,
    correct_bias: options.CorrectBias = False,
    sensitivity: options.Sensitivity = None,
    inputs: options.Inputs = None,
    outputs: options.Outputs = None,
    like: options.Like = None,
    signature: options.Signature = None,
    member: options.Member = "",
    device: options.Device = "auto",
    no_agreement: options.NoAgreement = False,
    via: options.ConverterName = "litecheck",
    compare: options.Compare = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    reports: options.Reports = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Convert a float model to int8, int16x8, integer weights or float16, so that it keeps a profile's rules.

    The model is run on samples, to know the range of every tensor; the rules of the profile and these ranges make a plan:
    which tensor gets which scale, which operator stays float32 and why. The new model is judged before anybody gets
    it. The report says what every choice cost: tensors that share too coarse a scale, signal to noise, saturation,
    agreement with the float model. MODEL is never changed, unless it is OUT, too.

    Exit codes: 0 the new model is written and nothing is against it, 1 it would violate its profile and is not written,
    2 it cannot be made (unreadable files, a model that is quantized already, samples that do not fit), or no rules judge
    it: it is not written; 64 the command is wrong: no data, an unknown option; 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck convert model.tflite -o model_int8.tflite --data samples.npz
      litecheck convert model.tflite -o out.tflite --data images/ --preprocessing 1/127.5:-1 --inputs uint8
      litecheck convert model.tflite -o out.tflite --data samples.npz --keep 'CONCATENATION' --keep '#31'
      litecheck convert model.tflite --dry-run --data samples.npz --statistics stats.json --save-plan plan.json
      litecheck convert model.tflite -o out.tflite --plan plan.json
      litecheck convert model.tflite -o out.tflite --data samples.npz --profile acme.yaml -f text -f html:report.html
      litecheck convert model.tflite -o out.tflite --to dynamic
      litecheck convert model.tflite --compare --data samples.npz
    """
    from litecheck.cli import one_thread

    one_thread()
    from litecheck.convert.calibration.ahead import started_ahead
    from litecheck.files import check_writable

    manner = Manner(quiet=quiet, verbose=verbose, no_color=no_color)
    vias = options.parse_vias(via, compare)
    targets = parse_outputs(reports or (), "convert" if vias == ("litecheck",) else "converters")
    decided = {
        "--to": to, "--keep": keep, "--int16x8": int16x8, "--inputs": inputs, "--outputs": outputs, "--like": like,
    }  # fmt: skip
    if vias != ("litecheck",):
        own = {
            "--keep": keep, "--int16x8": int16x8, "--inputs": inputs, "--outputs": outputs, "--like": like, "--plan": plan,
            "--equalize": equalize, "--correct-bias": correct_bias, "--sensitivity": sensitivity,
            "--calibrate": calibrate, "--statistics": statistics, "--scales-from": scales_from,
        }  # fmt: skip
        options.check_others({**own, "--save-plan": save_plan, "--dry-run": dry_run}, target, compare)
    else:
        options.check_targets(target, dry_run, decided, plan)
    written = {"-o": target, "--save-plan": save_plan, "--statistics": statistics}
    options.check_apart(written, filter(None, (*(data or ()), plan, scales_from)))
    for file in filter(None, written.values()):
        check_writable(file)
    runs = vias == ("litecheck",) and bool(data or random)
    started = started_ahead(device, not no_agreement) if runs else None
    limit_reference(memory, timeout)
    from litecheck.cli.progress import samples_done
    from litecheck.convert.calibrating import Calibrating
    from litecheck.convert.prepared import prepared
    from litecheck.convert.settings import ConversionSettings
    from litecheck.convert.source import load_source

    settings = ConversionSettings(
        to=to or "int8",
        profile=profile or "",
        keep=tuple(keep or ()),
        int16x8=tuple(int16x8 or ()),
        equalize=equalize,
        correct_bias=correct_bias,
        sensitivity=options.parse_sensitivity(sensitivity),
        inputs=inputs or "float32",
        outputs=outputs or "float32",
        generation=options.parse_like(like),
        data=tuple(data or ()),
        random=random,
        seed=seed,
        sequences=sequences,
        samples=samples,
        preprocessing=preprocessing,
        signature=signature,
        calibrate=tuple(calibrate or ()),
        device=device,
        statistics=statistics or "",
        scales_from=scales_from or "",
        plan=plan or "",
        agreement=not no_agreement,
    )
    if vias != ("litecheck",):
        from litecheck.convert.converters import compare_converters

        with samples_done(len(vias), manner) as tell:
            compared = compare_converters(
                load_source(model, member, signature), settings, vias, target or "", tell
            )
        write(compared, targets, manner)
        raise typer.Exit(compared.exit_code)
    session = prepared(load_source(model, member, signature), settings)
    for warning in session.warnings:
        say(f"warning: {warning}")
    with samples_done(session.steps, manner) as tell:
        calibrating = Calibrating(session, tell, started)
        from litecheck.convert.session import carried_out

        record = carried_out(session, target or "", save_plan or "", tell, calibrating)
    for warning in record.warnings:
        if warning not in session.warnings:
            say(f"warning: {warning}")
    write(record, targets, manner)
    raise typer.Exit(record.exit_code)
