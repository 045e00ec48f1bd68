"""``--unit`` and the keys of ``--set`` of verify."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from litecheck.cli.verify_options import Set, parse_unit
from litecheck.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("operator", {}),
        ("model", {"whole": True}),
        ("3", {"segment": 3}),
        ("conv1..softmax", {"between": ("conv1", "softmax")}),
        ("4..7", {"between": ("4", "7")}),
    ],
)
def test_units(text: str, fields: dict[str, Any]) -> None:
    assert parse_unit(text) == fields


@pytest.mark.parametrize("text", ["", "0", "-1", "whole", "a..", "..b", "a..b..c", "٣"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected operator, model, a number of operators"):
        parse_unit(text)


def test_keys_are_completed() -> None:
    assert get_args(Set)[1].autocompletion("re") == ["record=", "repeat=", "require="]
