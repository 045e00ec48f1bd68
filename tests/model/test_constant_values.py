"""Real values of constants, whole and sampled."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.constant_values import constant_sample, constant_values
from litecheck.model.stored_values import bytes_of
from litecheck.model.types import Tensor
from litecheck.quantization import Blockwise, Quantization


def tensor(
    values: list[list[int]], scale: list[float], zero: list[int], axis: int = 0, dtype: str = "int8"
) -> Tensor:
    array = np.array(values, dtype)
    q = Quantization(np.float32(scale), np.array(zero, np.int64), axis)
    return Tensor(0, "t", dtype, array.shape, data=bytes_of(array.reshape(-1)), quantization=q)


@pytest.mark.parametrize(
    ("one", "real"),
    [
        (tensor([[3, -5]], [0.5], [1]), [[1.0, -3.0]]),
        (tensor([[1, 2], [3, 4]], [0.5, 2.0], [0, 0]), [[0.5, 1.0], [6.0, 8.0]]),
        (tensor([[1, 2], [3, 4]], [0.5, 2.0], [0, 1], axis=1), [[0.5, 2.0], [1.5, 6.0]]),
        (tensor([[7, 8]], [], [], dtype="int32"), [[7.0, 8.0]]),
    ],
)
def test_values_and_samples(one: Tensor, real: list[list[float]]) -> None:
    found, sample = constant_values(one), constant_sample(one, 100)
    assert found is not None
    assert sample is not None
    assert found.tolist() == real
    assert sample.tolist() == np.reshape(real, -1).tolist()


@pytest.mark.parametrize(
    "q",
    [
        Quantization(np.float32([1, 2, 3]), np.zeros(3, np.int64), 0),
        Quantization(np.float32([1, 2]), np.zeros(2, np.int64), 4),
        Quantization(details=Blockwise(1, -1, 2)),
    ],
    ids=["3 scales for 2 rows", "no such axis", "blocks"],
)
def test_unknown_values(q: Quantization) -> None:
    one = Tensor(0, "t", "int8", (2, 2), data=np.zeros(4, np.uint8), quantization=q)
    assert constant_values(one) is None
    assert constant_sample(one, 9) is None


def test_a_sample_is_evenly_spaced() -> None:
    sample = constant_sample(tensor([list(range(100))], [1.0], [0]), 4)
    assert sample is not None
    assert sample.tolist() == [0, 25, 50, 75]
