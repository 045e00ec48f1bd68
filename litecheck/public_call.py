"""Arguments of public functions: an argument of another type is a TypeError that shows the correct call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from litecheck.errors import wrong_type

P = ParamSpec("P")
R = TypeVar("R")
#: Annotations that name types of Python: the types of a value, and the words of an error.
_PLAIN: Mapping[str, tuple[Any, str]] = {
    "str": (str, "text"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "bool": ((bool, Integral), "True or False"),
    "Path": (os.PathLike, "a path"),
    "Mapping": (Mapping, "a mapping"),
    "Callable": (Callable, "a function"),
}
_SEVERAL = ("Sequence", "Iterable", "tuple", "list")


def shows_call(call: str, *own_checks: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that raises TypeError, with the correct ``call``, for arguments that annotations do not allow.

    The annotations are read as text. ``own_checks`` are parameters that the function checks itself. For example,
    ``shows_call("litecheck.diff(first, second)")`` rejects a path in place of a Model.
    """
    function = call.partition("(")[0].rpartition(".")[2]

    def decorate(inner: Callable[P, R]) -> Callable[P, R]:
        own = signature(inner)
        known: dict[str, Any] = getattr(inner, "__globals__", {})

        @wraps(inner)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = own.bind(*args, **kwargs).arguments
            except TypeError as error:
                raise TypeError(f"{function}(): {error}: {call}") from None
            for number, (name, value) in enumerate(given.items()):
                parameter = own.parameters[name]
                wanted = str(parameter.annotation)
                if name in own_checks or parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
                    continue
                if value is not parameter.default and not _allows(wanted, value, known):
                    place = f" as {name}" if number else ""
                    raise wrong_type(
                        function, f"{_words(wanted, known)}{place}", _odd(wanted, value, known), call
                    )
            return inner(*args, **kwargs)

        return checked

    return decorate


def _allows(annotation: str, value: object, known: Mapping[str, Any]) -> bool:
    return any(_is(part, value, known) for part in _parts(annotation))


def _is(part: str, value: object, known: Mapping[str, Any]) -> bool:
    """Return True if a value has a type, for example ``Model``, ``None`` or ``Sequence[str]``."""
    name = part.partition("[")[0]
    if name == "None":
        return value is None
    if name in _PLAIN:
        return isinstance(value, _PLAIN[name][0])
    if name in _SEVERAL:
        several = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        items = value if several and isinstance(value, (tuple, list)) else ()
        return several and all(_allows(_inside(part), item, known) for item in items)
    return name not in known or _has_type(
        known[name], value
    )  # a name for type checkers only allows every value


def _has_type(kind: Any, value: object) -> bool:
    """Return True if a value has a class, the members of a protocol, or a type that an alias allows."""
    if getattr(kind, "_is_protocol", False):
        members = {*getattr(kind, "__annotations__", {}), *(n for n in vars(kind) if n[0] != "_")}
        return all(hasattr(value, member) for member in members)
    if isinstance(kind, type):
        return isinstance(value, kind)
    origin = get_origin(kind)
    if origin is Callable:
        return callable(value)
    if origin is Literal:
        return isinstance(value, str)
    choices = getattr(kind, "__constraints__", ()) or (get_args(kind) if origin in (Union, UnionType) else ())
    return not choices or any(_has_type(choice, value) for choice in choices)


def _odd(annotation: str, value: object, known: Mapping[str, Any]) -> object:
    """Return the first item of a list that the annotation does not allow, or the value itself if it is not a list."""
    inside = next((p for p in _parts(annotation) if p.partition("[")[0] in _SEVERAL), "")
    items = value if isinstance(value, (tuple, list)) and inside else ()
    return next((item for item in items if not _allows(_inside(inside), item, known)), value)


def _words(annotation: str, known: Mapping[str, Any]) -> str:
    """Return the words for an annotation. Example: ``Sequence[Profile] | None`` gives "a sequence of Profiles"."""
    parts = [part for part in _parts(annotation) if part != "None"]
    parts = ["Path" if part == "str" else part for part in parts] if "Path" in parts else parts
    return " or ".join(dict.fromkeys(_word(part, known) for part in parts))


def _word(part: str, known: Mapping[str, Any]) -> str:
    name = part.partition("[")[0]
    if name in _SEVERAL:
        of = _inside(part)
        return f"a sequence of {'texts' if of == 'str' else f'{of}s'}"
    if name in _PLAIN:
        return _PLAIN[name][1]
    choices = [one.__name__ for one in getattr(known.get(name), "__constraints__", ())] or [name]
    return " or ".join(f"{'an' if word[0] in 'AEIOU' else 'a'} {word}" for word in choices)


def _inside(part: str) -> str:
    """Return the type of the items. Example: ``tuple[str, ...]`` has ``str``."""
    return part.partition("[")[2].removesuffix("]").removesuffix(", ...")


def _parts(annotation: str) -> Iterator[str]:
    """Yield the parts of a union. Example: ``Sequence[str | int] | None`` has ``Sequence[str | int]`` and ``None``."""
    depth = start = 0
    for at, letter in enumerate(annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield annotation[start:at].strip()
            start = at + 1
    yield annotation[start:].strip()
