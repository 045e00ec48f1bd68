"""``litecheck run``: a model computed by the reference kernels, under a named arithmetic."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.console import Manner, NoColor, ends_well
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import format_option, parse_outputs, write


def _check_keep(name: str) -> str:
    if name not in ("outputs", "all"):
        raise typer.BadParameter(f"'{name}' is neither outputs nor all")
    return name


@ends_well
def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model, or - for a pipe.")],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=FILE",
            help="Stored values of an input, by its name or number: .npy, .npz[:KEY] or raw bytes. NAME= may go "
            "where there is only one.",
        ),
    ] = None,
    random: Annotated[
        int | None, typer.Option(metavar="SEED", min=0, help="Draw the inputs that no --input gives.")
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            metavar="A",
            autocompletion=complete.arithmetics,
            help="How it is computed: a name, or a .yaml file.",
        ),
    ] = "litert-reference",
    signature: Annotated[
        str | None, typer.Option(metavar="S", help="Enter the model here; default: the first subgraph.")
    ] = None,
    member: Annotated[
        str, typer.Option(metavar="NAME", help="Which model of a bundle that holds several.")
    ] = "",
    keep: Annotated[
        str, typer.Option(metavar="WHICH", callback=_check_keep, help="outputs, or all computed tensors.")
    ] = "outputs",
    target: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT.npz", help="Where the arrays go.")
    ] = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Range, saturation and unused codes of every computed tensor.")
    ] = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
    outputs: Annotated[list[str] | None, format_option("run")] = None,
    no_color: NoColor = False,
) -> None:
    """Run a model with bit-exact reference kernels, without any runtime.

    Inputs and outputs are stored values: int8 is int8, and litecheck quantize makes it from real values. The
    arithmetic says whose rounding is meant: LiteRT's reference kernels, its optimized ones, XNNPACK, a device's.

    Exit codes: 0 the model ran, 2 it could not: an unreadable model, inputs that do not fit, an operator without a kernel
    or beyond --memory or --timeout; 64 the command is wrong; 74 the disk is full.

    \b
    [bold]Examples[/]
      litecheck run model.tflite --random 0 --stats
      litecheck run model.tflite --input image=image.npy -o out.npz
      litecheck run model.tflite --input x.npy --arithmetic litert-xnnpack --keep all -o tensors.npz
      litecheck run model.tflite --random 0 --signature multiply -o out.npz -f json
    """
    from litecheck.cli import one_thread

    one_thread()
    from litecheck.cli.input_options import feed
    from litecheck.cli.progress import steps
    from litecheck.errors import ConfigError
    from litecheck.files import check_writable
    from litecheck.model.load import load_model
    from litecheck.quantizer.arrays import write_all
    from litecheck.reference.engine.interpreter import Machine
    from litecheck.reference.engine.statistics import Recorder
    from litecheck.rendering.run import RunRecord

    limit_reference(memory, timeout)
    targets = parse_outputs(outputs or (), "run")
    if target is None and not stats:
        raise ConfigError("nothing to do: give -o OUT.npz for the arrays, --stats for what they look like")
    if target is not None:
        check_writable(target)
    loaded = load_model(model, member)
    machine = Machine(loaded, arithmetic)
    fed = feed(loaded, signature, inputs or (), random)
    with steps(len(fed.entry.subgraph.operators), no_color) as advance:
        recorder = Recorder(fed.entry, stats, advance)
        done = machine.invoke(fed.arrays, signature=signature, keep=keep, progress=recorder)
    if target is not None:
        write_all(target, recorder.named(done))
    record = RunRecord(model, machine.arithmetic.name, signature, fed.sources, target, done, recorder)
    write(record, targets, Manner(no_color=no_color))
