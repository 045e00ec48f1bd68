"""``--data`` of convert, with random samples among it."""

from __future__ import annotations

import pytest

from litecheck.cli.convert_values import parse_data
from litecheck.errors import ConfigError


def test_paths_and_random_samples_are_distinguished() -> None:
    assert parse_data(None) == ((), None)
    assert parse_data(["a.npz", "images/"]) == (("a.npz", "images/"), None)
    assert parse_data(["random:8"]) == ((), 8)
    assert parse_data(["./random:8"]) == (("./random:8",), None)


@pytest.mark.parametrize(
    "texts",
    [["random:"], ["random:0"], ["random:x"], ["random:-1"], ["random:10001"], ["random:1", "random:2"]],
)
def test_other_counts_are_refused(texts: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"--data random:"):
        parse_data(texts)
