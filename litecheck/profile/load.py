"""Loading of rule files, each bundled file once, and the shape law of each operator."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

from litecheck.data import rules_dir
from litecheck.errors import ProfileError, wrong_type
from litecheck.model.shapes import LAWS
from litecheck.model.shapes.call import Entry
from litecheck.model.types import Operator
from litecheck.profile.builder import KEYS, Builder
from litecheck.profile.loaded_profile import LoadedProfile, check_profile
from litecheck.profile.rule_file import FileBudget, read_named
from litecheck.profile.types import Profile
from litecheck.profile.yaml_reader import MappingNode
from litecheck.public_call import shows_call
from litecheck.spelling import did_you_mean
from litecheck.target_kinds import target_kinds

FileState = tuple[float, int, int] | None
#: Rule files that are not profiles: a template, and descriptions of operators, cases, geometry and notes.
_NO_PROFILES = ("template", "operators", "case_templates", "geometry", "notes")
#: Bundled profiles, each read once.
_bundled: dict[Path, LoadedProfile] = {}
#: Profiles of user files by path and displayed name, with the state of every file that they were read from.
_own: dict[tuple[str, str], tuple[dict[str, FileState], Profile]] = {}
#: Largest number of cached profiles of user files, and the age in seconds after which a file's state is reliable.
_OWN, _SETTLED = 16, 2.0


def profile_names() -> tuple[str, ...]:
    """Return the names of profiles: specifications, then targets of litecheck and of installed packages."""
    files = [*rules_dir().glob("*.yaml"), *rules_dir().glob("targets/*.yaml")]
    files += (file for folder in _installed_folders() for file in folder.glob("*.yaml"))
    names = (file.stem for file in files if file.stem not in _NO_PROFILES)
    return tuple(sorted(names, key=lambda name: (not name.startswith("litert"), name)))


@shows_call("litecheck.load_profile('litert-int8')")
def load_profile(name: str | Path, quoting: bool = True) -> Profile:
    """Load a profile by name (``litert-int8``) or by file. Raise ProfileError with file and line.

    Without ``quoting`` (for a name from a document), an error does not quote a file that is not a profile.
    """
    if not isinstance(name, (str, os.PathLike)):
        call = "litecheck.load_profile('litert-int8')"
        raise wrong_type("load_profile", "a profile's name or the path of a rule file", name, call)
    path, shown = _find(str(name), None)
    if path in _bundled:
        return _bundled[path].profile
    place = os.path.realpath(path)
    states, profile = _own.get((place, shown), ({}, None))
    if profile is not None and all(_state(file) == state for file, state in states.items()):
        return profile
    reading = ProfileFiles(quoting)
    profile = reading.load_file(path, shown).profile
    if reading.states and all(
        state and time.time() - state[0] > _SETTLED for state in reading.states.values()
    ):
        if len(_own) >= _OWN:
            _own.clear()
        _own[place, shown] = reading.states, profile
    return profile


def _state(file: str) -> FileState:
    """Return the time of the last edit in seconds, the size and the inode of a file; None if there is no file."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime, found.st_size, found.st_ino


def narrow_profile(name: str | Path, operators: MappingNode, file: str) -> Profile:
    """Return a profile with operators narrowed by part of another file, laid out as ``ops``. Raise ProfileError."""
    parent = ProfileFiles(quoting=False).load_file(*_find(str(name), None))
    top = MappingNode({"ops": operators}, {"ops": operators.line}, operators.line, file)
    loaded = Builder(parent.profile.name, file, top, parent, (), False).build()
    check_profile(top, loaded, parent)
    return loaded.profile


def _installed_folders() -> list[Path]:
    """Return the folders of profiles that installed kinds of targets bring. Raise ConfigError."""
    return [kind.profiles for kind in target_kinds().values() if kind.profiles is not None]


def _find(name: str, near: Path | None) -> tuple[Path, str]:
    for folder, shown in ((rules_dir(), "rules"), (rules_dir() / "targets", "rules/targets")):
        path = folder / f"{name}.yaml"
        if "/" not in name and os.path.isfile(path):
            return path, f"{shown}/{name}.yaml"
    path = Path(name) if near is None else near.parent / name
    if path.suffix in (".yaml", ".yml") or os.path.isfile(path):
        return path, str(path)
    for folder in _installed_folders():
        if name in {file.stem for file in folder.glob("*.yaml")}:
            return folder / f"{name}.yaml", str(folder / f"{name}.yaml")
    names = profile_names()
    hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or name a .yaml file"
    if "/" not in name and os.path.isfile(rules_dir() / "arithmetic" / f"{name}.yaml"):
        hint = "; it is an arithmetic, for --arithmetic of verify, run and diff"
    raise ProfileError(str(near or ""), None, f"no profile {name!r}{hint}")


class ProfileFiles:
    """The files of a profile: each is read once, within a budget."""

    def __init__(self, quoting: bool) -> None:
        self._quoting = quoting
        self._budget = FileBudget()
        self._profiles: dict[str, LoadedProfile] = {}
        self._begun: list[str] = []
        #: State of each file that is not bundled, taken before the file is read.
        self.states: dict[str, FileState] = {}

    def load_file(self, path: Path, shown: str) -> LoadedProfile:
        """Load a rule file and the files that it extends and includes. Raise ProfileError."""
        if path.is_relative_to(rules_dir()):
            if path not in _bundled:
                _bundled[path] = self._read(path, shown, bundled=True)
            return _bundled[path]
        place = os.path.realpath(path)
        if place in self._begun:
            raise ProfileError(shown, None, "extends or includes itself")
        if place not in self._profiles:
            self._begun.append(place)
            self.states[place] = _state(place)
            self._profiles[place] = self._read(path, shown, bundled=False)
            self._begun.pop()
        return self._profiles[place]

    def _read(self, path: Path, shown: str, bundled: bool) -> LoadedProfile:
        top, name = self._top(path, shown, bundled)
        parent = self.load_file(*_find(top.text("extends"), path)) if "extends" in top else None
        parts = [self.load_file(*_find(part, path)) for part in top.texts("includes")]
        includes = tuple({id(part): part for part in parts}.values())
        loaded = Builder(name, shown, top, parent, includes, bundled).build()
        if not bundled:  # a test checks the bundled files
            check_profile(top, loaded, parent)
        return loaded

    def _top(self, path: Path, shown: str, bundled: bool) -> tuple[MappingNode, str]:
        if bundled:
            return read_named(path, shown, KEYS, "profile", trusted=True)
        self._budget.spend(path, shown, len(self._begun))
        quoting = self._quoting and len(self._begun) == 1
        return read_named(path, shown, KEYS, "profile", quoting=quoting)


#: The profile that names the laws.
STRUCTURE = "litert-structure"
#: Profile of the specification, without requirements of the runtime alone.
SPECIFICATION = "litert-int8"
#: Profiles of operators of any type.
STRUCTURES = (STRUCTURE, "tflm-structure")


def law_of(operator: Operator) -> Entry | None:
    """Return the shape law of an operator and the roles of its inputs; None if it has no law."""
    return _law(operator.opcode)


@cache
def _law(opcode: str) -> Entry | None:
    rule = load_profile(STRUCTURE).operators.get(opcode)
    if rule is None or not rule.law:
        return None
    return LAWS[rule.law], rule.inputs, rule.outputs, rule.repeated
