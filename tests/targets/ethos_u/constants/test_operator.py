"""Computations of compiled operators, derived from streams written by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from litecheck.devices.port import NotDelegated, NotSupported
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.targets.ethos_u.constants.command_stream import OperationCode, Register
from litecheck.targets.ethos_u.constants.operator import compiled_operator
from tests.targets.ethos_u.constants.streams import Settings, compiled, copied, stream

EVERY = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
POOL = (OperationCode.POOLING, 1)
#: Registers before a lookup: no window, equal zero points, a scale of 1, the whole range.
LOOKUP: Settings = {
    Register.IFM_ZERO_POINT: 3,
    Register.OFM_ZERO_POINT: 3,
    Register.ACTIVATION: 16,
    Register.ACTIVATION_LOW: -128,
    Register.ACTIVATION_HIGH: 127,
    Register.OFM_SCALE: (0, 1),
}


def unary(opcode: str, dtype: str = "int8", size: int = 256, between: int = 1) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    ends = [main.tensor(f"t{n}", (1, size), dtype, qparams(0.1)) for n in range(between + 1)]
    for x, y in pairwise(ends):
        main.add(opcode, [x], [y])
    main.inputs(ends[0])
    main.outputs(ends[-1])
    return builder.finish()


def looked_up(table: bytes, settings: Settings | None = None, opcode: str = "TANH") -> Model:
    return compiled(
        stream(copied(0, len(table)), (OperationCode.COPY, 0), {**LOOKUP, **(settings or {})}, POOL), table
    )


def test_a_table_begins_with_the_least_value() -> None:
    table = np.random.default_rng(1).integers(-128, 128, 256).astype(np.int8)
    found = compiled_operator(unary("TANH"), looked_up(table.tobytes()), False)
    np.testing.assert_array_equal(found.compute(EVERY)[0], table)
    assert found.reason == ""


def test_a_table_of_16_bits_interpolates() -> None:
    """Value 1000 and slope 130 between -32768 and -32641: half a step up is 1065."""
    pairs = np.zeros((512, 2), "<i2")
    pairs[0], pairs[511] = (1000, 130), (-7, -128)
    settings: Settings = {
        Register.ACTIVATION_LOW: -32768,
        Register.ACTIVATION_HIGH: 32767,
        Register.IFM_ZERO_POINT: 0,
        Register.OFM_ZERO_POINT: 0,
    }
    found = compiled_operator(unary("EXP", "int16", 5), looked_up(pairs.tobytes(), settings, "EXP"), False)
    x = np.array([[-32768, -32704, -32641, 32640, 32767]], np.int16)
    assert found.compute(x).tolist() == [[1000, 1065, 1129, -7, -134]]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({Register.OFM_SCALE: (0, 3)}, "a lookup table after a rescale"),
        ({Register.OFM_ZERO_POINT: 4}, "a lookup table after a rescale"),
        ({Register.ACTIVATION_HIGH: 100}, "a lookup table after bounds"),
        ({Register.KERNEL_WIDTH: 1}, "pooling with a window"),
        ({Register.ACTIVATION: 3}, "a hardware function"),
    ],
)
def test_tables_with_a_further_rescaling_are_not_covered(settings: Settings, words: str) -> None:
    with pytest.raises(NotSupported, match=words):
        compiled_operator(unary("TANH"), looked_up(bytes(256), settings), False)


def test_a_scale_is_applied_between_the_zero_points_and_clamped() -> None:
    """2 x (q - 3) - 20, between -20 and 100."""
    settings: Settings = {
        Register.IFM_ZERO_POINT: 3,
        Register.OFM_ZERO_POINT: -20,
        Register.ACTIVATION_LOW: -20,
        Register.ACTIVATION_HIGH: 100,
        Register.OFM_SCALE: (29, 1 << 30),
    }
    found = compiled_operator(unary("RELU"), compiled(stream(settings, POOL), b"\0"), False)
    expected = np.clip(2 * (EVERY.astype(int) - 3) - 20, -20, 100)
    np.testing.assert_array_equal(found.compute(EVERY), expected)
    assert found.compute(EVERY).dtype == np.int8


def test_a_function_of_the_hardware_is_not_covered() -> None:
    settings: Settings = {**LOOKUP, Register.ACTIVATION: 4}
    with pytest.raises(NotSupported, match="hardware function"):
        compiled_operator(unary("LOGISTIC"), compiled(stream(settings, POOL), b"\0"), False)


def test_operations_that_differ_are_not_covered() -> None:
    table = looked_up(bytes(256))
    commands = (copied(0, 256), (OperationCode.COPY, 0), LOOKUP, POOL, {Register.IFM_ZERO_POINT: 4}, POOL)
    with pytest.raises(NotSupported, match="2 operations differ in register IFM_ZERO_POINT"):
        compiled_operator(unary("TANH"), compiled(stream(*commands), bytes(256)), False)
    compiled_operator(unary("TANH"), table, False)


def test_elementwise_operations_are_not_covered_and_named() -> None:
    made = compiled(stream(LOOKUP, (OperationCode.ELEMENTWISE, 6)), b"\0")
    with pytest.raises(NotSupported, match=r"\(operations: elementwise\)"):
        compiled_operator(unary("ABS"), made, False)


def test_a_copy_of_elements_is_no_lookup() -> None:
    """A RESHAPE is compiled to the same operation with different strides."""
    with pytest.raises(NotSupported, match="operations: pooling"):
        compiled_operator(unary("RESHAPE"), looked_up(bytes(256)), False)


def test_an_operator_on_the_cpu_is_not_delegated() -> None:
    with pytest.raises(NotDelegated, match="stays on the CPU"):
        compiled_operator(unary("TANH"), unary("TANH"), False)


def test_several_operators_are_not_covered() -> None:
    with pytest.raises(NotSupported, match="2 operators in one model"):
        compiled_operator(unary("TANH", between=2), looked_up(bytes(256)), False)


def record(bias: int, multiplier: int, shift: int) -> bytes:
    return bias.to_bytes(5, "little", signed=True) + multiplier.to_bytes(4, "little") + bytes([shift])


def connected(bias: tuple[int, ...] = (5, -6)) -> Model:
    """Return a FULLY_CONNECTED of two units, with multipliers 1/4 and 1/8 and zero points 2 and -1."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 3), "int8", qparams(0.5, 2))
    w = main.constant("w", np.array([[1, 2, 3], [-4, 5, 6]], np.int8), qparams([0.5, 0.25]))
    b = main.constant("b", np.array(bias, np.int32), qparams([0.25, 0.125]))
    y = main.tensor("y", (1, 2), "int8", qparams(1.0, -1))
    main.add("FULLY_CONNECTED", [x, w, b], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


LAYER: Settings = {
    Register.OFM_DEPTH: 1,
    Register.OFM_ZERO_POINT: -1,
    Register.ACTIVATION_LOW: -128,
    Register.ACTIVATION_HIGH: 127,
}
#: 1/4 and 1/8 as mantissas of 31 bits.
SCALES = record(5, 1 << 30, 32), record(-6, 1 << 30, 33)


def layer(scales: tuple[bytes, ...]) -> Model:
    return compiled(stream(LAYER, (OperationCode.CONVOLUTION, 0)), b"".join(scales))


def test_sums_are_rescaled_as_compiled() -> None:
    """x - 2 = (8, 10, 20): 93 / 4 is 46.5 / 2, rounded twice 24; 132 / 8 is 66 / 4, rounded twice 17."""
    found = compiled_operator(connected(), layer(SCALES), False)
    assert found.reason == ""
    assert found.compute(np.array([[10, 12, 22]], np.int8)).tolist() == [[23, 16]]


def test_a_changed_multiplier_changes_its_channel_and_is_named() -> None:
    found = compiled_operator(connected(), layer((SCALES[0], record(-6, 1 << 30, 32))), False)
    assert found.compute(np.array([[10, 12, 22]], np.int8)).tolist() == [[23, 32]]
    assert found.reason == (
        "1 of 2 channels with a different multiplier, first channel 1: 1073741824 and shift 32, expected 1073741824 and 33"
    )


def test_a_multiplier_that_no_output_shows_to_be_changed_is_named_all_the_same() -> None:
    """The last of 31 bits does not change the output of a sum of 132."""
    x = np.array([[10, 12, 22]], np.int8)
    found = compiled_operator(connected(), layer((SCALES[0], record(-6, (1 << 30) + 1, 33))), False)
    with pytest.raises(
        RuntimeError, match=r"but no output differs: 1 of 2 channels with a different mult.*first channel 1: "
    ):
        found.outputs([x, x + 1])
    shown = compiled_operator(connected(), layer((SCALES[0], record(-6, 1 << 30, 32))), False)
    assert [y.tolist() for y in shown.outputs([x])] == [[[23, 32]]]
    same = compiled_operator(connected(), layer(SCALES), False)
    assert [y.tolist() for y in same.outputs([x])] == [[[23, 16]]]


def test_a_changed_bias_is_named() -> None:
    found = compiled_operator(connected(), layer((record(9, 1 << 30, 32), SCALES[1])), False)
    assert found.reason == "1 of 2 channels with a different bias, first channel 0: 9, expected 5"
    assert found.compute(np.array([[10, 12, 22]], np.int8)).tolist() == [[24, 16]]


def test_bounds_may_follow_in_an_operation_of_their_own() -> None:
    behind: Settings = {
        Register.IFM_ZERO_POINT: -1,
        Register.ACTIVATION_LOW: 17,
        Register.ACTIVATION_HIGH: 20,
        Register.OFM_SCALE: (0, 1),
    }
    commands = (LAYER, (OperationCode.CONVOLUTION, 0), behind, POOL)
    found = compiled_operator(connected(), compiled(stream(*commands), b"".join(SCALES)), False)
    assert found.compute(np.array([[10, 12, 22]], np.int8)).tolist() == [[20, 17]]
    early = (LAYER, POOL, (OperationCode.CONVOLUTION, 0))
    with pytest.raises(NotSupported, match="operations: convolution, pooling"):
        compiled_operator(connected(), compiled(stream(*early), b"".join(SCALES)), False)


def test_sums_beyond_32_bits_are_not_covered() -> None:
    found = compiled_operator(
        connected((2**31 - 1, 0)), layer((record(2**31 - 1, 1 << 30, 32), SCALES[1])), False
    )
    with pytest.raises(NotSupported, match="32-bit accumulator"):
        found.compute(np.array([[10, 12, 22]], np.int8))
