"""Per-axis and blocked quantization equal per-tensor quantization of each slice; block sizes; empty and large tensors."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from litecheck.quantizer.onnx import dequantize_linear, quantize_linear
from litecheck.quantizer.tiles import TILE
from litecheck.quantizer.types import QuantizerError

F = np.float32


def blocks(shape, axis, size, rng):
    scale_shape = tuple(-(-d // size) if i == axis else d for i, d in enumerate(shape))
    return rng.uniform(0.01, 0.2, scale_shape).astype(F), rng.integers(-20, 20, scale_shape).astype(np.int8)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 100])
def test_blocks_equal_their_elements_quantized_alone(axis, size):
    """Blocked quantization, with an uneven last block, equals per-tensor quantization of each block, in both directions."""
    rng = np.random.default_rng(size)
    x = rng.normal(0, 5, (4, 7, 3)).astype(F)
    where = axis % 3
    scale, zero_point = blocks(x.shape, where, size, rng)
    y = quantize_linear(x, scale, zero_point, axis=axis, block_size=size)
    back = dequantize_linear(y, scale, zero_point, axis=axis, block_size=size)
    for index in np.ndindex(x.shape):
        slot = tuple(i // size if d == where else i for d, i in enumerate(index))
        pair = scale[slot].reshape(()), zero_point[slot].reshape(())
        assert y[index] == quantize_linear(x[index].reshape(()), *pair)
        assert back[index] == dequantize_linear(y[index].reshape(()), *pair)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_per_axis_is_per_tensor_slice_by_slice(axis):
    rng = np.random.default_rng(7)
    x = rng.normal(0, 5, (4, 7, 3)).astype(F)
    scale = rng.uniform(0.01, 0.2, x.shape[axis]).astype(F)
    zero_point = rng.integers(0, 255, x.shape[axis]).astype(np.uint8)
    y = quantize_linear(x, scale, zero_point, axis=axis)
    back = dequantize_linear(y, scale, zero_point, axis=axis)
    for i in range(x.shape[axis]):
        pair = scale[i].reshape(()), zero_point[i].reshape(())
        assert np.array_equal(y.take(i, axis), quantize_linear(x.take(i, axis), *pair))
        assert np.array_equal(back.take(i, axis), dequantize_linear(y.take(i, axis), *pair))


def test_accepted_block_sizes_are_the_documents_range():
    """Accepted are sizes in [ceil(Di/Si), ceil(Di/(Si-1))-1], without an upper end for a single block."""
    for length in range(1, 13):
        for count in range(1, 13):
            scale = np.ones((2, count), F)
            least = -(-length // count)
            most = 99 if count == 1 else -(-length // (count - 1)) - 1
            for size in range(1, 20):
                accepted = True
                try:
                    quantize_linear(np.zeros((2, length), F), scale, block_size=size)
                except QuantizerError as error:
                    accepted = error.argument != "block_size"
                assert accepted == (least <= size <= most), (length, count, size)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), ()])
def test_tensors_without_elements_or_dimensions(shape):
    y = quantize_linear(np.full(shape, 2.5, F), np.ones((), F))
    assert y.shape == shape
    assert np.all(y == 2)


def test_larger_than_a_tile_in_little_memory():
    """Every tile equals its separate output, and the extra memory does not grow with the tensor."""
    rng = np.random.default_rng(9)
    x = rng.normal(0, 5, (17, TILE // 4 + 3)).astype(F)
    scale, zero_point = rng.uniform(0.01, 0.1, 17).astype(F), rng.integers(-9, 9, 17).astype(np.int8)
    tracemalloc.start()
    y = quantize_linear(x, scale, zero_point, axis=0)
    extra = tracemalloc.get_traced_memory()[1] - y.nbytes
    tracemalloc.stop()
    assert extra < 8 * 4 * TILE < 2 * x.nbytes
    for row in range(17):
        pair = scale[row].reshape(()), zero_point[row].reshape(())
        assert np.array_equal(y[row], quantize_linear(x[row], *pair))
    assert np.array_equal(quantize_linear(x.T, scale, zero_point), y.T)
