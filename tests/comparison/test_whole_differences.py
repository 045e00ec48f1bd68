"""Differences with planted patterns, in words: location, values and range of the differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

from litecheck.arrays import Array
from litecheck.comparison.difference import difference
from litecheck.comparison.wording import gathering_sentence
from litecheck.model.build import ModelBuilder, qparams

Where = Callable[[tuple[Array, ...], Array], Array]
#: Patterns by name: a mask from the index of each dimension and the expected values.
PATTERNS: dict[str, Where] = {
    "nothing": lambda at, values: values != values,
    "everything": lambda at, values: values == values,
    "one element": lambda at, values: (at[-1] == 2) & (at[0] == 0) & (at[-2] == 1) & (values == values),
    "first channel": lambda at, values: at[-1] == 0,
    "channels 5 and 9": lambda at, values: (at[-1] == 5) | (at[-1] == 9),
    "channels from 16": lambda at, values: at[-1] >= 16,
    "channels 4 to 7": lambda at, values: (at[-1] >= 4) & (at[-1] <= 7),
    "last channels of 8": lambda at, values: at[-1] >= 16,
    "every fourth channel": lambda at, values: at[-1] % 4 == 3,
    "every second column": lambda at, values: at[-2] % 2 == 1,
    "last row": lambda at, values: at[-3] == at[-3].max(),
    "border": lambda at, values: (
        (at[-2] == 0) | (at[-3] == 0) | (at[-2] == at[-2].max()) | (at[-3] == at[-3].max())
    ),
    "inside": lambda at, values: (
        (at[-2] > 0) & (at[-3] > 0) & (at[-2] < at[-2].max()) & (at[-3] < at[-3].max())
    ),
    "second image": lambda at, values: at[0] == 1,
    "a row of a channel": lambda at, values: (at[-3] == 2) & (at[-1] == 7),
    "negative": lambda at, values: values < 0,
    "above 100": lambda at, values: values > 100,
    "smallest": lambda at, values: values == -128,
    "largest": lambda at, values: values == 127,
    "even": lambda at, values: values % 2 == 0,
}
#: Changes of the values at a pattern.
CHANGES: dict[str, Callable[[Array], Array]] = {
    "plus 1": lambda values: values + 1,
    "minus 3": lambda values: values - 3,
    "random": lambda values: values + np.random.default_rng(0).integers(-40, 41, values.shape),
    "to the limit": lambda values: np.where(values > 0, 127, -128),
}
SHAPE = (2, 6, 9, 20)


def compared(pattern: str, change: str, runs: int = 3) -> str:
    """Return the difference of runs of int8 outputs as text; the last run has none."""
    rng = np.random.default_rng(7)
    expected = [np.clip(rng.normal(0, 70, SHAPE), -128, 127).astype(np.int8) for _ in range(runs)]
    where = PATTERNS[pattern]
    actual = []
    for number, values in enumerate(expected):
        mask = where(tuple(np.indices(SHAPE)), values) & (number < runs - 1)
        changed = np.clip(CHANGES[change](values.astype(np.int64)), -128, 127)
        actual.append(np.where(mask, changed, values).astype(np.int8))
    builder = ModelBuilder()
    main = builder.subgraph()
    main.tensor("y", SHAPE, "int8", qparams(0.5, 3))
    tensor = builder.finish().subgraphs[0].tensors[0]
    found = difference(tensor, expected, actual, 2.0, ("random", "directed", "propagated"))
    words = [gathering_sentence(one) for one in found.patterns]
    facts = {key: value for key, value in asdict(found).items() if key not in ("patterns", "name", "tensor")}
    return f"{pattern}, {change}: {words}\n  {facts}\n"


@pytest.mark.parametrize("change", CHANGES)
def test_whole_differences(change: str, golden: Callable[[str, str], None]) -> None:
    text = "".join(compared(pattern, change) for pattern in PATTERNS)
    golden(f"differences.{change.replace(' ', '-')}.txt", text)
