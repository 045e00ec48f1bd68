"""``litecheck dequantize``: conversion of stored integers to real values."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import quantizer_options as options
from litecheck.cli.console import NoColor, PlainFormat, check_output, handle_errors, write_stdout
from litecheck.cli.panels import OUTPUT, option


@handle_errors
def dequantize(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="Read stored integers: .npy, .npz[:KEY], raw bytes, or MODEL:TENSOR for a constant.",
        ),
    ],
    target: Annotated[
        str,
        option("--output -o OUT", OUTPUT, "Write the real values to this file: .npy, else raw bytes."),
    ],
    scale: options.Scale = None,
    zero_point: options.ZeroPoint = None,
    axis: options.Axis = None,
    block_size: options.BlockSize = None,
    like: options.Like = None,
    semantics: options.Named = "litert",
    dtype: options.Dtype = None,
    shape: options.Shape = None,
    output_dtype: Annotated[
        str | None,
        option("--output-dtype TYPE", OUTPUT, "Set the type of OUT. [default: that of the semantics]"),
    ] = None,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """Compute real values from stored integers.

    A real value is scale x (stored - zero point). A constant of a model has its own parameters.

    \b
    [bold]Examples[/]
      litecheck dequantize q.npy -o x.npy --scale 1/128 --zero-point -3
      litecheck dequantize model.tflite:conv/kernel -o w.npy
      litecheck dequantize out.bin -o x.npy --like model.tflite:logits
      litecheck dequantize q.bin -o x.npy --dtype int4 --shape 64x64 --scale 1/8
    """
    from litecheck.errors import ConfigError
    from litecheck.quantizer.array_files import is_constant, read_tensor, write
    from litecheck.quantizer.semantics import semantics as named
    from litecheck.rendering.parameters import describe_parameters

    check_output(target)
    rule = named(semantics)
    if is_constant(source) and not scale:
        like = like or source
    told = options.ParameterOptions(tuple(scale or ()), tuple(zero_point or ()), axis, block_size, None, like)
    tensor = options.tensor(told, dtype, shape)
    stored = read_tensor(source, tensor.dtype, tensor.shape)
    if tensor.parameters is None:
        raise ConfigError("the scale is missing: give --scale or --like")
    with options.report_as_config_error(told):
        real = rule.dequantize(stored.values, tensor.parameters, output_dtype, stored.dtype)
    kind = str(real.dtype.name)
    write(target, real, kind)
    text = describe_parameters(target, kind, real.shape, rule.name, tensor.parameters, output)
    write_stdout(text)
