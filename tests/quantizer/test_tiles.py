from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.quantizer import tiles


def scaled(x: Any, factor: Any, out: NDArray[Any], spare: NDArray[Any]) -> None:
    np.multiply(x, factor, out=spare)
    out[...] = spare


@pytest.mark.parametrize("tile", [1, 2, 7, 64, 1 << 18])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 3, 5), (1, 7, 1), (0, 3), (3, 0)])
def test_every_element_is_written_once_for_every_tile_length(shape: tuple[int, ...], tile: int) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    out = np.full(shape, -1, np.float32)
    tiles.run(scaled, [x, np.array(3, np.float32)], out, [np.float32], tile=tile)
    np.testing.assert_array_equal(out, x * 3)


@pytest.mark.parametrize("factor_shape", [(3, 1, 1), (1, 4, 1), (1, 1, 5), (3, 4, 5), (1, 1, 1), (5,), ()])
def test_inputs_broadcast_against_the_result(factor_shape: tuple[int, ...]) -> None:
    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    factor = np.arange(1, 1 + np.prod(factor_shape, dtype=int), dtype=np.float32).reshape(factor_shape)
    out = np.empty(x.shape, np.float32)
    tiles.run(scaled, [x, factor], out, [np.float32], tile=8)
    np.testing.assert_array_equal(out, x * factor)


@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_arrays_keep_their_order(order: str) -> None:
    x = np.asarray(np.arange(240, dtype=np.float32).reshape(6, 8, 5), order=order)  # type: ignore[call-overload]
    whole = np.zeros((6, 8, 5), np.float32)
    tiles.run(scaled, [x[::2, 1:, ::-1], np.array(2, np.float32)], whole[1::2, :7], [np.float32], tile=11)
    np.testing.assert_array_equal(whole[1::2, :7], x[::2, 1:, ::-1] * 2)
    assert not whole[::2].any()
    assert not whole[:, 7].any()


def test_tiles_and_scratch_have_at_most_the_requested_length() -> None:
    lengths = []

    def kernel(x: NDArray[Any], out: NDArray[Any], narrow: NDArray[Any], wide: NDArray[Any]) -> None:
        assert narrow.dtype == np.int8
        assert wide.dtype == np.float64
        lengths.append({len(x), len(out), len(narrow), len(wide)})
        out[...] = x

    x = np.arange(1000, dtype=np.float32)
    tiles.run(kernel, [x], np.empty_like(x), [np.int8, np.float64], tile=300)
    assert lengths == [{300}, {300}, {300}, {100}]


def test_scratch_is_allocated_once() -> None:
    seen = set()

    def kernel(x: Any, out: NDArray[Any], spare: NDArray[Any]) -> None:
        seen.add(spare.ctypes.data)
        out[...] = x

    tiles.run(kernel, [np.zeros(100, np.float32)], np.empty(100, np.float32), [np.float32], tile=10)
    assert len(seen) == 1


def test_shapes_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        tiles.run(
            scaled, [np.zeros(4, np.float32), np.zeros(3, np.float32)], np.empty(4, np.float32), [np.float32]
        )
