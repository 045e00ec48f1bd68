"""Comparison of a suite with the suite that its own settings give: edited, added and removed cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from litecheck.profile.load import profile_names
from litecheck.suite.claims import Claims
from litecheck.suite.file_integrity import Discrepancy
from litecheck.suite.manifest import MANIFEST, CaseEntry, Manifest, Suite
from litecheck.suite.suite_writer import Scope, make
from litecheck.version import __version__

#: Fields of a manifest that follow from its settings.
_DERIVED = ("rules", "arithmetics", "uncovered", "tolerances")


def remade(
    suite: Suite, claims: Claims, made: Manifest | None = None, progress: Callable[[str], None] | None = None
) -> Iterator[Discrepancy]:
    """Make a suite again from its profile, level, selection, seed and arithmetics, and yield each difference.

    ``made`` is the manifest of a suite that was already made again. ``progress`` is called with each finished operator.
    The inputs come from the seed, and the expected outputs from the kernels. Only the version of litecheck that made
    the suite can do this. Raise ConfigError and ProfileError for settings that make no suite.
    """
    manifest, shown = suite.manifest, str(suite.folder / MANIFEST)
    tool = f"litecheck {__version__}"
    if manifest.tool != tool:
        yield Discrepancy(shown, "version", "tool", manifest.tool, tool)
        return
    if made is None:
        with TemporaryDirectory() as folder:
            made = remake_suite(manifest, claims, Path(folder) / "suite", progress)
    for name in _DERIVED:
        if getattr(manifest, name) != getattr(made, name):
            yield Discrepancy(shown, "remade", name)
    yield from _cases(shown, manifest, made)


def remake_suite(
    manifest: Manifest, claims: Claims, folder: Path, progress: Callable[[str], None] | None = None
) -> Manifest:
    """Write the suite with the settings of a manifest to a new folder. Raise ConfigError and ProfileError."""
    own = claims.profiles.get(manifest.profile)
    known = manifest.profile in profile_names() or own is None
    references = {claims.arithmetics.get(name, name): name for name in manifest.arithmetics}
    scope = Scope(
        manifest.profile if known or own is None else own.file,
        manifest.level,
        manifest.selected,
        manifest.seed,
        tuple(references),
        flags=False,
    )
    made = make(scope, folder, progress=progress)
    cases = tuple(_replace_references(case, references) for case in made.cases)
    return replace(made, arithmetics=manifest.arithmetics, cases=cases)


def _replace_references(case: CaseEntry, references: Mapping[str, str]) -> CaseEntry:
    """Return a case with the names of arithmetics in place of their files."""
    return replace(
        case,
        answers=tuple(
            replace(answer, arithmetics=tuple(references[ref] for ref in answer.arithmetics))
            for answer in case.answers
        ),
    )


def _cases(shown: str, manifest: Manifest, made: Manifest) -> Iterator[Discrepancy]:
    stated, found = ({case.name: case for case in one.cases} for one in (manifest, made))
    for name in dict.fromkeys((*stated, *found)):
        if name not in stated:
            yield Discrepancy(shown, "remade", name, "", "a case")
        elif name not in found:
            yield Discrepancy(shown, "remade", name, "a case", "")
        elif differing := _differing_fields(stated[name], found[name]):
            yield Discrepancy(shown, "remade", f"{name}: {', '.join(differing)}")


def _differing_fields(one: CaseEntry, other: CaseEntry) -> list[str]:
    """Return the fields in which two cases differ. The detected mutants decide no verdict."""
    names = (f.name for f in fields(CaseEntry) if f.name != "flags")
    return [name for name in names if getattr(one, name) != getattr(other, name)]
