"""Lossless conversion of frozen dataclasses to JSON and back, by the declared types of their fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.files import read_file

_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_NOUNS = {int: "a whole number", str: "a string", bool: "true or false"}
#: Limit of integers in a document: signed and unsigned int64, and the difference of two of them.
_INT_MAX = 1 << 64


@dataclass(frozen=True, slots=True)
class Only:
    """Metadata of a field's type: the values for which ``test`` returns True.

    *Example:* ``Annotated[int, Only(is_even, "an even number")]``.
    """

    test: Callable[[Any], bool]
    expected: str


def in_range(low: int, high: int) -> Only:
    """Return the metadata of a whole number in a closed range."""
    return Only(lambda value: low <= value <= high, f"a whole number in {low}..{high}")


def one_of(words: tuple[str, ...]) -> Only:
    """Return the metadata of a string in ``words``."""
    return Only(lambda value: value in words, f"one of {', '.join(words)}")


#: Length of a dimension, or another count.
Length = Annotated[int, in_range(0, (1 << 31) - 1)]


def encode(value: Any, kind: Any) -> Any:
    """Return a value as plain dicts and lists, with keys in the order of the fields.

    Floats that JSON lacks become ``nan``, ``inf`` and ``-inf``. Numbers get the declared type: a numpy number becomes a
    Python number, and an int in a float field becomes a float.
    """
    if is_dataclass(kind):
        return _fields(value, kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return encode(value, inner[0])
    if origin is tuple:
        return [encode(item, of) for item, of in zip(value, _items(inner, len(value)), strict=True)]
    if origin is Mapping:
        return {key: encode(item, inner[1]) for key, item in value.items()}
    if origin is UnionType:
        return value if value is None or isinstance(value, str) else encode(value, inner[0])
    if issubclass(kind, Enum):
        return value.value
    if kind is float and not math.isfinite(value):
        return str(float(value))
    return kind(value)


def decode(document: object, kind: Any, what: str) -> Any:
    """Return the value that :func:`encode` encoded. Unknown keys are ignored. ``what`` names the value in errors.

    Raise ConfigError with the location for a document that does not fit ``kind``. Example of ``what``:
    ``verification``.
    """
    try:
        return _decode(document, kind, "")
    except _WrongError as error:
        raise ConfigError(f"no {what}: {error}") from None


def _fields(value: Any, kind: Any) -> dict[str, Any]:
    return {name: encode(getattr(value, name), of) for name, of, _ in _shape(kind)}


def read_document(path: Path, kind: Any, key: str, version: int, what: str) -> tuple[Any, bytes]:
    """Return the value in a JSON file and the file's bytes. ``what`` names the value in errors.

    The document must state ``version`` under ``key``. Raise ConfigError for a file that cannot be read, a document
    that does not fit ``kind``, and another version.
    """
    content = read_file(path)
    document = decode_json(content, str(path))
    stated = document.get(key) if isinstance(document, dict) else None
    if type(stated) is not int or stated != version:
        raise ConfigError(f"{path}: no {what}: {key} is {_value_text(stated)}, not {version}")
    try:
        return decode(document, kind, what), content
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


class _WrongError(Exception):
    """A value that does not fit the declared type, with its location."""


@cache
def _shape(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Return (field, type, True if the field is required) for every field of a dataclass."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        (f.name, hints[f.name], f.default is MISSING and f.default_factory is MISSING) for f in fields(kind)
    )


def _items(inner: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """Return the types of a tuple's items: ``tuple[int, ...]`` with 3 items gives three times int."""
    return inner[:1] * length if inner[-1] is Ellipsis else inner


def _decode(value: Any, kind: Any, path: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _object(value, kind, path)
    if origin is Annotated:
        found = _decode(value, inner[0], path)
        wrong = [only for only in inner[1:] if not only.test(found)]
        if wrong:
            raise _wrong(path, value, wrong[0].expected)
        return found
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
    if kind is int and abs(value) > _INT_MAX:
        raise _wrong(path, value, "a whole number of 64 bits")
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
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(path, value, "a number that a float64 holds")
    return number


def _wrong(path: str, value: object, wanted: str) -> _WrongError:
    return _WrongError(f"{path or 'the document'} is {_value_text(value)}, not {wanted}")


def _value_text(value: object) -> str:
    shown = "nested too deeply" if isinstance(value, (list, dict)) and _is_deep(value) else repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def _is_deep(value: object, depth: int = 20) -> bool:
    """Return True if ``repr`` of a list or an object could exceed Python's recursion limit."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth == 0 or any(_is_deep(one, depth - 1) for one in below)
