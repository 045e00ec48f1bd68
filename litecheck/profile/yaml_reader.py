"""YAML read strictly: every scalar stays text, every node keeps its line, duplicate keys are errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import yaml

from litecheck.errors import ProfileError
from litecheck.profile.lazy import Lazy

#: More than any rule file needs; beyond it a file is refused unread.
MAX_BYTES = 4 << 20
MAX_NODES = 100_000
_MAX_DEPTH = 20
#: How deep the mappings lie that stand right below the file's keys.
_SECTION = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar, as written."""

    value: str
    line: int
    file: str


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    values: tuple[Node, ...]
    line: int
    file: str

    def __iter__(self) -> Iterator[Node]:
        return iter(self.values)


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping from text to nodes; ``lines`` are those of the keys."""

    values: Mapping[str, Node]
    lines: Mapping[str, int]
    line: int
    file: str

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Node | None:
        """The node under a key, or None."""
        return self.values.get(key)

    def only(self, allowed: Iterable[str]) -> Entries:
        """Itself, if every key is one of ``allowed``; ProfileError with a suggestion otherwise."""
        names = list(allowed)
        for key in self.values:
            if key not in names:
                raise ProfileError(
                    self.file, self.lines[key], f"unknown key {key!r}{did_you_mean(key, names)}"
                )
        return self


Node = Text | Items | Entries


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where something close is known, else ``""``."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


class _Untagged(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Does not ask what type a scalar looks like: all are text."""

    def resolve(self, kind: type[yaml.Node], value: object, implicit: object) -> str:
        return ""


def read_yaml(path: Path, shown: str, trusted: bool = False) -> Entries:
    """The top-level mapping of a file; ``shown`` is how errors call it. Raises ProfileError.

    Of a trusted file, one that comes with litecheck, the entries of each section are read when they are asked for.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProfileError(shown, None, f"larger than {MAX_BYTES >> 20} MB")
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise ProfileError(shown, None, "no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(shown, None, f"cannot be read: {error}") from None
    try:
        events = yaml.compose(text, Loader=_Untagged)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ProfileError(shown, line, f"not YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ProfileError(shown, None, f"not YAML: {str(error).splitlines()[0]}") from None
    node = _node(events, shown, 0, count(1), lazy=trusted) if events is not None else None
    if not isinstance(node, Entries):
        raise ProfileError(shown, 1, "a rule file is a mapping with the keys profile, kinds, ops")
    return node


def _node(node: yaml.Node, file: str, depth: int, nodes: Iterator[int], lazy: bool = False) -> Node:
    line = node.start_mark.line + 1
    if next(nodes) > MAX_NODES:
        raise ProfileError(file, line, f"more than {MAX_NODES:,} values, counting those aliases repeat")
    if depth > _MAX_DEPTH:
        raise ProfileError(file, line, "nested too deeply")
    if isinstance(node, yaml.ScalarNode):
        return Text(str(node.value).strip(), line, file)
    if isinstance(node, yaml.SequenceNode):
        return Items(tuple(_node(n, file, depth + 1, nodes) for n in node.value), line, file)
    values: dict[str, yaml.Node] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        at = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ProfileError(file, at, "a key must be a word")
        if key.value in values:
            raise ProfileError(file, at, f"{key.value!r} stands here twice, first on line {lines[key.value]}")
        values[key.value], lines[key.value] = value, at
    if lazy and depth == _SECTION:
        read = Lazy(values, lambda key: _node(values[key], file, depth + 1, nodes))
        return Entries(read, lines, line, file)
    return Entries(
        {key: _node(n, file, depth + 1, nodes, lazy) for key, n in values.items()}, lines, line, file
    )


def text(node: Node | None, default: str = "") -> str:
    """A scalar's text; ProfileError where a list or mapping stands instead."""
    if node is None:
        return default
    if not isinstance(node, Text):
        raise ProfileError(node.file, node.line, "expected one value here")
    return node.value


def texts(node: Node | None) -> tuple[str, ...]:
    """A scalar or a list of scalars, as a tuple."""
    if node is None:
        return ()
    return tuple(text(n) for n in node) if isinstance(node, Items) else (text(node),)


def entries(node: Node | None, file: str) -> Entries:
    """A mapping, empty where there is none; ProfileError where something else stands."""
    if node is None or (isinstance(node, Text) and node.value in ("", "{}")):
        return Entries({}, {}, node.line if node else 0, file)
    if not isinstance(node, Entries):
        raise ProfileError(node.file, node.line, "expected a mapping here")
    return node
