"""RELU and its variants, LEAKY_RELU, PRELU, HARD_SWISH: values by hand and the distance from the real functions."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.kernels import activation
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.registry import kernels
from litecheck.reference.runtime_tensors import Operand, OutputSpec

BYTES = np.arange(-128, 128).astype(np.int8)
HOW = {"requantize": "double", "multiplier": "float32"}


def quantization(scale, zero=0):
    return Quantization(np.float32([scale]), np.int64([zero]))


def value(data=BYTES, scale=0.5, zero=0):
    return Operand(data, data.dtype.name, quantization(scale, zero))


def result(scale=0.5, zero=0, dtype="int8"):
    return OutputSpec(dtype, (), quantization(scale, zero))


def relu(opcode, v, out, **variants):
    return next(k for k in kernels()[opcode] if v.dtype in k.types).function(v, out, HOW | variants)


@pytest.mark.parametrize(
    ("opcode", "low", "high"),
    [("RELU", 0, 127), ("RELU6", 0, 12), ("RELU_N1_TO_1", -2, 2), ("RELU_0_TO_1", 0, 2)],
)
def test_bounds_are_stored_values_of_the_output(opcode, low, high):
    assert (relu(opcode, value(), result()) == np.clip(BYTES, low, high)).all()


def test_relu_rounds_twice():
    """The first rounding, ties up, makes a quarter a half; the second rounding, ties away from zero, makes it one."""
    found = relu("RELU_N1_TO_1", value(scale=0.25, zero=1), result(scale=1.0, zero=-1))
    assert found[128 + 1 + np.array([-6, -3, -2, -1, 0, 1, 2, 6])].tolist() == [-2, -2, -2, -1, -1, 0, 0, 0]


def test_relu_without_rescaling_bounds_in_the_inputs_parameters():
    found = relu("RELU6", value(scale=0.5, zero=-100), result(scale=0.1, zero=7), requantize="none")
    assert (found == np.clip(BYTES, -100, -88)).all()


def test_relu_of_floats():
    x = np.float32([-2, -0.5, 0.5, 2, 7])
    (kernel,) = (k for k in kernels()["RELU6"] if "float32" in k.types)
    assert kernel.function(Operand(x, "float32"), OutputSpec("float32", ())).tolist() == [0, 0, 0.5, 2, 6]


def leaky(v, out, alpha, requantize="double"):
    options = Table("LeakyReluOptions", {"alpha": alpha})
    return activation.leaky_relu(v, out, options, HOW | {"requantize": requantize})


def test_leaky_relu_bends_below_zero():
    found = leaky(value(), result(), 0.25)
    assert found[[0, 127, 126, 122, 128, 255]].tolist() == [-32, 0, -1, -2, 0, 127]


def test_halves_have_no_second_rounding_and_round_up():
    """A multiplier of 1/2 is 2^30 without a shift: only the doubling high product rounds, ties up."""
    assert leaky(value(), result(), 0.5)[[0, 127, 126, 125]].tolist() == [-64, 0, -1, -1]


def test_leaky_relu_with_a_negative_slope_turns_up():
    assert leaky(value(), result(), -0.25)[[0, 127, 126, 122]].tolist() == [32, 0, 1, 2]


def test_a_slope_below_zero_is_negated_or_multiplied_with():
    """The doubled high half of the product with 0.49997 is rounded twice; positive products are rounded up."""
    v = Operand(np.int16([-16383, -16384, 16383]), "int16", quantization(2.0**-14))
    out, options = OutputSpec("int16", (3,), quantization(0.5)), Table("LeakyReluOptions", {"alpha": -0.25})

    def found(slope):
        return activation.leaky_relu(v, out, options, HOW | {"requantize": "double", "slope": slope}).tolist()

    assert (found("magnitude"), found("signed")) == ([0, 1, 2], [1, 1, 2])


def test_8_bit_multipliers_round_half_up():
    found = leaky(value(), result(), 0.25, "8-bit-multipliers")
    assert found[[0, 127, 126, 122]].tolist() == [-32, 0, 0, -1]


def test_ratios_beyond_8_bit_multipliers_are_computed_exactly():
    v, out = value(scale=0.001), result(scale=1.0)
    assert (leaky(v, out, 0.5, "8-bit-multipliers") == leaky(v, out, 0.5)).all()


def test_prelu_multiplies_each_channel():
    x = np.int8([[-8, -8], [6, 6]])
    alpha = Operand(np.int8([2, 4]), "int8", quantization(0.25))
    assert activation.prelu(value(x), alpha, result(), HOW).tolist() == [[-4, -8], [6, 6]]


def test_prelu_of_floats():
    x, alpha = np.float32([[-2, 2], [-4, 1]]), Operand(np.float32([0.5, 0.25]), "float32")
    assert activation.prelu_float(Operand(x, "float32"), alpha, OutputSpec("float32", ())).tolist() == [
        [-1, 2],
        [-2, 1],
    ]


@pytest.mark.parametrize(("scale", "zero"), [(0.05, 0), (0.1, -100), (0.01, 64)])
def test_hard_swish_is_within_a_step(scale, zero):
    v, out = value(scale=scale, zero=zero), result(scale=scale, zero=-20)
    x = float(np.float32(scale)) * (BYTES.astype(float) - zero)
    real = x * np.clip(x + 3, 0, 6) / 6 / float(out.scale) - 20
    assert np.abs(activation.hard_swish(v, out) - np.clip(real, -128, 127)).max() <= 1


def documented_hard_swish(q, v, out):
    """Return the output of a stored integer by the steps in docs/arithmetic.md."""

    def saturated(x):
        return max(min(x, 32767), -32768)

    def shifted(x, bits):
        half = (1 << bits) >> 1
        return (x + half) >> bits if x >= 0 else -((-x + half) >> bits)

    fine = v.scale / np.float32(128)
    m, shift = quantize_multiplier(float(fine / out.scale))
    mr, shift_r = quantize_multiplier(float(fine / np.float32(3 / 32768)))
    m16, mr16 = (min((n + (1 << 15)) >> 16, 32767) for n in (m, mr))
    h = (q - v.zero_point) << 7
    a = (h * m16 + (1 << 14)) >> 15
    r = min((saturated(h << max(shift_r - 1, 0)) * mr16 + (1 << 14)) >> 15, 32767)
    if shift_r > 0:
        r = saturated(2 * r)
    elif shift_r > -16:
        r = shifted(r, -shift_r)
    else:
        r = -1 if r < 0 else 1
    product = a * ((r + (1 << 15)) >> 1)
    truncated = product >> 15 if product >= 0 else -(-product >> 15)
    return max(min(shifted(truncated, -shift) + out.zero_point, 127), -128)


@pytest.mark.parametrize("scale", [1e-7, 0.0001, 0.003, 0.03, 0.1, 0.9, 7.0])
@pytest.mark.parametrize("zero", [-128, -3, 127])
def test_hard_swish_has_its_documented_steps(scale, zero):
    v, out = value(scale=scale, zero=zero), result(scale=scale * 1.1, zero=-20)
    assert activation.hard_swish(v, out).tolist() == [
        documented_hard_swish(q, v, out) for q in range(-128, 128)
    ]


def test_hard_swish_of_floats():
    x = Operand(np.float32([-4, -1, 0, 1, 4]), "float32")
    found = activation.hard_swish_float(x, OutputSpec("float32", ()), {"gate": "divided"})
    assert found.tolist() == [0, np.float32(-2) / np.float32(6), 0, np.float32(4) / np.float32(6), 4]


def test_hard_swish_of_floats_with_a_single_rounding():
    """XNNPACK's output near -3, where a rounding of x / 6 is a large part of x / 6 + 1/2."""
    x, out = Operand(np.float32([-2.99984908, 4, -4]), "float32"), OutputSpec("float32", ())
    fused = activation.hard_swish_float(x, out, {"gate": "fused"})
    assert [v.hex() for v in fused.tolist()] == [
        "-0x1.3c4bee0000000p-14",
        "0x1.0000000000000p+2",
        "-0x0.0p+0",
    ]
    divided = activation.hard_swish_float(x, out, {"gate": "divided"})
    assert abs(divided[0] / fused[0] - 1) > 1e-4
