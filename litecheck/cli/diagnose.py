"""``litecheck diagnose``: which arithmetic a device implements."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli import verify_options as options
from litecheck.cli.console import Manner, NoColor, ends_well, say
from litecheck.cli.limit_options import limit_beside_device
from litecheck.cli.outputs import format_option, parse_outputs, write


@ends_well
def diagnose(
    device: options.DeviceName,
    model: Annotated[
        list[str] | None, typer.Argument(metavar="MODEL...", help="Models whose operators are tried, too.")
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            "--op",
            metavar="OPERATOR",
            autocompletion=complete.offered("litecheck.cases.probes.catalogue", "probed"),
            help="Only this one; repeatable.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE.yaml", help="The arithmetic found, for verify --arithmetic."
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats",
            metavar="N",
            min=0,
            help="How often the smallest probe of each operator is run, its inputs coming again; 0: nothing twice.",
        ),
    ] = 600,
    build: Annotated[
        str, typer.Option("--device-version", metavar="TEXT", help="The device's version, for the report.")
    ] = "",
    seed: Annotated[int, typer.Option(metavar="SEED", min=0, help="What values are drawn from.")] = 0,
    timeout: options.Seconds = 60.0,
    memory: options.Megabytes = 4096,
    jobs: options.Jobs = 1,
    outputs: Annotated[list[str] | None, format_option("diagnose")] = None,
    no_color: NoColor = False,
) -> None:
    """Find the arithmetic a device implements: how it rounds, where it saturates, what it leaves out.

    Small models are made on which ways of computing come apart: biases that put every accumulator near the middle
    between two integers, all pairs of stored values, every value at every position. What the device makes of them is
    compared with every variant the reference knows, and with ways to be wrong: a missing zero point, a missing clamp,
    narrow accumulators. Inputs come again, so that answers left over from others show. With models, only their kinds of
    operators are tried, and their operators themselves beside them.

    Exit codes: 0 every operator that answered is explained, 1 one is not or does not always answer alike, 2 none
    answered, 64 the command is wrong, 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck diagnose --device litert:xnnpack
      litecheck diagnose --device delegate:./libacme.so --op CONV_2D --op ADD
      litecheck diagnose -d delegate:./libacme.so model.tflite -o device.arithmetic.yaml
      litecheck diagnose -d delegate:./libacme.so a.tflite b.tflite -f text -f html:acme.html --device-version 2.1
      litecheck verify model.tflite -d delegate:./libacme.so --arithmetic device.arithmetic.yaml
    """
    from litecheck.cli import one_thread
    from litecheck.cli.progress import steps
    from litecheck.devices.port import Limits
    from litecheck.devices.registry import open_device
    from litecheck.diagnose.diagnose import diagnose as diagnosed
    from litecheck.diagnose.diagnose import stamped
    from litecheck.diagnose.probe_sets import prepared, untested
    from litecheck.files import atomic_write, check_writable
    from litecheck.model.load import load_model
    from litecheck.rendering.arithmetic_file import arithmetic_yaml

    one_thread()
    limit_beside_device(memory, timeout)
    targets = parse_outputs(outputs or (), "diagnose")
    if target is not None:
        check_writable(target)
    loaded = [load_model(one) for one in model or ()]
    groups = prepared(loaded, op or (), seed, repeats)
    opened = open_device(device, Limits(timeout, memory << 20))
    try:
        with steps(sum(len(group.probes) for group in groups), no_color) as advance:
            found = diagnosed(opened, groups, models=model or (), seed=seed, jobs=jobs, progress=advance)
    finally:
        opened.close()
    if target is not None:
        atomic_write(target, arithmetic_yaml(found, f"found-{device.rpartition('/')[2]}"))
        say(f"wrote {target}")
    write(stamped(found, build, untested(loaded, groups)), targets, Manner(no_color=no_color))
    raise typer.Exit(found.exit_code)
