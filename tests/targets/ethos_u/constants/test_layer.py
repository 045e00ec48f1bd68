from __future__ import annotations

import numpy as np
import pytest

from litecheck.devices.port import NotSupported
from litecheck.targets.ethos_u.constants.command_stream import (
    NpuOperation,
    OperationCode,
    Register,
    operations,
)
from litecheck.targets.ethos_u.constants.layer import (
    ChannelConstants,
    channel_constants,
    differences,
    expected_multipliers,
    rescale_sums,
    rounding,
)
from tests.targets.ethos_u.constants.streams import copied, stream

#: The same channel as Vela 5.2 packs it: bias 1309, and the multiplier of 31 or of 15 bits with its shift.
U55, U85, U85_WIDE = "1d0500000080b1914c26", "1d05000080b1914c2600", "1d0500000000924c1600"
REAL = np.array([0.0046734, 0.0048557, 0.25])


def operation(
    *settings: dict[Register, int | tuple[int, int]], constants: bytes = b"", depth: int = 1
) -> NpuOperation:
    own = {Register.OFM_DEPTH: depth - 1}
    return next(operations(stream(own, *settings, (OperationCode.CONVOLUTION, 0)), constants))


@pytest.mark.parametrize(
    ("record", "u85", "accumulator", "multiplier", "shift"),
    [(U55, False, 0, 1284616576, 38), (U85, True, 0x300, 1284616576, 38), (U85_WIDE, True, 0x301, 19602, 22)],
)
def test_a_channel_is_unpacked(record: str, u85: bool, accumulator: int, multiplier: int, shift: int) -> None:
    data = bytes.fromhex(record)
    found = channel_constants([operation({Register.ACCUMULATOR: accumulator}, constants=data)], 1, u85)
    assert (found.bias.tolist(), found.multiplier.tolist()) == ([1309], [multiplier])
    assert found.shift.tolist() == [shift]


def test_a_bias_has_a_sign() -> None:
    data = (-559).to_bytes(5, "little", signed=True) + bytes(5)
    assert channel_constants([operation(constants=data)], 1, False).bias.tolist() == [-559]


def test_channels_of_several_operations_are_joined_and_stripes_count_once() -> None:
    data = b"".join(bytes([n, *bytes(8), n]) for n in range(1, 5))
    first = operation({Register.SCALE_BASE: (0, 0)}, constants=data, depth=2)
    second = operation({Register.SCALE_BASE: (0, 20)}, constants=data, depth=2)
    assert channel_constants([first, first, second], 4, False).bias.tolist() == [1, 2, 3, 4]
    with pytest.raises(NotSupported, match="scales of 2 channels for 4"):
        channel_constants([first, first], 4, False)


def test_channels_that_are_copied_anew_for_each_image_count_once() -> None:
    records = [bytes([n, *bytes(8), n]) for n in (1, 2)]
    again = [operation({Register.SCALE_BASE: (0, 0)}, constants=b"".join(records), depth=2)]
    again += [operation({Register.SCALE_BASE: (0, 1)}, constants=b"\0" + b"".join(records), depth=2)]
    assert channel_constants(again, 2, False).bias.tolist() == [1, 2]
    other = [again[0], operation({Register.SCALE_BASE: (0, 0)}, constants=b"".join(records[::-1]), depth=2)]
    with pytest.raises(NotSupported, match="scales of 4 channels for 2"):
        channel_constants(other, 2, False)


def test_scales_are_found_behind_a_copy_and_else_not() -> None:
    data = bytes(16) + bytes.fromhex(U55)
    place = {Register.SCALE_REGION: 1, Register.SCALE_BASE: (0, 0x40), Register.OFM_DEPTH: 0}
    commands = (copied(16, 10, 1, 0x40), (OperationCode.COPY, 0), place, (OperationCode.CONVOLUTION, 0))
    assert channel_constants(list(operations(stream(*commands), data)), 1, False).bias.tolist() == [1309]
    with pytest.raises(NotSupported, match="are not among"):
        channel_constants(list(operations(stream(*commands[2:]), data)), 1, False)


def test_two_cores_are_not_covered() -> None:
    with pytest.raises(NotSupported, match="two cores"):
        channel_constants([operation({Register.SECOND_SCALE_LENGTH: (0, 16)})], 1, False)


@pytest.mark.parametrize(
    ("u85", "settings", "mode"),
    [
        (False, {Register.OFM_PRECISION: 0x0001}, "double"),
        (False, {Register.OFM_PRECISION: 0x8003}, "natural"),
        (True, {Register.OFM_SCALE: (0x0026, 1)}, "double"),
        (True, {Register.OFM_SCALE: (0x2016, 1)}, "natural"),
    ],
)
def test_the_rounding_is_read(u85: bool, settings: dict[Register, int | tuple[int, int]], mode: str) -> None:
    assert rounding(operation(settings), u85) == mode


def test_an_unknown_rounding_is_not_covered() -> None:
    with pytest.raises(NotSupported, match="mode 1"):
        rounding(operation({Register.OFM_PRECISION: 0x4001}), False)


def test_rounding_once_and_twice_differ_where_both_meet_ties() -> None:
    """-12 x 0.125 is -1.5: half up gives -1, gemmlowp's second rounding goes away from zero."""
    sums, m, shift = np.array([-12, -4, 12]), np.array([1 << 30] * 3), np.array([33] * 3)
    assert rescale_sums(sums, m, shift, "natural").tolist() == [-1, 0, 2]
    assert rescale_sums(sums, m, shift, "double").tolist() == [-2, -1, 2]


def test_a_scale_of_one_changes_no_sum() -> None:
    sums = np.array([-70000, 0, 12345])
    for mode in ("double", "natural"):
        np.testing.assert_array_equal(rescale_sums(sums, np.array(1), np.array(0), mode), sums)


def found(way: int = 0, **changes: dict[int, int]) -> tuple[ChannelConstants, np.ndarray]:
    """Return the expected constants with ``changes`` by channel, and the model's bias."""
    bias, ways = np.array([10, 20, 30]), expected_multipliers(REAL, REAL * (1 + 1e-8), False, False)
    made = {"bias": bias.copy(), "multiplier": ways[way].multiplier.copy(), "shift": ways[way].shift.copy()}
    for name, values in changes.items():
        for channel, value in values.items():
            made[name][channel] += value
    return ChannelConstants(**made), bias


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"multiplier": {1: 1}}, ["1 of 3 channels with a different multiplier, first channel 1: "]),
        ({"shift": {2: -1, 0: 1}}, ["2 of 3 channels with a different multiplier, first channel 0: "]),
        ({"bias": {2: 7}}, ["1 of 3 channels with a different bias, first channel 2: 37, expected 30"]),
        ({"bias": {0: 1}, "multiplier": {0: 1}}, ["1 of 3 channels with a different m", "1 of 3 channels with a dif"]),
    ],
)  # fmt: skip
def test_different_constants_are_named_with_their_channel(
    changes: dict[str, dict[int, int]], words: list[str]
) -> None:
    constants, bias = found(**changes)
    message = list(differences(constants, bias, expected_multipliers(REAL, REAL * (1 + 1e-8), False, False)))
    assert len(message) == len(words)
    assert all(part.startswith(start) for part, start in zip(message, words, strict=True))


def test_another_variant_of_multipliers_is_named() -> None:
    ways = expected_multipliers(REAL, REAL * (1 + 1e-8), False, False)
    assert ways[0].description == "31 bits of a float64 product of the scales"
    number = next(n for n, way in enumerate(ways) if way.description.startswith("31 bits of a float32"))
    constants, bias = found(way=number)
    assert list(differences(constants, bias, ways)) == [
        "multipliers are 31 bits of a float32 product of the scales, LiteRT's 31 bits of a float64 product of the scales"
    ]


@pytest.mark.parametrize(("narrow", "wide"), [(False, False), (True, False), (False, True), (True, True)])
def test_the_variant_of_litert_comes_first(narrow: bool, wide: bool) -> None:
    own = expected_multipliers(REAL, REAL, narrow, wide)[0].description
    product, bits = "float32" if narrow else "float64", 15 if wide else 31
    assert own == f"{bits} bits of a {product} product of the scales"
