"""Changed constants: factors and sums along an axis, in their order, rounded once each."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model


def model() -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    main.constant("w", np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    main.constant("ids", np.array([1, 2], np.int32))
    main.tensor("x", (2,), "float32")
    return builder.finish()


def change(
    values: list[float], axis: int = 0, tensor: int = 0, subgraph: int = 0, multiplies: bool = True
) -> ConstantChange:
    return ConstantChange(
        subgraph=subgraph, tensor=tensor, axis=axis, values=np.array(values), multiplies=multiplies
    )


def made(*changes: ConstantChange) -> list[list[float]]:
    found = stored_integers(with_edited_weights(model(), changes).subgraphs[0].tensors[0])
    assert found is not None
    return found.tolist()  # type: ignore[no-any-return]


def test_factors_and_sums() -> None:
    assert made(change([10, 100])) == [[10, 20, 30], [400, 500, 600]]
    assert made(change([1, 0, -1], axis=1)) == [[1, 0, -3], [4, 0, -6]]
    assert made(change([1, 2, 3], axis=1, multiplies=False)) == [[2, 4, 6], [5, 7, 9]]


def test_one_change_after_the_other() -> None:
    """(1 + 1) * 10 is not 1 * 10 + 1."""
    add, multiply = change([1, 1], multiplies=False), change([10, 10])
    assert made(add, multiply)[0] == [20, 30, 40]
    assert made(multiply, add)[0] == [11, 21, 31]


def test_other_tensors_stay() -> None:
    before = model()
    assert with_edited_weights(before, ()) is before
    after = with_edited_weights(before, [change([2, 2])])
    assert after.subgraphs[0].tensors[1] is before.subgraphs[0].tensors[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (change([1], tensor=3), "changes tensor 3 of subgraph 0, which there is not"),
        (change([1], tensor=-1), "changes tensor -1 of subgraph 0, which there is not"),
        (change([1], subgraph=1), "changes tensor 0 of subgraph 1, which there is not"),
        (change([1], subgraph=-1), "of subgraph -1, which there is not"),
        (change([1, 2, 3]), "which has not 3 channels of constants"),
        (change([1, 2], axis=2), "which has not 2 channels"),
        (change([1, 2], axis=-1), "which has not 2 channels"),
        (change([1, 2], tensor=1), "which has not 2 channels"),
        (change([1, 2], tensor=2), "which has not 2 channels"),
    ],
)
def test_changes_that_do_not_fit(wrong: ConstantChange, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        with_edited_weights(model(), [wrong])
