"""Damage to a single place of a JSON document, and to the text of any document."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.fuzz.hostile.words import name

#: Numbers that are invalid for most fields.
NUMBERS = (0, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 1e308, float("nan"), float("inf"), True, 10**400, 0.5)
#: Paths that no manifest may name.
PATHS = (
    "../secret.yaml",
    "../../secret.yaml",
    "/dev/zero",
    "/dev/stdin",
    "a\0b",
    "fifo",
    "zero",
    "circle",
    "",
    ".",
    "/",
    "x" * 5000,
)


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    """Return ``depth`` nested pairs of brackets."""
    return opening * depth + closing * depth


def value(rng: Random, old: Any) -> Any:
    """Return a value of a type or content that is wrong in place of ``old``."""
    kinds = [
        name(rng),
        rng.choice(NUMBERS),
        None,
        [],
        {},
        [old] * 3,
        {"x": old},
        rng.choice(PATHS),
        rng.choice(PATHS),
    ]
    if isinstance(old, str):
        kinds += [old + name(rng), name(rng), rng.choice(PATHS), "nonsense"]
    if isinstance(old, (int, float)):
        kinds += [-old, rng.choice(NUMBERS), rng.choice(NUMBERS), str(old)]
    return rng.choice(kinds)


def change(rng: Random, document: Any) -> Any:
    """Return a copy of a JSON value with one to three places changed, removed or doubled."""
    made = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_places(made))
        if not places:
            return value(rng, made)
        owner, key = rng.choice(places)
        action = rng.random()
        if action < 0.15:
            del owner[key]
        elif action < 0.25 and isinstance(owner, dict):
            owner[name(rng)] = owner[key]
        elif action < 0.3 and isinstance(owner, list):
            owner += owner * rng.choice((1, 50))
        else:
            owner[key] = value(rng, owner[key])
    return made


def _places(document: Any) -> Any:
    if isinstance(document, dict):
        items: Any = list(document.items())
    elif isinstance(document, list):
        items = list(enumerate(document))
    else:
        return
    for key, child in items:
        yield document, key
        yield from _places(child)


def dumps(document: Any) -> bytes:
    """Return JSON text with NaN, huge integers and lone surrogates, which strict writers reject."""
    return json.dumps(document).encode("utf-8", "surrogatepass")


def text(rng: Random, content: bytes) -> bytes:
    """Return the damaged text of a document: cut, nested, huge, in a different encoding, or zeros."""
    deep = rng.choice((500, 5000, 100_000))
    at = rng.randrange(len(content) + 1)
    return rng.choice(
        (
            content[:at],
            b"",
            b"\0" * 100,
            content + content,
            b"\xff\xfe" + content,
            content.decode("utf-8", "replace").encode("utf-16"),
            nested(deep).encode(),
            (nested(deep, '{"a":', "}")).encode(),
            b"[" * deep,
            b"9" * 5000,
            content[:at] + b"\x1b]0;pwned\x07\n::error title=pwned::x" + content[at:],
            content[:at] + b"\xc3\x28" + content[at:],
            b'"' + b"x" * 1_000_000 + b'"',
            b"null",
            b"[]",
            b"{}",
            b"1",
            b"1e999",
            b'{"a":1,"a":2}',
            b"-" * 1000,
            content.replace(b"\n", b"\r\n"),
            content.replace(b":", b": " + b"1" * 400 + b",", 1),
            content.replace(b'"', b"'", 2),
        )
    )
