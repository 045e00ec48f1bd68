"""Option ``--set KEY=VALUE`` of ``litecheck verify``, for rarely needed settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from litecheck.errors import ConfigError
from litecheck.spelling import did_you_mean, suggestion


@dataclass(frozen=True, slots=True)
class AdvancedSettings:
    """The values of all keys. Each field is a key, with ``-`` for ``_``."""

    checkpoint: str | None = None
    device_version: str = ""
    drift: bool = False
    element: tuple[int, ...] | None = None
    inputs: tuple[str, ...] = ()
    member: str = ""
    record: str | None = None
    repeat: int = 2
    require: tuple[str, ...] = ()
    scrub: bool = False
    shapes: bool = False
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of ``--set``: its placeholder, its help, and the function that reads a value and raises ConfigError."""

    metavar: str
    text: str
    read: Callable[[str, str], Any]


def _text(key: str, value: str) -> str:
    if not value:
        raise ConfigError(f"--set {key}: got no value, expected {key}={KEYS[key].metavar}")
    return value


def _flag(key: str, value: str) -> bool:
    if value not in ("", "yes", "no"):
        raise ConfigError(f"--set {key}={value}: got {value!r}, expected yes or no")
    return value != "no"


def _names(key: str, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in _text(key, value).split(","))
    if not all(names):
        raise ConfigError(f"--set {key}={value}: got an empty name, expected {key}={KEYS[key].metavar}")
    return names


def _integer_reader(least: int) -> Callable[[str, str], int]:
    def read(key: str, value: str) -> int:
        if not (value.isascii() and value.isdigit() and int(value) >= least):
            raise ConfigError(f"--set {key}={value}: got {value!r}, expected a whole number from {least}")
        return int(value)

    return read


def _element(key: str, value: str) -> tuple[int, ...]:
    parts = [part.strip() for part in value.strip("()[] ").split(",") if part.strip()]
    if not parts or not all(part.isdecimal() for part in parts):
        raise ConfigError(
            f"--set {key}={value}: got {value!r}, expected coordinates from 0, such as 0,3,4,17"
        )
    return tuple(map(int, parts))


def _inputs(key: str, value: str) -> tuple[str, ...]:
    from litecheck.cases.inputs import KINDS

    given = _names(key, value)
    unknown = next((kind for kind in given if kind not in KINDS), None)
    if unknown is not None:
        hint = did_you_mean(unknown, KINDS)
        raise ConfigError(f"--set {key}={value}: got {unknown!r}, expected {', '.join(KINDS)}{hint}")
    return tuple(kind for kind in KINDS if kind in given)


KEYS: dict[str, Key] = {
    "checkpoint": Key("FILE", "Write results to this checkpoint file, for --resume.", _text),
    "device-version": Key("TEXT", "Set the device version in reports.", _text),
    "drift": Key("yes", "Run operators also on outputs of the device, to show how errors grow.", _flag),
    "element": Key("I,J,...", "Explain this element of each output. [default: the worst]", _element),
    "inputs": Key("KIND,...", "Use only inputs of these kinds: propagated, random, directed.", _inputs),
    "member": Key("NAME", "Select a model of a .task or .litertlm bundle.", _text),
    "record": Key("DIR", "Save the outputs of the device to DIR, for recorded:DIR.", _text),
    "repeat": Key("N", "Run each input N times. [default: 2]", _integer_reader(1)),
    "require": Key("OPERATOR,...", "Fail if the device does not support these operators, or 'all'.", _names),
    "scrub": Key("yes", "Replace the names of tensors and operators in the files of --reproduce, to share them.", _flag),
    "shapes": Key("yes", "Test each kind of operator in further shapes, such as batch 5 and width 260.", _flag),
    "signature": Key("NAME", "Select the signature to test. [default: all]", _text),
}  # fmt: skip


def help_of_keys() -> str:
    """Return the help of ``--set``, with a line for each key."""
    lines = [f"{key}={entry.metavar}: {entry.text}" for key, entry in KEYS.items()]
    return "\n".join(("Set a rarely used option. Repeatable. Keys:", *lines))


def parse_advanced(texts: Sequence[str]) -> AdvancedSettings:
    """Return the values of ``--set``. Raise ConfigError for an unknown key, a repeated key or a wrong value.

    For example, ``["repeat=1", "inputs=propagated"]`` gives ``Advanced(repeat=1, inputs=("propagated",))``.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, _, value = text.partition("=")
        if key not in KEYS:
            hint = suggestion(key, KEYS)
            raise ConfigError(f"--set {text}: unknown key {key!r}{hint}")
        field = key.replace("-", "_")
        if field in found:
            raise ConfigError(f"--set {key}: got two values, expected one")
        found[field] = KEYS[key].read(key, value)
    return replace(AdvancedSettings(), **found)
