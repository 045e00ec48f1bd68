"""Optional cases of a suite, with the reasons in ``rules/suite/optional.yaml``: no device fails because of them."""

from __future__ import annotations

from functools import cache

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.paths import path_matches
from litecheck.profile.yaml_reader import SequenceNode, entries, read_yaml, text, texts

_SHOWN = "rules/suite/optional.yaml"
_KEYS = ("cases", "because")


def optional_because(name: str) -> str:
    """Return the reason that a case is optional; "" for a required case.

    Example: ``CONV_2D/int8/no-bias-plain`` is optional, because LiteRT's kernels require a bias.
    """
    return next(
        (because for patterns, because in _entries() if any(path_matches(name, p) for p in patterns)), ""
    )


@cache
def _entries() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the patterns and the reason of each entry. Raise ProfileError with the line for an invalid file."""
    listed = read_yaml(rules_dir() / "suite" / "optional.yaml", _SHOWN).only(("optional",)).get("optional")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(_SHOWN, 1, "optional is a list")
    found = []
    for node in listed:
        entry = entries(node, _SHOWN).only(_KEYS)
        if any(key not in entry for key in _KEYS):
            raise ProfileError(_SHOWN, entry.line, f"an entry needs {' and '.join(_KEYS)}")
        found.append((texts(entry.get("cases")), text(entry.get("because"))))
    return tuple(found)
