"""Groups of places with the same quantization: joined ranges, and storages that exclude each other."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.groups import DEAD, Partition, ScaleGroup, extent_of, join_groups, parameters
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder

A, B, C = (TensorUse(0, n, "input", 0) for n in range(3))
INT8 = QuantSpec("int8")


def group(port: TensorUse, storage: QuantSpec = INT8, low: float = -1.0, high: float = 1.0) -> ScaleGroup:
    return ScaleGroup(frozenset((port,)), storage, {(0, port.operator): (low, high)})


def test_the_range_of_all_members_contains_0() -> None:
    assert group(A, low=0.5, high=2.0).hull == (0.0, 2.0)
    assert group(A, low=-3.0, high=-1.0).hull == (-3.0, 0.0)
    assert ScaleGroup(frozenset(), INT8).hull == (0.0, 0.0)
    both = ScaleGroup(frozenset(), INT8, {(0, 1): (-1.0, 1.0)}, {(0, 2): (-5.0, 0.5)})
    assert both.hull == (-5.0, 1.0)


def test_the_extent_of_a_constant() -> None:
    """Infinities count as the largest finite float32."""
    most = float(np.finfo(np.float32).max)
    builder = ModelBuilder()
    main = builder.subgraph()
    for values in ([-1.5, 2.0], [-np.inf, np.inf], []):
        main.constant("c", np.array(values, np.float32))
    main.tensor("computed", (2,), "float32")
    found = [extent_of(t) for t in builder.finish().subgraphs[0].tensors]
    assert found == [(-1.5, 2.0), (-most, most), (0.0, 0.0), (0.0, 0.0)]


def test_joined_groups() -> None:
    """Members and ranges of both; the zero points that both may have."""
    narrow = QuantSpec("int8", zero_points=(0, 5))
    made = join_groups(group(A, INT8, -1, 2), group(B, narrow, -3, 1))
    assert made is not None
    assert made.ports == {A, B}
    assert made.hull == (-3.0, 2.0)
    assert made.storage.zero_points == (0, 5)
    assert made.bound


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (INT8, QuantSpec("int16", low=-32768, high=32767, zero_points=(0, 0))),
        (QuantSpec("int8", zero_points=(0, 0)), QuantSpec("int8", zero_points=(3, 5))),
        (QuantSpec("int8", scale=0.5), QuantSpec("int8", scale=0.25)),
    ],
    ids=["type", "zero points", "scales"],
)
def test_storages_that_exclude_each_other(one: QuantSpec, other: QuantSpec) -> None:
    assert join_groups(group(A, one), group(B, other)) is None
    partition = Partition()
    partition.add(group(A, one))
    partition.add(group(B, other))
    with pytest.raises(
        ConfigError, match=r"no scale and zero point keep these rules together: .*\(a reason\)"
    ):
        partition.join(A, B, "a reason")


def test_a_partition() -> None:
    partition = Partition()
    for port in (A, B, C):
        partition.add(group(port))
    partition.join(A, B, "")
    assert partition[A] is partition[B]
    assert partition[A] is not partition[C]
    assert sorted(len(g.ports) for g in partition) == [1, 2]
    before = partition[A]
    partition.join(B, A, "")
    assert partition[A] is before
    assert A in partition
    assert TensorUse(9, 9, "input", 0) not in partition
    partition.replace(before, group(A))
    assert len({id(partition[p]) for p in (A, B)}) == 1


@pytest.mark.parametrize(
    ("storage", "hull", "scale", "zero"),
    [
        # -1..1 in 255 steps; the zero point is the integer nearest to -128 + 127.5.
        (INT8, (-1.0, 1.0), 2 / 255, (-1, 0)),
        (INT8, (0.0, 2.55), 0.01, (-128, -128)),
        (INT8, (-2.55, 0.0), 0.01, (127, 127)),
        (QuantSpec("int16", low=-32768, high=32767, zero_points=(0, 0)), (-1.0, 0.5), 1 / 32767, (0, 0)),
        (QuantSpec("int8", scale=1 / 256, zero_points=(-128, -128)), (0.0, 1.0), 1 / 256, (-128, -128)),
        (INT8, (0.0, 0.0), DEAD, (-128, 127)),
    ],
)
def test_parameters(
    storage: QuantSpec, hull: tuple[float, float], scale: float, zero: tuple[int, int]
) -> None:
    found = parameters(group(A, storage, *hull))
    assert float(found[0]) == pytest.approx(scale, rel=1e-4)
    assert zero[0] <= int(found[1]) <= zero[1]


def test_a_fixed_scale_holds_the_range_up_to_a_step() -> None:
    """1/256 from -128 reaches 255/256: 1.0 still fits, 1.1 does not."""
    fixed = QuantSpec("int8", scale=1 / 256, zero_points=(-128, -128))
    for first, second in ((0, 1), (1, 0)):
        pair = [(fixed, 0.0, 1.0), (INT8, 0.0, 1.0)]
        made = join_groups(*(group(p, *pair[n]) for p, n in ((A, first), (B, second))))
        assert made is not None
        assert made.storage.scale == 1 / 256
    assert join_groups(group(A, fixed, 0.0, 1.0), group(B, INT8, 0.0, 1.1)) is None
    assert join_groups(group(A, fixed, 0.0, 1.0), group(B, INT8, -0.1, 1.0)) is None
    partition = Partition()
    partition.add(group(A, fixed, 0.0, 1.0))
    partition.add(group(B, INT8, -2.0, 1.5))
    with pytest.raises(ConfigError, match=r"a fixed scale, and values of -2\.\.1\.5 \(because\)"):
        partition.join(A, B, "because")


def test_widened_ranges() -> None:
    """A factor of 2 doubles the scale; a fixed scale stays."""
    plain, wide = (parameters(group(A), factor)[0] for factor in (1.0, 2.0))
    assert wide == pytest.approx(2 * plain)
    assert parameters(ScaleGroup(frozenset(), INT8), 2.0) == (2 * DEAD, 0)
    fixed = group(A, QuantSpec("int8", scale=0.5, zero_points=(-7, -7)))
    assert parameters(fixed, 2.0) == (0.5, -7)
    assert parameters(ScaleGroup(frozenset(), QuantSpec("int8", zero_points=(3, 9))))[1] == 3


def test_scales_around_a_given_zero_point() -> None:
    """From -128 an int8 has 255 steps above and none below; around 0 the ends are -127 and 127."""
    low = group(A, QuantSpec("int8", zero_points=(-128, -128)), 0.0, 2.55)
    assert parameters(low) == (pytest.approx(0.01), -128)
    middle = group(A, QuantSpec("int8", zero_points=(0, 0)), -2.54, 1.0)
    assert parameters(middle) == (pytest.approx(0.02), 0)
    upper = group(A, QuantSpec("int8", zero_points=(28, 28)), -1.56, 9.9)
    assert parameters(upper) == (pytest.approx(0.1), 28)
    tiny = group(A, QuantSpec("int8", zero_points=(0, 0)), 0.0, 1e-44)
    assert parameters(tiny) == (1.0, 0)


def test_powers_of_two() -> None:
    cell = QuantSpec("int16", low=-32768, high=32767, zero_points=(0, 0), power=2)
    assert (
        join_groups(group(A, cell), group(B, QuantSpec("int16", low=-32768, high=32767, zero_points=(0, 0))))
        is None
    )
    scale, zero = parameters(group(A, cell, -3.0, 1.0))
    assert (np.log2(scale) % 1, zero) == (0, 0)
    assert 3.0 / 32768 <= scale < 8 * 3.0 / 32768
