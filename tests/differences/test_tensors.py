"""Changes of a tensor in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.differences.tensors import follows_scale, relative_change, tensor_changes
from litecheck.model.stored_values import bytes_of
from litecheck.model.types import Tensor
from litecheck.quantization import Blockwise, Custom, Quantization


def constant(values: list[int], scale: list[float], dtype: str = "int8") -> Tensor:
    array = np.array(values, dtype).reshape(2, -1)
    q = Quantization(np.float32(scale), np.zeros(len(scale), np.int64), 0)
    return Tensor(0, "t", dtype, array.shape, data=bytes_of(array.reshape(-1)), quantization=q)


OLD = constant([1, 2, 3, 4], [0.5, 0.25])


@pytest.mark.parametrize(
    ("new", "kind", "words"),
    [
        (constant([1, 2, 3, 6], [0.5, 0.25]), "constant", "1 of 4 values, at most 2 LSB; real values 29.8 % (rms)"),
        (constant([1, 2, 3, 4], [0.5, 0.5]), "scale", "x 2, channel 1, 1 of 2 channels"),
        (constant([1, 2, 3, 4], [0.5, np.nextafter(np.float32(0.25), 1)]), "scale", "1 ULP, channel 1, 1 of 2 channels"),
        (constant([1, 2, 3, 4], [0.5]), "granularity", ""),
        (replace(OLD, quantization=replace(OLD.quantization, axis=1)), "axis", ""),
        (replace(OLD, quantization=replace(OLD.quantization, zero_point=np.array([0, 3]))), "zero-point",
         "channel 1, 1 of 2 channels"),
        (replace(OLD, data=None), "constancy", ""),
        (replace(OLD, is_variable=True), "variable", ""),
        (replace(OLD, shape_signature=(-1, 2)), "shape", ""),
        (replace(OLD, quantization=replace(OLD.quantization, details=Custom(b"x"))), "block-quantization", ""),
    ],
)  # fmt: skip
def test_changes(new: Tensor, kind: str, words: str) -> None:
    (change,) = tensor_changes(OLD, new)
    assert (change.kind, change.text) == (kind, words)


def test_a_few_integers_without_a_scale_are_listed() -> None:
    """Paddings of a row above and of a row below."""
    (change,) = tensor_changes(constant([0, 0, 1, 0], [], "int32"), constant([0, 0, 0, 1], [], "int32"))
    assert (change.kind, change.before, change.after) == ("constant", "[[0, 0], [1, 0]]", "[[0, 0], [0, 1]]")
    assert (change.changed, change.elements) == (2, 4)


def test_the_same_is_no_change() -> None:
    assert list(tensor_changes(OLD, constant([1, 2, 3, 4], [0.5, 0.25]))) == []


def test_blocks_are_compared_without_the_number_of_their_tensor() -> None:
    one, other = (replace(OLD, quantization=Quantization(details=Blockwise(n, -1, 32))) for n in (4, 7))
    assert list(tensor_changes(one, other)) == []
    third = replace(OLD, quantization=Quantization(details=Blockwise(4, -1, 64)))
    assert [c.kind for c in tensor_changes(one, third)] == ["block-quantization"]


def test_relative_change() -> None:
    assert relative_change(OLD, OLD) == 0
    assert relative_change(OLD, constant([2, 4, 6, 8], [0.5, 0.25])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("values", "follows"), [([2, 4, 6, 8], True), ([2, 4, 6, 11], False), ([2, 4, 6, 10], True)]
)
def test_integers_follow_a_scale_in_both_orders(values: list[int], follows: bool) -> None:
    new = constant(values, [0.25, 0.125])
    assert follows_scale(OLD, new) is follows_scale(new, OLD) is follows


def test_integers_of_another_scale_have_no_difference_in_lsb() -> None:
    scale, values = tensor_changes(OLD, constant([4, 4, 6, 8], [0.25, 0.125]))
    assert (scale.kind, values.kind) == ("scale", "constant")
    assert values.text.startswith("4 of 4 values, scale changed; real values ")


@pytest.mark.parametrize(("value", "follows"), [(4, True), (9, False)])
def test_a_scalar_follows_its_scale(value: int, follows: bool) -> None:
    old, new = scalar(2, 0.5), scalar(value, 0.25)
    assert follows_scale(old, new) is follows


def scalar(value: int, scale: float) -> Tensor:
    """Return a constant without dimensions."""
    q = Quantization(np.float32([scale]), np.zeros(1, np.int64), 0)
    return Tensor(0, "t", "int8", (), data=bytes_of(np.int8(value)), quantization=q)
