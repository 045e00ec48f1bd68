"""Frozen dataclasses as JSON and back, bit for bit, by the types that their fields declare."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from litecheck.errors import ConfigError

_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_NOUNS = {int: "a whole number", str: "a string", bool: "true or false"}


def encoded(value: Any, kind: Any) -> Any:
    """Plain dicts and lists, keys in the order of the fields; floats that JSON lacks are ``nan``, ``inf``, ``-inf``.

    Numbers are what the fields declare: numpy's become Python's, an int in a float field becomes a float.
    """
    if is_dataclass(kind):
        return _fields(value, kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        return [encoded(item, of) for item, of in zip(value, _items(inner, len(value)), strict=True)]
    if origin is Mapping:
        return {key: encoded(item, inner[1]) for key, item in value.items()}
    if origin is UnionType:
        return value if value is None or isinstance(value, str) else encoded(value, inner[0])
    if issubclass(kind, Enum):
        return value.value
    if kind is float and not math.isfinite(value):
        return str(float(value))
    return kind(value)


def decoded(document: object, kind: Any, what: str) -> Any:
    """What :func:`encoded` was given; ``what`` it is called (``verification``). Keys it does not know are passed over.

    Raises ConfigError, with the place, for what is none.
    """
    try:
        return _decode(document, kind, "")
    except _WrongError as error:
        raise ConfigError(f"no {what}: {error}") from None


def _fields(value: Any, kind: Any) -> dict[str, Any]:
    return {name: encoded(getattr(value, name), of) for name, of, _ in _shape(kind)}


def read_document(path: Path, kind: Any, key: str, version: int, what: str) -> tuple[Any, bytes]:
    """What a file holds that is called ``what`` and states its ``version`` under ``key``, and the file's bytes.

    Raises OSError, and ConfigError for what is none, or one of another version.
    """
    content = path.read_bytes()
    try:
        document = json.loads(content)
    except ValueError as error:
        raise ConfigError(f"{path}: no JSON: {error}") from None
    stated = document.get(key) if isinstance(document, dict) else None
    if stated != version:
        raise ConfigError(f"{path}: no {what}: {key} is {stated!r}, not {version}")
    try:
        return decoded(document, kind, what), content
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


class _WrongError(Exception):
    """What is wrong at which place."""


@cache
def _shape(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """(field, type, whether it must be there) of a dataclass."""
    hints = get_type_hints(kind)
    return tuple(
        (f.name, hints[f.name], f.default is MISSING and f.default_factory is MISSING) for f in fields(kind)
    )


def _items(inner: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """The types of a tuple's items: ``tuple[int, ...]`` has as many as it holds."""
    return inner[:1] * length if inner[-1] is Ellipsis else inner


def _decode(value: Any, kind: Any, path: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _object(value, kind, path)
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(_items(inner, len(value))):
            raise _wrong(path, value, "a list" if inner[-1] is Ellipsis else f"a list of {len(inner)}")
        kinds = _items(inner, len(value))
        return tuple(_decode(item, kinds[n], f"{path}[{n}]") for n, item in enumerate(value))
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise _wrong(path, value, "an object")
        return {key: _decode(item, inner[1], f"{path}.{key}") for key, item in value.items()}
    if origin is UnionType:
        word = isinstance(value, str) and str in inner and value not in _WORDS
        return value if value is None or word else _decode(value, inner[0], path)
    if issubclass(kind, Enum):
        known = {member.value: member for member in kind}
        if not isinstance(value, str) or value not in known:
            raise _wrong(path, value, f"one of {', '.join(known)}")
        return known[value]
    if kind is float:
        return _float(value, path)
    if type(value) is not kind:
        raise _wrong(path, value, _NOUNS[kind])
    return value


def _object(value: Any, kind: Any, path: str) -> Any:
    if not isinstance(value, Mapping):
        raise _wrong(path, value, "an object")
    found = {}
    for name, of, required in _shape(kind):
        place = f"{path}.{name}" if path else name
        if name in value:
            found[name] = _decode(value[name], of, place)
        elif required:
            raise _WrongError(f"{place} is missing")
    return kind(**found)


def _float(value: Any, path: str) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if type(value) not in (int, float):
        raise _wrong(path, value, "a number")
    return float(value)


def _wrong(path: str, value: object, wanted: str) -> _WrongError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:59]}…"
    return _WrongError(f"{path or 'the document'} is {shown}, not {wanted}")
