"""Shared options of the quantizer's commands, and their values: scales, zero points, shapes, tolerances."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from litecheck.cli.panels import INPUTS, PARAMETERS, option
from litecheck.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from litecheck.quantizer.types import Parameters, Semantics


Named = Annotated[
    str,
    option(
        "--semantics NAME",
        PARAMETERS,
        "Use these semantics: litert[:RESOLVER], onnx[:OPSET], onnx-dynamic, onednn[:ROUNDING]. "
        "[default: litert]",
    ),
]
Scale = Annotated[
    list[str] | None,
    option(
        "--scale SCALE",
        PARAMETERS,
        "Set the scale: a number (0.5, 1/256), several with commas, or a .npy file.",
    ),
]
ZeroPoint = Annotated[
    list[str] | None,
    option("--zero-point ZERO_POINT", PARAMETERS, "Set the zero point, written as --scale is. [default: 0]"),
]
Axis = Annotated[
    int | None,
    option("--axis N", PARAMETERS, "Set the dimension that has several scales."),
]
BlockSize = Annotated[
    int | None,
    option("--block-size N", PARAMETERS, "Set the number of elements for each scale."),
]
Like = Annotated[
    str | None,
    option("--like MODEL:TENSOR", PARAMETERS, "Use the parameters, type and shape of a tensor in a model."),
]
Dtype = Annotated[
    str | None,
    option(
        "--dtype TYPE",
        INPUTS,
        "Set the type of stored integers: int8, uint8, int16, int4, ... [default: int8, for onnx uint8]",
    ),
]
Shape = Annotated[
    str | None,
    option("--shape AxBxC", INPUTS, "Set the shape of raw bytes. [default: flat]"),
]


@dataclass(frozen=True, slots=True)
class ParameterOptions:
    """Options of a command line about parameters. None and () mean: not given."""

    scale: tuple[str, ...] = ()
    zero_point: tuple[str, ...] = ()
    axis: int | None = None
    block_size: int | None = None
    from_data: str | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TensorOptions:
    """Options of a command line about a stored tensor. ``shape`` is None if it is not known."""

    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    parameters: Parameters | None = None


def tensor(told: ParameterOptions, dtype: str | None, shape: str | None) -> TensorOptions:
    """Return type, shape and parameters from the options, and from the tensor of a model if the options name a tensor.

    Raise LitecheckError.
    """
    _check_one_way(told)
    if not told.like:
        return TensorOptions(dtype, parse_shape(shape), _parse_parameters(told) if told.scale else None)
    from litecheck.quantizer.model_tensor import find_tensor
    from litecheck.quantizer.tensor_parameters import stated_parameters

    subgraph, model_tensor = find_tensor(told.like)
    fixed = min(model_tensor.shape_signature or (0,)) >= 0
    known = parse_shape(shape) if shape else model_tensor.shape if fixed else None
    return TensorOptions(dtype or model_tensor.dtype, known, stated_parameters(model_tensor, subgraph))


def _check_one_way(told: ParameterOptions) -> None:
    ways = {"--scale": told.scale, "--from-data": told.from_data, "--like": told.like}
    said = [name for name, value in ways.items() if value]
    if len(said) > 1:
        raise ConfigError(f"{' and '.join(said)}: give one of them")
    if told.zero_point and not told.scale:
        raise ConfigError("--zero-point: goes with --scale")
    if told.axis is not None and not (told.scale or told.from_data):
        raise ConfigError(f"--axis: goes with --scale{'' if told.like else ' or --from-data'}")
    if told.block_size is not None and not (told.scale and told.axis is not None):
        raise ConfigError("--block-size: goes with --scale and --axis")
    if told.from_data and told.from_data not in ("symmetric", "asymmetric"):
        raise ConfigError(f"--from-data: {told.from_data!r} is neither symmetric nor asymmetric")


def _parse_parameters(told: ParameterOptions) -> Parameters:
    import numpy as np

    from litecheck.quantizer.types import Parameters

    scale = _values("--scale", told.scale)
    zero = _values("--zero-point", told.zero_point) if told.zero_point else None
    if told.axis is None and scale.size > 1:
        raise ConfigError(f"--scale: {scale.size} scales need --axis")
    if zero is not None and zero.dtype.kind == "f":
        whole = zero.astype(np.int64)
        if (whole != zero).any():
            raise ConfigError(f"--zero-point: {', '.join(told.zero_point)} is not a whole number")
        zero = whole
    return Parameters(scale, zero, told.axis, told.block_size or 0)


def _values(option: str, texts: tuple[str, ...]) -> NDArray[Any]:
    """Return numbers as the nearest float32 (zero points in float64, where they are exact), and a file with its type."""
    import numpy as np

    words = [word.strip() for text in texts for word in text.split(",")]
    if len(words) == 1 and words[0].lower().endswith(".npy"):
        from litecheck.quantizer.array_files import read_tensor

        return read_tensor(words[0]).values
    try:
        numbers = [float(Fraction(word)) for word in words]
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise ConfigError(
            f"{option}: {', '.join(texts)[:80]} is not a number, list of numbers or .npy file"
        ) from error
    return np.array(numbers, np.float64 if option == "--zero-point" else np.float32)


@contextmanager
def report_as_config_error(told: ParameterOptions) -> Iterator[None]:
    """Raise ConfigError for a parameter that a semantics rejects and an option states. Example: ``--scale 0``."""
    from litecheck.quantizer.types import QuantizerError

    try:
        yield
    except QuantizerError as error:
        name = {"scales": "scale"}.get(error.argument, error.argument)
        if getattr(told, name, None) in (None, ()):
            raise
        message = f"--{name.replace('_', '-')}: {error.message}, by the semantics {error.semantics}"
        raise ConfigError(message) from error


def check_own_choice(told: ParameterOptions, semantics: Semantics) -> None:
    """Raise ConfigError for parameters of a semantics that chooses them itself."""
    if getattr(semantics, "choose", None) is None:
        return
    for field in fields(told):
        if getattr(told, field.name) not in (None, ()):
            option = f"--{field.name.replace('_', '-')}"
            raise ConfigError(
                f"{option}: {semantics.name} has no such parameter, it chooses scale and zero point from the values"
            )


def in_float32(source: str, values: NDArray[Any], say: Callable[[str], None]) -> NDArray[Any]:
    """Return real values, with float64 rounded to float32. ``say`` gets a note with the number of changed values."""
    import numpy as np

    if values.dtype != np.float64:
        return values
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    changed = int((narrow != values)[~np.isnan(values)].sum())
    what = f"{changed:,} of {values.size:,}" if changed else "none of its"
    say(f"note: {source}: float64, rounded to float32, which changes {what} values")
    return narrow


def select_parameters(
    given: TensorOptions, told: ParameterOptions, x: NDArray[Any], semantics: Semantics
) -> Parameters:
    """Return the parameters to quantize ``x``: the given parameters, else chosen from the data. Raise LitecheckError."""
    from litecheck.quantizer.calibrate import from_data

    if given.parameters is not None:
        return given.parameters
    if told.from_data:
        return from_data(x, given.dtype or semantics.default_dtype, axis=told.axis, mode=told.from_data)
    choose = getattr(semantics, "choose", None)
    if choose is None:
        raise ConfigError("the scale is missing: give --scale, --from-data or --like")
    parameters: Parameters = choose(x)
    return parameters


def parse_shape(text: str | None) -> tuple[int, ...] | None:
    """Return the shape of ``1x96x96x3`` or ``1,96,96,3``. Raise ConfigError."""
    if text is None:
        return None
    words = text.replace(",", "x").split("x")
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise ConfigError(f"--shape: {text[:60]!r} is not a shape such as 1x96x96x3")
    return tuple(map(int, words))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A number of steps, or a share of the largest value. ``unit`` is None if none was given."""

    value: float
    unit: str | None = None


def parse_tolerance(text: str) -> Tolerance:
    """Return the tolerance of ``1lsb``, ``4ulp`` or ``1`` (steps), or of ``1e-6`` (share). Raise ConfigError.

    For example, ``4ulp`` gives 4 ULP and ``1e-6`` a share.
    """
    words = text.lower().strip()
    for unit in ("lsb", "ulp"):
        number = words.removesuffix(unit).strip()
        if number.isdecimal() and len(number) <= 18:
            return Tolerance(int(number), unit.upper() if words.endswith(unit) else None)
    if re.fullmatch(r"\d*\.?\d+(e-?\d{1,3})?", words) and float(words) < 1:
        return Tolerance(float(words), "share")
    raise ConfigError(
        f"--tolerance: got {text[:60]!r}, expected steps, such as 1lsb or 4ulp, or a share, such as 1e-6"
    )
