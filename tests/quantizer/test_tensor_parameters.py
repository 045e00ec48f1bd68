from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Subgraph, Tensor
from litecheck.quantization import Blockwise, Custom, Details, MultiAxis, Quantization
from litecheck.quantizer import litert
from litecheck.quantizer.tensor_parameters import stated_parameters
from litecheck.quantizer.types import Parameters, QuantizerError

SHAPE = (4, 6)


def tensor(
    quantization: Quantization, *constants: NDArray[Any], shape: tuple[int, ...] = SHAPE
) -> tuple[Tensor, Subgraph]:
    """Return tensor 0 with these parameters; the constants are tensors 1, 2, ..."""
    builder = ModelBuilder()
    main = builder.subgraph()
    main.tensor("t", shape, "int4", quantization)
    for i, values in enumerate(constants):
        main.constant(f"c{i}", values)
    subgraph = builder.finish().subgraphs[0]
    return subgraph.tensors[0], subgraph


def spread(details: Details, *constants: NDArray[Any], shape: tuple[int, ...] = SHAPE) -> NDArray[Any]:
    """Return the scale of every element."""
    parameters = stated_parameters(*tensor(Quantization(details=details), *constants, shape=shape))
    return np.broadcast_to(parameters.broadcast_to(shape)[0], shape)


def numbered(*shape: int) -> NDArray[np.float32]:
    return np.arange(1, 1 + np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def test_affine_parameters_are_unchanged() -> None:
    one = stated_parameters(*tensor(qparams(0.5, 3)))
    assert (one.scale.tolist(), one.axis) == ([0.5], None)
    assert one.zero_point is not None
    assert one.zero_point.tolist() == [3]
    many = stated_parameters(*tensor(qparams([1, 2, 3, 4, 5, 6], 0, 1)))
    assert (many.scale.tolist(), many.axis) == ([1, 2, 3, 4, 5, 6], 1)


def test_one_zero_point_or_none_serves_all_scales() -> None:
    scale = np.array([1, 2, 3, 4], np.float32)
    shared = stated_parameters(*tensor(Quantization(scale, np.array([7]))))
    assert shared.zero_point is not None
    assert shared.zero_point.tolist() == [7, 7, 7, 7]
    assert stated_parameters(*tensor(Quantization(scale))).zero_point is None


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_blocks_of_the_last_dimension(dtype: Any) -> None:
    scale = numbered(4, 3).astype(dtype)
    np.testing.assert_array_equal(spread(Blockwise(1, -1, 2), scale), np.repeat(numbered(4, 3), 2, 1))


def test_uneven_blocks() -> None:
    np.testing.assert_array_equal(
        spread(Blockwise(1, -1, 4), numbered(4, 2)), np.repeat(numbered(4, 2), 4, 1)[:, :6]
    )


def test_blocks_of_several_dimensions() -> None:
    expected = np.repeat(np.repeat(numbered(2, 2), 3, 0)[:4], 4, 1)[:, :6]
    np.testing.assert_array_equal(spread(Blockwise(1, -1, 0, (3, 4)), numbered(2, 2)), expected)


@pytest.mark.parametrize("shape", [(1, 3), (3,), (4, 1), (1,), ()])
def test_scales_are_repeated_where_they_have_length_one(shape: tuple[int, ...]) -> None:
    scale = numbered(*shape)
    expected = np.repeat(np.broadcast_to(scale, (4, 3)), 2, 1)
    np.testing.assert_array_equal(spread(Blockwise(1, -1, 2), scale), expected)


def test_zero_points_may_be_in_a_tensor() -> None:
    zeros = np.arange(12, dtype=np.int8).reshape(4, 3) - 5
    parameters = stated_parameters(*tensor(Quantization(details=Blockwise(1, 2, 2)), numbered(4, 3), zeros))
    _, zero = parameters.broadcast_to(SHAPE)
    np.testing.assert_array_equal(zero, np.repeat(zeros, 2, 1))


def test_bfloat16_scales() -> None:
    t, subgraph = tensor(Quantization(details=Blockwise(1, -1, 2)), numbered(4, 3))
    upper = (numbered(4, 3).view(np.uint32) >> 16).astype("<u2")
    packed = Tensor(1, "s", "bfloat16", (4, 3), data=np.frombuffer(upper.tobytes(), np.uint8))
    made = stated_parameters(t, Subgraph(0, "", (t, packed), (), (), ()))
    np.testing.assert_array_equal(made.scale, numbered(4, 3))
    assert len(subgraph.tensors) == 2


@pytest.mark.parametrize("keep", [True, False])
def test_multi_axis_per_element_of_the_axes(keep: bool) -> None:
    shape = (2, 3, 4)
    scale = numbered(2, 1, 4) if keep else numbered(2, 4)
    np.testing.assert_array_equal(
        spread(MultiAxis(1, -1, 0, (0, 2)), scale, shape=shape), np.broadcast_to(numbered(2, 1, 4), shape)
    )


def test_multi_axis_in_descending_order() -> None:
    scale = numbered(4, 2)
    np.testing.assert_array_equal(
        spread(MultiAxis(1, -1, 0, (2, 0)), scale, shape=(2, 3, 4)),
        np.broadcast_to(scale.T[:, None, :], (2, 3, 4)),
    )


def test_multi_axis_without_the_last_dimension() -> None:
    np.testing.assert_array_equal(
        spread(MultiAxis(1, -1, 0, (0, 1)), numbered(2, 3), shape=(2, 3, 4)),
        np.broadcast_to(numbered(2, 3, 1), (2, 3, 4)),
    )


def test_multi_axis_blocks_are_along_the_last_named_axis() -> None:
    np.testing.assert_array_equal(
        spread(MultiAxis(1, -1, 2, (0, 1)), numbered(4, 3)), np.repeat(numbered(4, 3), 2, 1)
    )


def test_stated_parameters_quantize_values() -> None:
    x = np.random.default_rng(0).normal(0, 3, (2, 3, 4)).astype(np.float32)
    scale = np.random.default_rng(1).uniform(0.1, 1, (2, 4)).astype(np.float32)
    t, subgraph = tensor(Quantization(details=MultiAxis(1, -1, 0, (0, 2))), scale, shape=x.shape)
    parameters = stated_parameters(t, subgraph)
    made = litert.quantize(x, parameters, "int4")
    for index in np.ndindex(*x.shape):
        one = Parameters(scale[index[0], index[2]].reshape(1))
        assert made[index] == litert.quantize(x[index].reshape(1), one, "int4")
    assert np.abs(litert.dequantize(made, parameters)).max() > 0


@pytest.mark.parametrize(
    ("quantization", "constants", "message"),
    [
        (Quantization(), (), "not stated"),
        (Quantization(details=Custom(b"x")), (), "maker"),
        (Quantization(numbered(2)), (), "2 scales"),
        (qparams([1, 2, 3, 4], axis=5), (), "dimension 5"),
        (Quantization(numbered(4), np.array([1, 2])), (), "2 zero points"),
        (Quantization(details=Blockwise(1, -1, 0)), (numbered(4, 3),), "blocks"),
        (Quantization(details=Blockwise(1, -1, 0, (2,))), (numbered(4, 3),), "blocks"),
        (Quantization(details=Blockwise(1, -1, 3)), (numbered(4, 3),), "grid"),
        (Quantization(details=Blockwise(2, -1, 2)), (numbered(4, 3),), "does not exist"),
        (Quantization(details=Blockwise(0, -1, 2)), (numbered(4, 3),), "no readable values"),
        (Quantization(details=MultiAxis(1, -1, 0, ())), (numbered(4, 3),), "axes"),
        (Quantization(details=MultiAxis(1, -1, 0, (0, 2))), (numbered(4, 3),), "axes"),
        (Quantization(details=MultiAxis(1, -1, 0, (0, 1))), (numbered(6, 4),), "grid"),
    ],
)
def test_invalid_parameters_are_rejected(
    quantization: Quantization, constants: tuple[NDArray[Any], ...], message: str
) -> None:
    with pytest.raises(QuantizerError, match=message):
        stated_parameters(*tensor(quantization, *constants))
