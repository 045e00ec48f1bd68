"""Names in a table: the common path is left out, and only if names are long."""

from __future__ import annotations

import pytest

from litecheck.rendering.conversion.names import table_names

LONG = "functional_1/multi_head_attention_1"


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (
            [f"{LONG}/query/MatMul", f"{LONG}/key/MatMul", "image"],
            ["…/query/MatMul", "…/key/MatMul", "image"],
        ),
        ([f"{LONG}/a;{LONG}/b", f"{LONG}/c"], ["…/a;…/b", "…/c"]),
        ([f"{LONG}/query/MatMul", "a/b", "a/c", "d"], [f"{LONG}/query/MatMul", "…/b", "…/c", "d"]),
        (["model/query", "model/key"], ["model/query", "model/key"]),
        ([f"{LONG}/query"], [f"{LONG}/query"]),
        ([f"{LONG}/query\n", f"{LONG}/\x1b"], ["…/query\\n", "…/\\x1b"]),
        ([], []),
    ],
)
def test_names(names: list[str], wanted: list[str]) -> None:
    assert table_names(names) == wanted
