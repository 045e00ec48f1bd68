"""Diagnoses of devices that were written independently of litecheck's kernels, without and with defects.

A defect is identified or the operator is unknown. A defect must never be identified as another arithmetic or as the
reference.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import Group, prepare_probes
from litecheck.diagnosis.result import OperatorDiagnosis
from tests.diagnosis.foreign import (
    Context,
    Floats,
    Foreign,
    Ints,
    Rescale,
    away,
    end_before_zero_point,
    floored,
    half_away_float64,
    one_rounding,
    saturated,
    symmetric_end,
    tail,
    to_even_float32,
    toward_zero,
    two_roundings,
    wrapped,
)  # fmt: skip
from tests.diagnosis.foreign_elements import (
    CORRECT,
    add,
    add_in_output_steps,
    average,
    interpolated,
    leaky,
    logistic,
    mean,
    mul,
    quantize,
    quotient,
    resize,
    softmax,
)  # fmt: skip
from tests.diagnosis.foreign_sums import Sums, blocks, conv, depthwise, fully_connected

pytestmark = pytest.mark.slow

Function = Callable[[Context], NDArray[Any]]


@cache
def groups(opcode: str) -> tuple[Group, ...]:
    return prepare_probes((), [opcode])


def found(opcode: str, function: Function | None) -> tuple[OperatorDiagnosis, ...]:
    device = Foreign("foreign", CORRECT | ({opcode: function} if function else {}))
    operators = diagnose(device, groups(opcode)).operators
    return tuple(d for d in operators if d.conclusion != "not answered")


@pytest.mark.parametrize("opcode", CORRECT)
def test_a_sound_device_is_the_reference(opcode: str) -> None:
    """Control: these independent functions give the reference's outputs on every probe."""
    for diagnosed in found(opcode, None):
        assert any("litert-reference" in way.published for way in diagnosed.fits)
        assert not diagnosed.unanswered


def places(body: Rescale, rest: Rescale, lanes: int) -> Rescale:
    """Return a rescaling that treats pixels or rows after their last full vector differently."""

    def rescale(x: Ints, real: Any) -> Ints:
        rows = x.reshape(-1, x.shape[-1])
        full = len(rows) // lanes * lanes
        return np.concatenate([body(rows[:full], real), rest(rows[full:], real)]).reshape(x.shape)

    return rescale


def elements(body: Rescale, rest: Rescale, lanes: int) -> Rescale:
    """Return a rescaling that treats single elements after the last full vector differently."""
    return lambda x, real: places(body, rest, lanes)(x.reshape(-1, 1), real).reshape(x.shape)


def first_image(function: Function) -> Function:
    """Return a function that repeats the first output of a batch."""

    def given(c: Context) -> NDArray[Any]:
        made = function(c)
        made[1:] = made[:1]
        return made

    return given


def in_16_bits(total: Ints, count: Ints) -> Ints:
    return quotient(wrapped(total, 16), count)


def to_even(x: Floats) -> Ints:
    return np.rint(x).astype(np.int64)


_EXACT = partial(Sums, rescale=half_away_float64)

#: Planted defect -> operator, function, and identified name.
NAMED: dict[str, tuple[str, Function, str]] = {
    "CONV_2D: accumulators wrap at 20 bits": (
        "CONV_2D",
        partial(conv, s=Sums(total=lambda p, b: wrapped(p + b, 20))),
        "requantize: double, defect: accumulator-20-wraps",
    ),
    "CONV_2D: multipliers of 16 bits": (
        "CONV_2D", partial(conv, s=Sums(rescale=partial(one_rounding, bits=15))), "requantize: reduced",
    ),
    "CONV_2D: toward zero": ("CONV_2D", partial(conv, s=Sums(rescale=toward_zero)), "requantize: truncate"),
    "CONV_2D: bias added after rescaling": (
        "CONV_2D", partial(conv, s=Sums(split_bias=True)), "requantize: double, defect: bias-apart",
    ),
    "CONV_2D: saturates before the zero point": (
        "CONV_2D", partial(conv, s=Sums(end=end_before_zero_point)), "requantize: double, defect: saturates-first",
    ),
    "CONV_2D: padding of 0": (
        "CONV_2D", partial(conv, s=Sums(padding=0)), "requantize: double, defect: zero-padding",
    ),
    "CONV_2D: bias of 16 bits": (
        "CONV_2D", partial(conv, s=Sums(bias=lambda b: saturated(b, 16))), "requantize: double, defect: bias-16",
    ),
    "CONV_2D: no dilation": (
        "CONV_2D", partial(conv, s=Sums(dilated=False)), "requantize: double, defect: no-dilation",
    ),
    "DEPTHWISE_CONV_2D: weights of -127 and more": (
        "DEPTHWISE_CONV_2D",
        partial(depthwise, s=Sums(weights=lambda w: np.maximum(w, -127))),
        "requantize: double, defect: symmetric-weights",
    ),
    "DEPTHWISE_CONV_2D: one scale": (
        "DEPTHWISE_CONV_2D",
        partial(depthwise, s=Sums(real=lambda r: np.broadcast_to(r[:1], r.shape))),
        "requantize: double, defect: first-weight-scale",
    ),
    "MUL: outputs of -127 and more": (
        "MUL",
        partial(mul, end=symmetric_end),
        "requantize: double, multiplier: float32, defect: symmetric-output",
    ),
    "MUL: float32, half to even": (
        "MUL", partial(mul, rescale=to_even_float32), "requantize: float32",
    ),
    "AVERAGE_POOL_2D: floor": ("AVERAGE_POOL_2D", partial(average, divide=lambda t, n: t // n), "round: floor"),
    "AVERAGE_POOL_2D: divides by the whole window": (
        "AVERAGE_POOL_2D",
        partial(average, whole=True),
        "round: half-away, defect: counts-padding-bare",
    ),
    "AVERAGE_POOL_2D: sums of 16 bits": (
        "AVERAGE_POOL_2D", partial(average, divide=in_16_bits), "round: half-away, defect: sum-16-wraps",
    ),
    "MEAN: sums of 16 bits": ("MEAN", partial(mean, bits=16), "requantize: double, defect: sum-16-wraps"),
    "MEAN: as a pool": ("MEAN", partial(mean, pooled=True), "requantize: double, defect: mean-first"),
    "SOFTMAX: half to even": ("SOFTMAX", partial(softmax, rounded=to_even), "exp: float32-half-even"),
    "QUANTIZE: quotient, half to even": (
        "QUANTIZE", partial(quantize, from_float=lambda x, s: to_even(x / s)), "round: half-even-quotient",
    ),
}  # fmt: skip


@pytest.mark.parametrize("planted", NAMED)
def test_a_fault_is_named(planted: str) -> None:
    opcode, function, name = NAMED[planted]
    assert name in [
        str(way) for d in found(opcode, function) for way in d.fits if d.conclusion == "identified"
    ]


#: Defects without a name, mostly because their kind has too many: no other name may be identified.
UNNAMED: dict[str, tuple[str, Function]] = {
    "CONV_2D: running sums of 24 bits": ("CONV_2D", partial(conv, s=Sums(step=lambda t: saturated(t, 24)))),
    "CONV_2D: 24 bits in the end": (
        "CONV_2D", partial(conv, s=Sums(total=lambda p, b: saturated(p + b, 24))),
    ),
    "CONV_2D: multipliers below 1": (
        "CONV_2D", partial(conv, s=Sums(real=lambda r: np.minimum(r, 1 - 2.0**-31))),
    ),
    "CONV_2D: channels left over of 16": (
        "CONV_2D", partial(conv, s=Sums(rescale=tail(two_roundings, floored, 16))),
    ),
    "CONV_2D: pixels left over of 8": (
        "CONV_2D", partial(conv, s=Sums(rescale=places(one_rounding, two_roundings, 8))),
    ),
    "CONV_2D: one image": ("CONV_2D", first_image(conv)),
    "DEPTHWISE_CONV_2D: running sums of 24 bits": (
        "DEPTHWISE_CONV_2D", partial(depthwise, s=Sums(step=lambda t: saturated(t, 24))),
    ),
    "DEPTHWISE_CONV_2D: channels in another order": (
        "DEPTHWISE_CONV_2D", partial(depthwise, s=Sums(depth_major=False)),
    ),
    "FULLY_CONNECTED: sums lose bits": (
        "FULLY_CONNECTED", partial(fully_connected, s=_EXACT(products=partial(blocks, length=16, drop=1))),
    ),
    "FULLY_CONNECTED: rows left over of 4": (
        "FULLY_CONNECTED",
        partial(fully_connected, s=Sums(rescale=places(one_rounding, half_away_float64, 4))),
    ),
    "ADD: 15 bits behind the point": ("ADD", partial(add, shift=15)),
    "ADD: each operand in steps of the output": ("ADD", add_in_output_steps),
    "ADD: elements left over of 32": (
        "ADD", partial(add, rescale=elements(two_roundings, one_rounding, 32)),
    ),
    "MUL: products of 16 bits": ("MUL", partial(mul, bits=16)),
    "MUL: multipliers below 1": (
        "MUL", partial(mul, rescale=lambda x, r: two_roundings(x, min(r, 1 - 2.0**-31))),
    ),
    "MEAN: sums of 20 bits": ("MEAN", partial(mean, bits=20)),
    "LOGISTIC: 64 lines": ("LOGISTIC", partial(logistic, curve=interpolated)),
    "SOFTMAX: no beta": ("SOFTMAX", partial(softmax, beta=lambda b: 1.0)),
    "RESIZE_BILINEAR: 7 bits": ("RESIZE_BILINEAR", partial(resize, bits=7)),
    "RESIZE_BILINEAR: one image": ("RESIZE_BILINEAR", first_image(resize)),
    "LEAKY_RELU: alpha in 1/128": ("LEAKY_RELU", partial(leaky, alpha=lambda a: round(a * 128) / 128)),
    "QUANTIZE: reciprocal, half away": (
        "QUANTIZE", partial(quantize, from_float=lambda x, s: away((x * (np.float32(1) / s)).astype(np.float64))),
    ),
}  # fmt: skip


#: Entries of UNNAMED that run with --whole only, because the remaining entries of their operator are equally hard.
BEYOND = {
    "CONV_2D: running sums of 24 bits", "CONV_2D: 24 bits in the end", "CONV_2D: multipliers below 1",
    "CONV_2D: pixels left over of 8", "DEPTHWISE_CONV_2D: running sums of 24 bits", "FULLY_CONNECTED: sums lose bits",
    "ADD: 15 bits behind the point", "MUL: multipliers below 1", "MEAN: sums of 20 bits", "RESIZE_BILINEAR: one image",
}  # fmt: skip


@pytest.mark.parametrize("planted", UNNAMED)
def test_a_fault_without_a_name_is_seen(planted: str, beyond_the_slice: Callable[[], None]) -> None:
    if planted in BEYOND:
        beyond_the_slice()
    opcode, function = UNNAMED[planted]
    assert "unknown" in {d.conclusion for d in found(opcode, function)}
