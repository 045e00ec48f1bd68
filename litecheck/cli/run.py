"""``litecheck run``: run of a model by the reference kernels, under a named arithmetic."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.console import NoColor, OutputOptions, check_output, handle_errors
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import INPUTS, OUTPUT, SCOPE, option

#: Values of ``--outputs``, and the interpreter's names for them.
KEPT = {"model": "outputs", "all": "all"}


def _check_outputs(name: str) -> str:
    if name not in KEPT:
        raise typer.BadParameter(f"got '{name}', expected model or all")
    return name


@handle_errors
def run(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Read a .tflite file, or - for stdin.")],
    inputs: Annotated[
        list[str] | None,
        option(
            "--input NAME=FILE",
            INPUTS,
            "Use stored values for a model input, by name or number: .npy, .npz[:KEY] or raw bytes. Repeatable. "
            "FILE alone is enough for the only input.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        option(
            "--seed SEED",
            INPUTS,
            "Set the seed of random inputs, for inputs without --input. [default: no random inputs]",
            min=0,
        ),
    ] = None,
    arithmetic: Annotated[
        str,
        option(
            "--arithmetic ARITHMETIC",
            SCOPE,
            "Compute with this arithmetic, a name or a file; 'litecheck rules --arithmetics' lists the names. "
            "[default: litert-reference]",
            autocompletion=complete.arithmetics,
        ),
    ] = "litert-reference",
    signature: Annotated[
        str | None,
        option("--signature NAME", SCOPE, "Select the signature to run. [default: the first subgraph]"),
    ] = None,
    member: Annotated[
        str,
        option("--member NAME", SCOPE, "Select a model of a .task or .litertlm bundle."),
    ] = "",
    target: Annotated[
        str | None,
        option("--output -o OUT.npz", OUTPUT, "Write the tensors to this file."),
    ] = None,
    keep: Annotated[
        str,
        option(
            "--outputs model|all",
            OUTPUT,
            "Write the outputs of the model, or of all operators. [default: model]",
            callback=_check_outputs,
        ),
    ] = "model",
    statistics: Annotated[
        bool,
        option(
            "--statistics",
            OUTPUT,
            "Print statistics of every tensor: range, saturation, unused levels. [default: without -o]",
        ),
    ] = False,
    outputs: Annotated[list[str] | None, format_option("run")] = None,
    no_color: NoColor = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
) -> None:
    """Run a model with bit-exact reference kernels.

    Inputs and outputs are stored values: int8 is int8. 'litecheck quantize' makes stored values from real ones. An
    arithmetic is a named set of rounding, accumulation and saturation rules of a runtime's kernels.

    \b
    [bold]Exit codes[/]
      0   the model ran
      2   the model did not run: an unreadable file, inputs that do not fit,
          no kernel, or beyond --memory or --timeout
      64  invalid command or option, or a file that does not exist
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck run model.tflite --input x.npy -o out.npz
      litecheck run model.tflite --seed 0
      litecheck run model.tflite --seed 0 --outputs all -o tensors.npz
      litecheck run model.tflite --seed 0 --arithmetic litert-xnnpack -o y.npz
    """
    from litecheck.cli.input_options import feed
    from litecheck.cli.progress import steps
    from litecheck.model.load import load_model
    from litecheck.quantizer.array_files import write_all
    from litecheck.reference.engine.arithmetic import load_arithmetic
    from litecheck.reference.engine.interpreter import ReferenceInterpreter
    from litecheck.reference.engine.run_statistics import Recorder
    from litecheck.rendering.run import RunRecord

    limit_reference(memory, timeout)
    targets = parse_outputs(outputs or (), "run")
    numerics = load_arithmetic(arithmetic)
    if target is not None:
        check_output(target)
    loaded = load_model(model, member)
    interpreter = ReferenceInterpreter(loaded, numerics)
    fed = feed(loaded, signature, inputs or (), seed)
    with steps(len(fed.entry.subgraph.operators), no_color) as advance:
        recorder = Recorder(fed.entry, statistics or target is None, advance)
        done = interpreter.invoke(fed.arrays, signature=signature, keep=KEPT[keep], progress=recorder)
    if target is not None:
        write_all(target, recorder.named_arrays(done))
    record = RunRecord(model, interpreter.arithmetic.name, signature, fed.sources, target, done, recorder)
    write(record, targets, OutputOptions(no_color=no_color))
