"""Strict YAML reader: every scalar stays text, every node has its line, duplicate keys are errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import yaml

from litecheck.documents import DocumentError, compose_yaml
from litecheck.errors import ConfigError, ProfileError
from litecheck.files import read_file
from litecheck.profile.lazy_mapping import Lazy
from litecheck.spelling import suggestion

#: Largest size of a file in bytes; a larger file is rejected before it is read.
MAX_BYTES = 4 << 20
MAX_NODES = 100_000
_MAX_DEPTH = 20
#: Form of a file in the error about a file that is no mapping.
_FORM = "a rule file is a mapping with the keys profile, kinds, ops"
#: Largest number of characters of a key and of a value.
_KEY_MAX, _TEXT_MAX = 200, 20_000
#: The operators of a file laid out as litecheck's are, up to the next key, and the line that begins each of them.
_OPERATORS = re.compile(r"^ops: *\n((?: .*\n|#.*\n|\n)*)", re.M)
_OPERATOR = re.compile(r"^  (?![ #])(?:([A-Z0-9_]+(?: \w+)?):(?= |$))?", re.M)


class _Located:
    """A node: ``file`` and ``line`` are its place."""

    __slots__ = ()
    file: str
    line: int

    def error(self, message: str) -> ProfileError:
        """Return the error for this node."""
        return ProfileError(self.file, self.line, message)


@dataclass(frozen=True, slots=True)
class ScalarNode(_Located):
    """A scalar, as written."""

    value: str
    line: int
    file: str


@dataclass(frozen=True, slots=True)
class SequenceNode(_Located):
    """A sequence."""

    values: tuple[Node, ...]
    line: int
    file: str

    def __iter__(self) -> Iterator[Node]:
        return iter(self.values)


@dataclass(frozen=True, slots=True)
class MappingNode(_Located):
    """A mapping from text to nodes; ``lines`` are those of the keys."""

    values: Mapping[str, Node]
    lines: Mapping[str, int]
    line: int
    file: str

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Node | None:
        """Return the node under a key, or None."""
        return self.values.get(key)

    def only(self, allowed: Iterable[str]) -> MappingNode:
        """Return the mapping if every key is in ``allowed``; else raise ProfileError with a suggestion."""
        names = list(allowed)
        for key in self.values:
            if key not in names:
                raise self.wrong(key, f"unknown key {key!r}{suggestion(key, names)}")
        return self

    def wrong(self, key: str, message: str) -> ProfileError:
        """Return the error for a key."""
        return ProfileError(self.file, self.lines[key], message)

    def text(self, key: str, default: str = "") -> str:
        """Return the text under a key. Raise ProfileError for a list or a mapping."""
        return text(self.get(key), default)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a scalar or a list of scalars under a key as a tuple; empty without the key."""
        return texts(self.get(key))

    def entries(self, key: str) -> MappingNode:
        """Return the mapping under a key, empty without the key. Raise ProfileError for any other node."""
        return entries(self.get(key), self.file)


Node = ScalarNode | SequenceNode | MappingNode


class _Untagged(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """YAML loader without scalar types: all scalars are text."""

    def resolve(self, kind: type[yaml.Node], value: object, implicit: object) -> str:
        return ""


def read_yaml(path: Path, shown: str, trusted: bool = False) -> MappingNode:
    """Return the top-level mapping of a file; ``shown`` is its name in errors. Raise ProfileError.

    In a trusted file, which comes with litecheck, an operator's entry is read on first access.
    """
    return yaml_entries(rule_text(path, shown), shown, trusted)


def yaml_entries(text: str, shown: str, trusted: bool = False, form: str = _FORM) -> MappingNode:
    """Return the top-level mapping of a text, as ``read_yaml`` does for a file; ``form`` describes it in an error.

    Raise ProfileError.
    """
    found = _OPERATORS.search(text) if trusted else None
    operators = _entries(found, shown) if found else None
    if found is None or operators is None:
        return _read_mapping(text, shown, form)
    top = _read_mapping(text[: found.start(1)] + "\n" * found[1].count("\n") + text[found.end(1) :], shown)
    return MappingNode({**top.values, "ops": operators}, top.lines, top.line, shown)


def rule_text(path: Path, shown: str) -> str:
    """Return the text of a rule file. Raise ProfileError."""
    try:
        text = read_file(path, MAX_BYTES).decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise ProfileError(
            shown, None, "cannot be read: got a byte that is not UTF-8, expected text"
        ) from None
    except ConfigError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise ProfileError(shown, None, "no such file") from None
        message = str(error).removeprefix(f"{path}: ").replace("cannot be read,", "cannot be read:")
        raise ProfileError(shown, None, message) from None
    return text


def _entries(section: re.Match[str], file: str) -> MappingNode | None:
    """Return a file's operators, each read on first access; None if the lines do not show where each begins."""
    begins = list(_OPERATOR.finditer(section.string, *section.span(1)))
    names = [begin[1] for begin in begins]
    if not names or None in names or len(set(names)) < len(names):
        return None
    lines, blocks, line = {}, {}, 1 + section.string.count("\n", 0, begins[0].start())
    for name, begin, end in zip(
        names, begins, (*(b.start() for b in begins[1:]), section.end(1)), strict=True
    ):
        lines[name], blocks[name] = line, section.string[begin.start() : end]
        line += blocks[name].count("\n")

    def entry(name: str) -> Node:
        # Empty lines before the entry give its nodes the line numbers of the file.
        return _read_mapping("\n" * (lines[name] - 1) + blocks[name], file).values[name]

    return MappingNode(Lazy(names, entry), lines, lines[names[0]], file)


def _read_mapping(text: str, file: str, form: str = _FORM) -> MappingNode:
    """Return the mapping of a text."""
    try:
        events = compose_yaml(text, _Untagged)
    except DocumentError as error:
        raise ProfileError(file, error.line, f"not YAML: {error.message}") from None
    node = _node(events, file, 0, count(1)) if events is not None else None
    if not isinstance(node, MappingNode):
        raise ProfileError(file, 1, form)
    return node


def _node(node: yaml.Node, file: str, depth: int, nodes: Iterator[int]) -> Node:
    line = node.start_mark.line + 1
    if next(nodes) > MAX_NODES:
        raise ProfileError(file, line, f"more than {MAX_NODES:,} values, counting those aliases repeat")
    if depth > _MAX_DEPTH:
        raise ProfileError(file, line, "nested too deeply")
    if isinstance(node, yaml.ScalarNode):
        return _text(node, file, _TEXT_MAX, "a value")
    if isinstance(node, yaml.SequenceNode):
        return SequenceNode(tuple(_node(n, file, depth + 1, nodes) for n in node.value), line, file)
    values: dict[str, Node] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        at = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise ProfileError(file, at, "a key must be a word")
        _text(key, file, _KEY_MAX, "a key")
        if key.value in values:
            raise ProfileError(file, at, f"{key.value!r} stands here twice, first on line {lines[key.value]}")
        values[key.value], lines[key.value] = _node(value, file, depth + 1, nodes), at
    return MappingNode(values, lines, line, file)


def _text(node: yaml.ScalarNode, file: str, most: int, what: str) -> ScalarNode:
    line = node.start_mark.line + 1
    if len(node.value) > most:
        raise ProfileError(
            file, line, f"{what} is too long: got {len(node.value):,} characters, expected {most:,}"
        )
    return ScalarNode(str(node.value).strip(), line, file)


def text(node: Node | None, default: str = "") -> str:
    """Return a scalar's text. Raise ProfileError for a list or a mapping."""
    if node is None:
        return default
    if not isinstance(node, ScalarNode):
        raise node.error("expected one value; got a list or a mapping")
    return node.value


def texts(node: Node | None) -> tuple[str, ...]:
    """Return a scalar or a list of scalars as a tuple."""
    if node is None:
        return ()
    return tuple(text(n) for n in node) if isinstance(node, SequenceNode) else (text(node),)


def entries(node: Node | None, file: str) -> MappingNode:
    """Return a mapping, empty if there is none. Raise ProfileError for any other node."""
    if node is None or (isinstance(node, ScalarNode) and node.value in ("", "{}")):
        return MappingNode({}, {}, node.line if node else 0, file)
    if not isinstance(node, MappingNode):
        found = repr(node.value) if isinstance(node, ScalarNode) else "a list"
        raise node.error(f"expected a mapping, KEY: VALUE; got {found}")
    return node
