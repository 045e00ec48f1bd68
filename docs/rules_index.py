"""The index of rules by operator, docs/rules.md: a link to the entry of each rule file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from litecheck.data import rules_dir
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.parser import PSEUDO
from litecheck.profile.types import Profile

_PREFACE = """# Rules by operator

Each operator with the lines of its entries in the rule files. A profile that extends another states only the
requirements that it adds or narrows. `litecheck rules OPERATOR` prints the requirements of an operator, and
`litecheck explain PATH` one requirement with its reason. On the built site, each number links to the page of the operator.

"""


def index() -> str:
    """Return the page."""
    profiles = [p for p in map(load_profile, profile_names()) if p.judges != "placement"]
    names = sorted({name for p in profiles for name in p.operators} - set(PSEUDO))
    heads = " | ".join(p.name for p in profiles)
    lines = {p.name: dict(_entries(p)) for p in profiles}
    rows = (f"| {name} | {' | '.join(_cell(p, lines[p.name], name) for p in profiles)} |\n" for name in names)
    return "".join((_PREFACE, f"| operator | {heads} |\n", f"| --- |{' --- |' * len(profiles)}\n", *rows))


def _cell(profile: Profile, lines: Mapping[str, int], name: str) -> str:
    return f"[{lines[name]}](../{profile.file}#L{lines[name]})" if name in lines else ""


def _entries(profile: Profile) -> Iterator[tuple[str, int]]:
    """Return the entries that the profile's own file states, each with its line."""
    text = (rules_dir().parent / profile.file).read_text("utf-8").splitlines()
    inside = False
    for number, line in enumerate(text, 1):
        if line and not line[0].isspace() and not line.startswith("#"):
            inside = line.startswith("ops:")
        elif inside and line.startswith("  ") and line[2:3].isupper() and ":" in line:
            yield line.strip().partition(":")[0], number
