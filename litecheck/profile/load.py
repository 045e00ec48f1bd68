"""Rule files found and loaded, each bundled one once; and the law of shapes each operator keeps."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from litecheck.data import rules_dir
from litecheck.errors import ProfileError, wrong_type
from litecheck.model.shapes import LAWS
from litecheck.model.shapes.infer import Entry
from litecheck.model.types import Operator
from litecheck.profile.builder import KEYS, Builder, Loaded
from litecheck.profile.types import Profile
from litecheck.profile.yaml_reader import Entries, read_yaml, text, texts
from litecheck.spelling import did_you_mean

_DEPTH = 8
#: A file to copy, and the descriptions that are no profiles.
_NO_PROFILES = ("template", "operators", "forms")
#: What comes with litecheck, read once; a user's file is read anew, it may have been edited.
_bundled: dict[Path, Loaded] = {}


def profile_names() -> tuple[str, ...]:
    """The profiles that come with litecheck, by name; those of targets stand behind the specifications."""
    files = [*rules_dir().glob("*.yaml"), *rules_dir().glob("targets/*.yaml")]
    names = (file.stem for file in files if file.stem not in _NO_PROFILES)
    return tuple(sorted(names, key=lambda name: (not name.startswith("litert"), name)))


def load_profile(name: str | Path) -> Profile:
    """A profile by name (``litert-int8``) or by file; raises ProfileError with file and line."""
    if not isinstance(name, (str, os.PathLike)):
        call = "litecheck.load_profile('litert-int8')"
        raise wrong_type("load_profile", "a profile's name or the path of a rule file", name, call)
    return _load(*_find(str(name), None), 0).profile


def narrowed(name: str | Path, operators: Entries, file: str) -> Profile:
    """A profile with operators narrowed by a part of another file, laid out as ``ops`` is. Raises ProfileError."""
    parent = _load(*_find(str(name), None), 0)
    top = Entries({"ops": operators}, {"ops": operators.line}, operators.line, file)
    builder = Builder(parent.profile.name, file, top, parent, (), False)
    loaded = builder.build()
    builder.check(loaded)
    return loaded.profile


def _find(name: str, near: Path | None) -> tuple[Path, str]:
    for folder, shown in ((rules_dir(), "rules"), (rules_dir() / "targets", "rules/targets")):
        path = folder / f"{name}.yaml"
        if "/" not in name and path.is_file():
            return path, f"{shown}/{name}.yaml"
    path = Path(name) if near is None else near.parent / name
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return path, str(path)
    names = profile_names()
    hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or name a .yaml file"
    raise ProfileError(str(near) if near else name, None, f"no profile {name!r}{hint}")


def _load(path: Path, shown: str, depth: int) -> Loaded:
    if depth > _DEPTH:
        raise ProfileError(shown, None, "extends itself, or too many others")
    if not path.is_relative_to(rules_dir()):
        return _read(path, shown, depth)
    if path not in _bundled:
        _bundled[path] = _read(path, shown, depth)
    return _bundled[path]


def _read(path: Path, shown: str, depth: int) -> Loaded:
    bundled = path.is_relative_to(rules_dir())
    top = read_yaml(path, shown, trusted=bundled).only(KEYS)
    name = text(top.get("profile"))
    if not name:
        raise ProfileError(shown, top.line, "the key profile, its name, is missing")
    parent = _load(*_find(text(top.get("extends")), path), depth + 1) if "extends" in top else None
    includes = tuple(_load(*_find(part, path), depth + 1) for part in texts(top.get("includes")))
    builder = Builder(name, shown, top, parent, includes, bundled)
    loaded = builder.build()
    if not bundled:  # what comes with litecheck a test has checked
        builder.check(loaded)
    return loaded


#: The profile that names the laws.
STRUCTURE = "litert-structure"


def law_of(operator: Operator) -> Entry | None:
    """The law of an operator and its operands' roles; None where none is stated."""
    return _law(operator.opcode)


@cache
def _law(opcode: str) -> Entry | None:
    rule = load_profile(STRUCTURE).operators.get(opcode)
    if rule is None or not rule.law:
        return None
    return LAWS[rule.law], rule.inputs, rule.outputs, rule.repeated
