"""``--set`` of verify: keys, values, mistakes."""

from __future__ import annotations

from dataclasses import fields

import pytest

from litecheck.cli.advanced_settings import KEYS, AdvancedSettings, help_of_keys, parse_advanced
from litecheck.errors import ConfigError


def test_every_key_is_a_field_and_has_help() -> None:
    assert [key.replace("-", "_") for key in KEYS] == sorted(field.name for field in fields(AdvancedSettings))
    assert all(f"\n{key}=" in help_of_keys() for key in KEYS)


def test_values_are_read() -> None:
    given = (
        "repeat=1", "inputs=random,propagated", "element=0,3", "drift", "scrub=no", "require=ADD,all", "checkpoint=a=b",
        "device-version=2.1",
    )  # fmt: skip
    assert parse_advanced(given) == AdvancedSettings(
        checkpoint="a=b",
        device_version="2.1",
        drift=True,
        element=(0, 3),
        inputs=("propagated", "random"),
        repeat=1,
        require=("ADD", "all"),
    )
    assert parse_advanced(()) == AdvancedSettings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repaet=1", "unknown key 'repaet'; did you mean 'repeat'"),
        ("xyz", "unknown key 'xyz'; available: checkpoint, "),
        ("repeat=0", "expected a whole number from 1"),
        ("repeat", "got '', expected a whole number"),
        ("inputs=radnom", "did you mean 'random'"),
        ("inputs=", "got no value, expected inputs=KIND,..."),
        ("require=ADD,,SUB", "got an empty name"),
        ("element=0,x", "expected coordinates from 0"),
        ("element=", "expected coordinates from 0"),
        ("drift=maybe", "expected yes or no"),
        ("record=", "got no value, expected record=DIR"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        parse_advanced([text])
    assert message in str(found.value)


def test_a_key_is_given_once() -> None:
    with pytest.raises(ConfigError, match="got two values"):
        parse_advanced(["repeat=1", "repeat=2"])
