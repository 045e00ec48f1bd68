"""Lines of errors, and hints on installing that work: litecheck is on no package index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litecheck.devices.port import DeviceError
from litecheck.errors import ConfigError, ProfileError, install_hint

ROOT = Path(__file__).parents[1]
#: ``litecheck`` or ``litecheck[extra]`` as a name that pip would search for; a path such as ./litecheck does
#: not match.
FROM_AN_INDEX = re.compile(r"pip3? install (-\S+ )*['\"]?litecheck\b")
SUFFIXES = (".py", ".md", ".yaml", ".yml", ".toml", ".sh", ".json", ".html")


def suggestions(root: Path) -> list[str]:
    """Return the lines of texts below a folder that install litecheck from a package index."""
    places = [
        root / name for name in ("litecheck", "docs", "rules", "examples", "schemas", "fixtures", ".github")
    ]
    found = [file for place in places for file in place.rglob("*") if file.suffix in SUFFIXES]
    found += [file for file in root.iterdir() if file.suffix in SUFFIXES and file.name != "CHANGELOG.md"]
    lines = ((file, line) for file in sorted(found) for line in file.read_text("utf-8").splitlines())
    return [f"{file.relative_to(root)}: {line.strip()}" for file, line in lines if FROM_AN_INDEX.search(line)]


def test_no_text_installs_litecheck_from_a_package_index() -> None:
    assert suggestions(ROOT) == []


@pytest.mark.parametrize(
    "line", ["pip install 'litecheck[runtime]'", "pip install litecheck", 'pip install -U "litecheck[sign]"']
)
def test_such_a_suggestion_is_noticed(line: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"Then {line}.\n    pip install './litecheck[runtime]'\n")
    assert suggestions(tmp_path) == [f"README.md: Then {line}."]


def test_the_hint_names_an_existing_extra() -> None:
    assert install_hint("runtime") == "pip install -e '.[runtime]' in the checkout of litecheck"
    extras = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.M))
    used = [
        name
        for file in (ROOT / "litecheck").rglob("*.py")
        for name in re.findall(r"install_hint\(['\"](\w+)['\"]\)|extra=\"(\w+)\"", file.read_text("utf-8"))
    ]
    assert len(used) > 8
    assert {name for pair in used for name in pair if name} <= extras


def test_an_error_is_one_line_unless_its_layout_has_several() -> None:
    assert ConfigError("a\nb").lines == ("a\nb",)
    error = DeviceError("a\nb", "c\nd")
    assert error.lines == ("a\nb", "c", "d")
    assert str(error) == "a\nb\nc\nd"
    assert DeviceError("a").lines == ("a",)


def test_a_rule_error_states_file_and_line_as_far_as_they_are_known() -> None:
    places = (("a.yaml", 3), ("a.yaml", None), ("", None))
    assert [str(ProfileError(*place, "no rule")) for place in places] == [
        "a.yaml:3: no rule", "a.yaml: no rule", "no rule",
    ]  # fmt: skip
