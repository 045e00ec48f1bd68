"""``litecheck quantize``: real values in, stored integers out, exactly as a document says."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import quantizer_options as options
from litecheck.cli.console import NoColor, PlainFormat, ends_well, say, write_stdout


@ends_well
def quantize(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Real values: .npy, .npz[:KEY] or raw bytes (float32).")
    ],
    target: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="A .npy file; else raw bytes are written.")
    ],
    semantics: options.Named = "litert",
    dtype: options.Dtype = None,
    scale: options.Scale = None,
    zero_point: options.ZeroPoint = None,
    axis: options.Axis = None,
    block_size: options.BlockSize = None,
    from_data: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="Choose the parameters from the values: symmetric or asymmetric."),
    ] = None,
    like: options.Like = None,
    input_dtype: Annotated[
        str | None, typer.Option(metavar="TYPE", help="The type of raw bytes in IN; default float32.")
    ] = None,
    shape: options.Shape = None,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """Quantize a tensor as LiteRT, ONNX or oneDNN define it, exact to the last bit.

    The parameters are given (--scale), chosen from the values (--from-data; onnx-dynamic chooses itself and takes
    none), or those of a model's tensor (--like). They are printed, in JSON as numbers. Raw bytes below eight bits are
    packed, low bits first; .npy files hold them one value a byte.

    \b
    [bold]Examples[/]
      litecheck quantize x.npy -o q.npy --scale 1/128 --zero-point -3
      litecheck quantize w.npy -o q.npy --from-data symmetric --axis 0
      litecheck quantize x.npy -o q.npy --like model.tflite:serving_default_x:0 --semantics litert:xnnpack
      litecheck quantize x.npy -o q.npy --semantics onnx:21 --dtype uint4 --scale 0.5 --zero-point 8
    """
    from litecheck.files import check_writable
    from litecheck.quantizer.arrays import is_raw, read, write
    from litecheck.quantizer.semantics import semantics as named
    from litecheck.rendering.parameters import described

    check_writable(target)
    rule = named(semantics)
    told = options.Told(tuple(scale or ()), tuple(zero_point or ()), axis, block_size, from_data, like)
    options.check_own_choice(told, rule)
    tensor = options.tensor(told, dtype, shape)
    stored_as = input_dtype or ("float32" if is_raw(source) else None)
    real = options.in_float32(source, read(source, stored_as, tensor.shape).values, say)
    by = options.chosen(tensor, told, real, rule)
    stored = rule.quantize(real, by, tensor.dtype)
    kind = tensor.dtype or str(stored.dtype.name)
    write(target, stored, kind)
    text = described(target, kind, stored.shape, rule.name, by, output)
    write_stdout(text)
