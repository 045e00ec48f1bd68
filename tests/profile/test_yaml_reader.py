"""Rule files read entry by entry give the same content as read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.lazy_mapping import Lazy
from litecheck.profile.yaml_reader import MappingNode, Node, ScalarNode, SequenceNode, read_yaml

#: Layout with a comment and an empty line between entries, an entry in flow style, a text of several lines, and a
#: further key.
LAID_OUT = """\
profile: p
ops:
  # comments may stand here
  ABS: {inputs: [input], outputs: [output]}

# and here
  ADD:
    inputs: [lhs, rhs]
    because: several
      lines
  CONV_2D:
    because: |
      a block
levels:
  ABS: note
"""


def plain(node: Node | None) -> object:
    """Return a node with all nodes below it, and their lines."""
    if isinstance(node, MappingNode):
        return {key: (node.lines[key], plain(value)) for key, value in node.values.items()}
    if isinstance(node, SequenceNode):
        return node.line, [plain(value) for value in node]
    assert isinstance(node, ScalarNode)
    return node.line, node.value


def by_entry(top: MappingNode) -> bool:
    operators = top.get("ops")
    return isinstance(operators, MappingNode) and isinstance(operators.values, Lazy)


def outcome(path: Path, trusted: bool) -> object:
    try:
        return plain(read_yaml(path, "p", trusted))
    except ProfileError as error:
        return str(error)


def profiles() -> list[Path]:
    every = (*rules_dir().glob("*.yaml"), *rules_dir().glob("targets/*.yaml"))
    return sorted(path for path in every if b"\nops:" in path.read_bytes())


@pytest.mark.parametrize("path", profiles(), ids=lambda path: path.stem)
def test_a_file_of_litechecks_own(path):
    top = read_yaml(path, "shown", trusted=True)
    assert by_entry(top)
    assert plain(top) == plain(read_yaml(path, "shown"))


def test_a_layout_with_all_forms(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(LAID_OUT)
    top, whole = read_yaml(path, "p", trusted=True), read_yaml(path, "p")
    assert by_entry(top)
    assert not by_entry(whole)
    assert plain(top) == plain(whole)


@pytest.mark.parametrize("line", ['  "ADD": {}', "  ? ADD", "  a thing: {}", "ops: {ABS: {}}", "  - ABS"])
def test_another_layout_is_read_whole(line, tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(LAID_OUT.replace("  ABS: {inputs: [input], outputs: [output]}", line))
    assert outcome(path, trusted=True) == outcome(path, trusted=False)


def test_a_repeated_operator_is_an_error_at_once(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(LAID_OUT.replace("  ADD:", "  ABS:"))
    with pytest.raises(ProfileError, match="p:7: 'ABS' stands here twice, first on line 4"):
        read_yaml(path, "p", trusted=True)


def test_invalid_yaml_of_an_entry_is_an_error_with_the_files_line(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(LAID_OUT.replace("[lhs, rhs]", "[lhs, rhs"))
    operators = read_yaml(path, "p", trusted=True).values["ops"]
    assert isinstance(operators, MappingNode)
    assert operators.get("ABS")
    with pytest.raises(ProfileError, match=r"p:9: not YAML"):
        operators.get("ADD")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"profile: " + b"9" * 30_000, "p:1: a value is too long: got 30,000 characters, expected 20,000"),
        (b"a: 1\n" + b"k" * 300 + b": 1", "p:2: a key is too long: got 300 characters, expected 200"),
        (b"profile: \xff", "p: cannot be read: got a byte that is not UTF-8, expected text"),
        (b"#" * (5 << 20), "p: the file is too large"),
        (b"a: [&b x, *b, *c]", "p:1: not YAML: found undefined alias"),
        (b"a: " + b"[" * 100_000, "not YAML"),
    ],
)
def test_unreadable_values_are_an_error_with_their_line(text: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(text)
    with pytest.raises(ProfileError) as caught:
        read_yaml(path, "p")
    assert message in str(caught.value)


@pytest.mark.parametrize("ends", [b"\r\n", b"\r"])
def test_line_ends_of_all_systems_count_as_lines(ends: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(ends.join([b"a: 1", b"b: [x,", b"  y]", b"c: 2", b""]))
    assert read_yaml(path, "p").lines == {"a": 1, "b": 2, "c": 4}
