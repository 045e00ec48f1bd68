"""``litecheck diagnose``: identification of a device's arithmetic."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli import device_options as devices
from litecheck.cli.console import NoColor, OutputOptions, check_output, handle_errors, log
from litecheck.cli.input_options import Seed
from litecheck.cli.limit_options import limit_beside_device
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import INPUTS, OUTPUT, SCOPE, option


@handle_errors
def diagnose(
    device: devices.DeviceName,
    model: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL...", help="Test the operators of these models too."),
    ] = None,
    device_version: devices.Build = "",
    select: Annotated[
        list[str] | None,
        option(
            "--select OPERATOR",
            SCOPE,
            "Test only these operators, by kind (CONV_2D). Repeatable. [default: all, or those of MODEL]",
            autocompletion=complete.completions("litecheck.cases.probes.catalogue", "probed_operators"),
        ),
    ] = None,
    repeat: Annotated[
        int,
        option(
            "--repeat N",
            INPUTS,
            "Run the smallest probe of each operator N times, to find outputs that depend on earlier runs. 0: run "
            "no probe twice. [default: 600]",
            min=0,
        ),
    ] = 600,
    seed: Seed = 0,
    timeout: devices.Seconds = 60.0,
    memory: devices.Megabytes = 4096,
    jobs: devices.Jobs = 1,
    target: Annotated[
        str | None,
        option(
            "--output -o FILE.yaml", OUTPUT, "Write the identified arithmetic to this file, for --arithmetic."
        ),
    ] = None,
    outputs: Annotated[list[str] | None, format_option("diagnose")] = None,
    no_color: NoColor = False,
) -> None:
    """Identify the rounding, saturation and defects of a device.

    litecheck runs small models for which the variants of an arithmetic give different outputs: biases that put every
    accumulator near the middle between two integers, all pairs of stored values, every value at every position. It
    compares the outputs with every variant of the reference kernels, and with defects: a missing zero point, a missing
    clamp, narrow accumulators. Each operator also runs in boundary shapes, such as width 260. With models, only the kinds
    of their operators are tested, and these operators too.

    \b
    [bold]Exit codes[/]
      0   every operator that ran is explained
      1   an operator is not explained, or its outputs change from run to run
      2   no operator ran
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck diagnose --device litert:xnnpack
      litecheck diagnose -d delegate:./libacme.so --select CONV_2D --select ADD
      litecheck diagnose -d delegate:./libacme.so -o acme.yaml
      litecheck verify model.tflite -d ./libacme.so --arithmetic acme.yaml
    """
    from litecheck.cli.progress import steps
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.diagnosis.identification import add_provenance
    from litecheck.diagnosis.identification import diagnose as diagnosed
    from litecheck.diagnosis.probe_sets import prepare_probes, untested_operators
    from litecheck.files import atomic_write
    from litecheck.model.load import load_model
    from litecheck.rendering.arithmetic_file import arithmetic_yaml

    limit_beside_device(memory, timeout)
    targets = parse_outputs(outputs or (), "diagnose")
    if target is not None:
        check_output(target)
    loaded = [load_model(one) for one in model or ()]
    groups = prepare_probes(loaded, select or (), seed, repeat)
    opened = open_device(device, Limits(timeout, memory << 20))
    try:
        with steps(sum(len(group.probes) for group in groups), no_color) as advance:
            found = diagnosed(opened, groups, models=model or (), seed=seed, jobs=jobs, progress=advance)
    finally:
        opened.close()
    if target is not None and not found.identified:
        log(f"{target} is not written: no operator was identified")
    elif target is not None:
        atomic_write(target, arithmetic_yaml(found, f"found-{device.rpartition('/')[2]}"))
        log(f"wrote {target}")
    write(
        add_provenance(found, device_version, untested_operators(loaded, groups)),
        targets,
        OutputOptions(no_color=no_color),
    )
    raise typer.Exit(found.exit_code)
