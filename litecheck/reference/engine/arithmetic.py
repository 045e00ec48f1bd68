"""Arithmetics as data: which variant each operator uses for each of its stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import Entries, did_you_mean, entries, read_yaml, text, texts
from litecheck.reference.defects.defects import NONE, defects_of
from litecheck.reference.engine.registry import How, kernels

_KEYS = ("arithmetic", "title", "source", "extends", "operators")
_NOTES = ("because", "see")
_DEPTH = 8
#: What lies beside the arithmetics: faults of runtimes, and who takes an operator.
_BESIDE = ("known-faults", "takers")


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A named way to compute: operator -> stage -> variant, and what it does not claim to describe."""

    name: str
    title: str
    source: str
    file: str
    stages: Mapping[str, How]
    reasons: Mapping[str, str]

    def how(self, opcode: str) -> How:
        """The variants of one operator; a stage that is not named takes the kernel's default."""
        return self.stages.get(opcode, {})


def arithmetic_names() -> tuple[str, ...]:
    """The arithmetics that come with litecheck."""
    found = (rules_dir() / "arithmetic").glob("*.yaml")
    return tuple(sorted(path.stem for path in found if path.stem not in _BESIDE))


def load_arithmetic(name: str | Path) -> Arithmetic:
    """An arithmetic by name (``litert-reference``) or file; raises ProfileError with file and line."""
    bundled = _bundled(str(name))
    return _read_once(str(name), bundled) if bundled else _load(str(name), None, 0)


def _bundled(name: str) -> Path | None:
    """The file of one that comes with litecheck."""
    path = rules_dir() / "arithmetic" / f"{name}.yaml"
    return path if "/" not in name and path.is_file() else None


@cache
def _read_once(name: str, file: Path) -> Arithmetic:
    """One of those that come with litecheck, which do not change while it runs."""
    return _load(name, None, 0)


def _load(name: str, near: Path | None, depth: int) -> Arithmetic:
    bundled = _bundled(name)
    path = bundled or (Path(name) if near is None else near.parent / name)
    shown = f"rules/arithmetic/{name}.yaml" if bundled else str(path)
    if path.suffix not in (".yaml", ".yml") and not path.is_file():
        names = arithmetic_names()
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or name a .yaml file"
        raise ProfileError(str(near or name), None, f"no arithmetic {name!r}{hint}")
    top = read_yaml(path, shown).only(_KEYS)
    if depth > _DEPTH:
        raise ProfileError(shown, None, "extends itself, or too many others")
    parent = _load(text(top.get("extends")), path, depth + 1) if "extends" in top else None
    stages = dict(parent.stages) if parent else {}
    reasons = dict(parent.reasons) if parent else {}
    operators = entries(top.get("operators"), shown)
    for opcode, node in operators.values.items():
        own, because = _stages(opcode, entries(node, shown), operators.lines[opcode], shown)
        stages[opcode] = {**stages.get(opcode, {}), **own}
        reasons[opcode] = because or reasons.get(opcode, "")
    name = text(top.get("arithmetic"))
    if not name:
        raise ProfileError(shown, top.line, "the key arithmetic, its name, is missing")
    return Arithmetic(name, text(top.get("title"), name), text(top.get("source")), shown, stages, reasons)


def _stages(opcode: str, node: Entries, line: int, file: str) -> tuple[dict[str, str], str]:
    known = kernels().get(opcode, ())
    if not known:
        raise ProfileError(file, line, f"no kernel for {opcode!r}{did_you_mean(opcode, kernels())}")
    allowed: dict[str, set[str]] = {}
    for kernel in known:
        for stage, variants in kernel.stages.items():
            allowed.setdefault(stage, set()).update(variants)
    allowed["departure"] = {NONE, *defects_of(opcode)}
    found = {}
    for stage, value in node.only((*allowed, *_NOTES)).values.items():
        if stage in _NOTES:
            continue
        variant = text(value)
        # Two departures at once are one+other.
        chosen = variant.split("+", 1) if stage == "departure" else [variant]
        if not allowed[stage].issuperset(chosen):
            hint = did_you_mean(variant, allowed[stage]) or f"; there are {', '.join(sorted(allowed[stage]))}"
            raise ProfileError(file, node.lines[stage], f"{opcode} has no {stage} {variant!r}{hint}")
        found[stage] = variant
    return found, " ".join(texts(node.get("because")))
