"""``litecheck inspect``: content of a model file, without checks."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli.console import NoColor, PlainFormat, handle_errors, terminal_width, write_stdout
from litecheck.errors import ModelError


def _operator_number(text: str) -> int:
    number = text.removeprefix("#")
    if not (number.isdecimal() and len(number) < 10):
        raise typer.BadParameter(f"got '{text}', expected the number of an operator, for example 12")
    return int(number)


@handle_errors
def inspect(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Read a model or a container of models, or - for stdin.")
    ],
    tensors: Annotated[bool, typer.Option("--tensors", "-t", help="Print the tensors too.")] = False,
    op: Annotated[
        int | None,
        typer.Option("--operator", metavar="N", parser=_operator_number, help="Print operator N in full."),
    ] = None,
    subgraph: Annotated[
        int | None,
        typer.Option(
            "--subgraph", metavar="N", help="Print only subgraph N. [default: all; 0 with --operator]"
        ),
    ] = None,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """Print the content of a model: operators, tensors, quantization.

    JSON always contains the tensors. In text, a span such as 0.001..0.02 stands for the scales of several channels;
    --operator prints each of them.

    \b
    [bold]Examples[/]
      litecheck inspect model.tflite
      litecheck inspect model.tflite --tensors
      litecheck inspect model.tflite --operator 12
      litecheck inspect model.tflite -f json | jq '.models[0].subgraphs[0]'
    """
    from litecheck.model.load import load_models
    from litecheck.model_files import find_models
    from litecheck.rendering import inspect_json
    from litecheck.rendering.inspect import model_text

    named = find_models([model])
    found = [m for one in named for m in ([one] if isinstance(one, ModelError) else load_models(one))]
    models = [m for m in found if not isinstance(m, ModelError)]
    if output == "json":
        write_stdout(inspect_json.json_text(models, subgraph, op))
    else:
        for one in models:
            print(model_text(one, tensors=tensors, subgraph=subgraph, op=op, width=terminal_width()))
    for failed in found:
        if isinstance(failed, ModelError):
            raise failed
