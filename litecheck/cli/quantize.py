"""``litecheck quantize``: conversion of real values to stored integers, exactly as a document defines it."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import quantizer_options as options
from litecheck.cli.console import NoColor, PlainFormat, check_output, handle_errors, log, write_stdout
from litecheck.cli.panels import INPUTS, OUTPUT, PARAMETERS, option


@handle_errors
def quantize(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Read real values: .npy, .npz[:KEY] or raw bytes (float32).")
    ],
    target: Annotated[
        str,
        option("--output -o OUT", OUTPUT, "Write the stored integers to this file: .npy, else raw bytes."),
    ],
    scale: options.Scale = None,
    zero_point: options.ZeroPoint = None,
    axis: options.Axis = None,
    block_size: options.BlockSize = None,
    from_data: Annotated[
        str | None,
        option(
            "--from-data MODE", PARAMETERS, "Choose the parameters from the values: symmetric or asymmetric."
        ),
    ] = None,
    like: options.Like = None,
    semantics: options.Named = "litert",
    dtype: options.Dtype = None,
    input_dtype: Annotated[
        str | None,
        option("--input-dtype TYPE", INPUTS, "Set the type of raw bytes in IN. [default: float32]"),
    ] = None,
    shape: options.Shape = None,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """Quantize real values exactly as LiteRT, ONNX or oneDNN.

    The parameters come from --scale, from the values (--from-data), or from a tensor of a model (--like). onnx-dynamic
    chooses its own. Raw bytes of types below eight bits are packed, low bits first; .npy files have one value in a byte.

    \b
    [bold]Examples[/]
      litecheck quantize x.npy -o q.npy --scale 1/128 --zero-point -3
      litecheck quantize w.npy -o q.npy --from-data symmetric --axis 0
      litecheck quantize x.npy -o q.npy --like model.tflite:x
      litecheck quantize x.npy -o q.npy --scale 0.5 --semantics onnx:21
    """
    from litecheck.quantizer.array_files import is_raw, read_tensor, write
    from litecheck.quantizer.semantics import semantics as named
    from litecheck.quantizer.types import unusual_scales
    from litecheck.rendering.parameters import describe_parameters

    check_output(target)
    rule = named(semantics)
    told = options.ParameterOptions(
        tuple(scale or ()), tuple(zero_point or ()), axis, block_size, from_data, like
    )
    options.check_own_choice(told, rule)
    tensor = options.tensor(told, dtype, shape)
    stored_as = input_dtype or ("float32" if is_raw(source) else None)
    real = options.in_float32(source, read_tensor(source, stored_as, tensor.shape).values, log)
    by = options.select_parameters(tensor, told, real, rule)
    with options.report_as_config_error(told):
        stored = rule.quantize(real, by, tensor.dtype)
    unusual = unusual_scales(rule.name, by) if told.scale else ""
    if unusual:
        log(f"warning: {unusual}")
    kind = tensor.dtype or str(stored.dtype.name)
    write(target, stored, kind)
    text = describe_parameters(target, kind, stored.shape, rule.name, by, output)
    write_stdout(text)
