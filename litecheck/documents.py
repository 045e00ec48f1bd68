"""Decoders of JSON, TOML and YAML text. Every failure is an error with file and line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from litecheck.errors import ConfigError, LitecheckError

if TYPE_CHECKING:
    import yaml

Value = TypeVar("Value")

#: Limits of a TOML document in bytes, and of a dotted key in parts: the parser's time is quadratic in both.
_TOML_LIMIT, _KEY_PARTS = 1 << 20, 256


class DocumentError(LitecheckError):
    """Content that a decoder rejects. ``line`` counts from 1 and is None if the fault has no line."""

    def __init__(self, line: int | None, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(f"line {line}: {message}" if line else message)


def decode_json(
    content: bytes | str, file: str, error: type[ConfigError] = ConfigError, line: int | None = None
) -> Any:
    """Return the values of a JSON document, or of a ``line`` of a file that has one document per line.

    Raise ``error`` for content that is not JSON: also for NaN and Infinity, for a key that an object has twice, for an
    integer with more digits than Python reads, and for values nested too deeply.
    """
    return _decode_file(_json, content, file, "JSON", error, line)


def encode_json(values: Any) -> str:
    """Return an indented JSON document with letters of all languages, and with control and format characters escaped.

    For example, U+FEFF becomes ``\\ufeff``.
    """
    import json

    lines = json.dumps(values, indent=2, ensure_ascii=False).split("\n")
    return "".join(f"{line if line.isprintable() else _escape_line(line)}\n" for line in lines)


def _escape_line(line: str) -> str:
    import json

    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def decode_toml(content: bytes | str, file: str, error: type[ConfigError] = ConfigError) -> dict[str, Any]:
    """Return the table of a TOML document of up to 1 MB. Raise ``error`` as ``decode_json`` does."""
    table: dict[str, Any] = _decode_file(_toml, content, file, "TOML", error)
    return table


def compose_yaml(text: str, loader: Any) -> yaml.Node | None:
    """Return the nodes of a YAML document, None if the document is empty. Raise DocumentError."""
    import yaml

    return decode(lambda: yaml.compose(text, Loader=loader))


def _decode_file(
    decoder: Callable[[bytes | str], Value],
    content: bytes | str,
    file: str,
    language: str,
    error: type[ConfigError],
    line: int | None = None,
) -> Value:
    try:
        return decode(lambda: decoder(content))
    except DocumentError as fault:
        at = line or fault.line
        place = f"{file}:{at}" if at else file
        raise error(f"{place}: not {language}: {fault.message}") from None


def decode(decoder: Callable[[], Value]) -> Value:
    """Run a decoder and return its value. Raise DocumentError for every known failure of a decoder."""
    try:
        return decoder()
    except UnicodeDecodeError as error:
        text = f"got a byte at {error.start} that is not {error.encoding}, expected text"
        raise DocumentError(None, text) from None
    except RecursionError:
        raise DocumentError(None, "nested too deeply") from None
    except Exception as error:
        if not isinstance(error, (ValueError, OverflowError)) and not _is_of_yaml(error):
            raise
        raise DocumentError(_line_of(error), _message_of(error)) from None


def _is_of_yaml(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "yaml"


def _line_of(error: Exception) -> int | None:
    """Return the line that an exception of a decoder names."""
    mark = getattr(error, "problem_mark", None)
    line = getattr(error, "lineno", None) if mark is None else mark.line + 1
    return line if isinstance(line, int) else None


def _message_of(error: Exception) -> str:
    text = str(getattr(error, "problem", None) or getattr(error, "msg", None) or error)
    if "integer string conversion" in text:
        return "an integer has too many digits"
    column = getattr(error, "colno", None) if hasattr(error, "msg") else None
    return f"{text.splitlines()[0]}, column {column}" if column else text.partition("\n")[0]


def _json(content: bytes | str) -> Any:
    import json

    # json.loads accepts the same encodings of bytes. PowerShell redirects output as UTF-16.
    text = content if isinstance(content, str) else content.decode(json.detect_encoding(content))
    values = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    if "\\ud" in text.lower():
        try:
            json.dumps(values, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("got half of a surrogate pair, expected text") from None
    return values


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"an object has the key {twice[:40]!r} twice")
    return values


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"got {word}, expected a finite number")


def _toml(content: bytes | str) -> dict[str, Any]:
    text = content if isinstance(content, str) else content.decode()
    if len(text) > _TOML_LIMIT:
        raise ValueError(f"got {len(text):,} characters, expected at most {_TOML_LIMIT:,}")
    if any(run.count(".") > _KEY_PARTS for run in re.findall(r"[\w\-\"'. \t]+", text)):
        raise ValueError("nested too deeply: a dotted key has too many parts")
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    table: dict[str, Any] = toml.loads(text)
    return table
