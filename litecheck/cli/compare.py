"""``litecheck compare``: comparison of a device's integers with the expected integers, and causes of differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from litecheck.cli import quantizer_options as options
from litecheck.cli.console import NoColor, OutputOptions, handle_errors, log
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import FAILURE, INPUTS, option

if TYPE_CHECKING:
    from litecheck.quantizer.array_files import StoredTensor


@handle_errors
def compare(
    expected: Annotated[
        str,
        typer.Argument(
            metavar="EXPECTED", help="Read stored integers, or real values, which are quantized first."
        ),
    ],
    actual: Annotated[
        str,
        typer.Argument(metavar="ACTUAL", help="Read the device's tensor: .npy, .npz[:KEY] or raw bytes."),
    ],
    tolerance: Annotated[
        str,
        option(
            "--tolerance N",
            FAILURE,
            "Accept differences up to N: 1lsb, 4ulp, or for real values a share, 1e-6. [default: 0]",
        ),
    ] = "0",
    scale: options.Scale = None,
    zero_point: options.ZeroPoint = None,
    axis: options.Axis = None,
    block_size: options.BlockSize = None,
    like: options.Like = None,
    semantics: options.Named = "litert",
    dtype: options.Dtype = None,
    expected_dtype: Annotated[
        str | None,
        option("--expected-dtype TYPE", INPUTS, "Set the type of raw bytes in EXPECTED. [default: --dtype]"),
    ] = None,
    shape: options.Shape = None,
    outputs: Annotated[list[str] | None, format_option("compare")] = None,
    no_color: NoColor = False,
) -> None:
    """Compare two tensors, and name the cause of differences.

    litecheck quantizes real values in EXPECTED with the given parameters. If ACTUAL differs, it tries other roundings,
    orders, widths and parameters, and names those that give ACTUAL. Two tensors of real values are compared in ULP.

    \b
    [bold]Exit codes[/]
      0   the tensors are equal within the tolerance
      1   the tensors differ
      2   the tensors cannot be compared
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck compare expected.npy device.npy
      litecheck compare x.npy device.npy --like model.tflite:y --tolerance 1lsb
      litecheck compare x.npy device.bin --dtype int8 --scale 1/128
      litecheck compare x.npy q.npy --scale 1/128 --semantics litert:xnnpack
      litecheck compare all.npz:conv1 device.npz:conv1 -f json
      litecheck compare softmax.npy device_softmax.npy --tolerance 4ulp
    """
    from litecheck.quantizer.semantics import semantics as named
    from litecheck.quantizer.tensor_comparison import compare as judge
    from litecheck.rendering.comparison import ComparedTensors

    targets = parse_outputs(outputs or (), "compare")
    allowed = options.parse_tolerance(tolerance)
    told = options.ParameterOptions(tuple(scale or ()), tuple(zero_point or ()), axis, block_size, None, like)
    rule = named(semantics)
    options.check_own_choice(told, rule)
    tensor = options.tensor(told, dtype, shape)
    ours, theirs = _read_tensors(expected, actual, expected_dtype, tensor)
    ours, reals = (
        options.in_float32(expected, ours, log),
        options.in_float32(actual, theirs.values, log),
    )
    kind = theirs.dtype if theirs.values.dtype.kind in "iu" else None
    with options.report_as_config_error(told):
        comparison = judge(
            ours, reals, tensor.parameters, allowed.value, semantics=rule, dtype=kind, unit=allowed.unit
        )
    write(ComparedTensors(comparison, expected, actual), targets, OutputOptions(no_color=no_color))
    raise typer.Exit(comparison.exit_code)


def _read_tensors(
    expected: str, actual: str, expected_dtype: str | None, tensor: options.TensorOptions
) -> tuple[Any, StoredTensor]:
    """Return expected and actual values. Raw bytes have the shape of the other tensor, unless an option states it.

    Raw bytes of ACTUAL have the type of EXPECTED, unless EXPECTED is to be quantized.
    """
    from litecheck.quantizer.array_files import is_raw, read_tensor

    raw = is_raw(expected)
    stored = read_tensor(expected, expected_dtype or (tensor.dtype if raw else None), tensor.shape)
    ours, same = stored.values, stored.dtype if is_raw(actual) and tensor.parameters is None else None
    theirs = read_tensor(actual, tensor.dtype or same, tensor.shape if tensor.shape or raw else ours.shape)
    if raw and tensor.shape is None and ours.size == theirs.values.size:
        ours = ours.reshape(theirs.values.shape)
    return ours, theirs
