"""Arithmetics as data: the variant of each operator's steps, under each condition."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from litecheck.data import rules_dir
from litecheck.errors import ProfileError, wrong_type
from litecheck.model.types import Operator, Subgraph
from litecheck.profile.rule_file import DEPTH_MAX, FileBudget, read_named
from litecheck.profile.yaml_reader import MappingNode, Node, entries, text, texts
from litecheck.public_call import shows_call
from litecheck.quantization import BITS
from litecheck.reference.defects.defects import NONE, defects_of
from litecheck.reference.registry import Kernel, KernelStep, Variants, kernels, path, step
from litecheck.spelling import did_you_mean

_KEYS = ("arithmetic", "title", "source", "extends", "operators")
#: Key of a defect, which is read like a step.
_DEFECT = "defect"
_NOTES = ("because", "see")
#: Separator of operator and type: ``CONV_2D/int16``.
_OF_TYPE = "/"
#: Key of the variant if no stated condition holds.
DEFAULT = "default"
#: Former names of conditions.
_RENAMED = {"unsigned": "uint8"}
#: Other files in the folder of arithmetics: faults of runtimes, and the dispatch table.
_BESIDE = ("known-faults", "dispatch")


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Named arithmetic: operator -> path of a step under conditions -> variant, and reasons.

    ``stages`` also has entries of an operator with a type (``CONV_2D/int16``), which override those of the operator.
    """

    name: str
    title: str
    source: str
    file: str
    stages: Mapping[str, Variants]
    reasons: Mapping[str, str]

    def variants(self, opcode: str, kind: str = "") -> Variants:
        """Return the variants of an operator by path (``requantize``, ``requantize/declined``):
        ``registry.VariantSlot.variant``.

        ``kind`` is the type of its first input that is not constant.
        """
        general = self.stages.get(opcode, {})
        own = self.stages.get(f"{opcode}{_OF_TYPE}{kind}", {}) if kind else {}
        return {**general, **own} if own else general

    def variants_of(self, subgraph: Subgraph, operator: Operator) -> Variants:
        """Return the variants of an operator of a model."""
        given = (subgraph.tensors[index] for index in operator.inputs if index >= 0)
        kind = next((tensor.dtype for tensor in given if not tensor.is_constant), "")
        return self.variants(operator.kind, kind)

    def under(self, opcode: str, variants: Variants) -> Arithmetic:
        """Return the arithmetic with other variants of an operator, for every type."""
        kept = {key: found for key, found in self.stages.items() if key.partition(_OF_TYPE)[0] != opcode}
        return replace(self, stages={**kept, opcode: variants})


def arithmetic_names() -> tuple[str, ...]:
    """Return the names of litecheck's arithmetics."""
    found = (rules_dir() / "arithmetic").glob("*.yaml")
    return tuple(sorted(path.stem for path in found if path.stem not in _BESIDE))


@shows_call("litecheck.load_arithmetic('litert-xnnpack')")
def load_arithmetic(name: str | Path, quoting: bool = True) -> Arithmetic:
    """Load an arithmetic by name (``litert-reference``) or file. Raises ProfileError with file and line.

    Without ``quoting``, for a name in a document, an error does not quote a file that is not an arithmetic.
    """
    if not isinstance(name, (str, os.PathLike)):
        call = "litecheck.load_arithmetic('litert-xnnpack')"
        raise wrong_type("load_arithmetic", "an arithmetic's name or the path of its file", name, call)
    bundled = _bundled_file(str(name))
    return _read_once(str(name), bundled) if bundled else _load(str(name), None, 0, FileBudget(), quoting)


def arithmetic_files(name: str | Path) -> tuple[tuple[str, Path], ...]:
    """Return the file of an arithmetic and the files it extends, each with its name in errors. Raises ProfileError."""
    found: list[tuple[str, Path]] = []
    ref, near = str(name), Path()
    while ref:
        if len(found) > DEPTH_MAX:
            raise ProfileError(ref, None, "extends itself, or too many others")
        bundled = _bundled_file(ref)
        path = bundled or near / ref
        found.append((f"rules/arithmetic/{ref}.yaml" if bundled else ref, path))
        top, _ = read_named(path, ref, _KEYS, "arithmetic", quoting=bool(bundled))
        ref, near = text(top.get("extends")), path.parent
    return tuple(found)


@cache
def _bundled_file(name: str) -> Path | None:
    """Return the file of an arithmetic of litecheck, None for other names."""
    path = rules_dir() / "arithmetic" / f"{name}.yaml"
    return path if "/" not in name and os.path.isfile(path) else None


@cache
def _read_once(name: str, file: Path) -> Arithmetic:
    """Return an arithmetic of litecheck, cached because its file does not change while litecheck runs."""
    return _load(name, None, 0, FileBudget())


def _load(name: str, near: Path | None, depth: int, budget: FileBudget, quoting: bool = True) -> Arithmetic:
    bundled = _bundled_file(name)
    path = bundled or (Path(name) if near is None else near.parent / name)
    shown = f"rules/arithmetic/{name}.yaml" if bundled else str(path)
    if path.suffix not in (".yaml", ".yml") and not os.path.isfile(path):
        names = arithmetic_names()
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or name a .yaml file"
        if "/" not in name and os.path.isfile(rules_dir() / f"{name}.yaml"):
            hint = "; it is a profile, for --profile"
        raise ProfileError(str(near or ""), None, f"no arithmetic {name!r}{hint}")
    if depth > DEPTH_MAX:
        raise ProfileError(shown, None, "extends itself, or too many others")
    budget.spend(path, shown, depth + 1)
    top, name = read_named(path, shown, _KEYS, "arithmetic", quoting=bool(bundled) or quoting)
    parent = (
        _load(text(top.get("extends")), path, depth + 1, budget, quoting=False) if "extends" in top else None
    )
    stages = dict(parent.stages) if parent else {}
    reasons = dict(parent.reasons) if parent else {}
    operators = entries(top.get("operators"), shown)
    for key, node in operators.values.items():
        own, because = _read_stages(key, entries(node, shown), operators.lines[key], shown)
        stages[key] = {**stages.get(key, {}), **own}
        reasons[key] = because or reasons.get(key, "")
    return Arithmetic(name, text(top.get("title"), name), text(top.get("source")), shown, stages, reasons)


def _read_stages(key: str, node: MappingNode, line: int, file: str) -> tuple[dict[str, str], str]:
    opcode, _, kind = key.partition(_OF_TYPE)
    known = kernels().get(opcode, ())
    if _OF_TYPE in key and kind not in BITS:
        raise ProfileError(file, line, f"{opcode} has no type {kind!r}{did_you_mean(kind, BITS)}")
    if not known:
        raise ProfileError(file, line, f"no kernel for {opcode!r}{did_you_mean(opcode, kernels())}")
    steps = _merge_steps(known)
    if _DEFECT in node:
        steps[_DEFECT] = step((NONE, *defects_of(opcode)))
    _reject_old_spelling(opcode, node, steps)
    found: dict[str, str] = {}
    for name, value in node.only((*steps, _DEFECT, *_NOTES)).values.items():
        if name not in _NOTES:
            found.update(_read_variants(opcode, name, steps[name], value, node.lines[name]))
    return found, " ".join(texts(node.get("because")))


def _merge_steps(known: Iterable[Kernel]) -> dict[str, KernelStep]:
    """Return the steps of all kernels of an operator."""
    found: dict[str, KernelStep] = {}
    for kernel in known:
        for name, one in kernel.steps.items():
            also = found.get(name, step(()))
            found[name] = KernelStep(
                (*also.variants, *one.variants),
                tuple(dict.fromkeys((*also.conditions, *one.conditions))),
                {**also.own, **one.own},
                tuple(dict.fromkeys((*also.parametric, *one.parametric))),
            )
    return found


def _read_variants(
    opcode: str, name: str, known: KernelStep, node: Node, line: int
) -> Iterator[tuple[str, str]]:
    """Yield (path, variant) of each entry of a step: a variant, or variants by condition."""
    stated = (
        node
        if isinstance(node, MappingNode)
        else MappingNode({DEFAULT: node}, {DEFAULT: line}, line, node.file)
    )
    for key, value in stated.values.items():
        found = () if key == DEFAULT else _read_conditions(opcode, name, known, key, stated)
        variant = text(value)
        allowed = {v for some in (known.variants, *known.own.values()) for v in some}
        # Two defects are combined by a plus sign: no-activation+wraps.
        single = variant.split("+", 1) if name == _DEFECT else [variant]
        if not {*allowed, *known.parametric}.issuperset(single):
            hint = (
                did_you_mean(variant, {*allowed, *known.parametric})
                or f"; there are {', '.join(sorted(allowed))}"
            )
            raise ProfileError(stated.file, stated.lines[key], f"{opcode} has no {name} {variant!r}{hint}")
        yield path(name, found), variant


def _read_conditions(
    opcode: str, name: str, known: KernelStep, key: str, stated: MappingNode
) -> tuple[str, ...]:
    """Return the conditions of a key such as ``declined+grouped``, in the step's order."""
    some = [word.strip() for word in key.split("+")]
    for condition in some:
        if condition not in known.conditions:
            listed = f"; there are {', '.join((DEFAULT, *known.conditions))}"
            hint = did_you_mean(condition, known.conditions) or listed
            message = f"{opcode}'s {name} has no condition {condition!r}{hint}"
            raise ProfileError(stated.file, stated.lines[key], message)
    return tuple(condition for condition in known.conditions if condition in some)


def _reject_old_spelling(opcode: str, node: MappingNode, steps: Mapping[str, KernelStep]) -> None:
    """Raise ProfileError with the new spelling if a condition is written as a step, a former spelling."""
    for name, known in steps.items():
        words = "|".join((*known.conditions, *_RENAMED))
        old = {key: re.findall(words, key) for key in node.values if re.fullmatch(f"(({words})(_|$))+", key)}
        if not known.conditions or not old.keys() - steps.keys():
            continue
        default = {DEFAULT: text(node.get(name))} if name in node else {}
        renamed = ({_RENAMED.get(word, word) for word in some} for some in old.values())
        keys = ("+".join(c for c in known.conditions if c in some) for some in renamed)
        new = default | {key: text(node.get(was)) for key, was in zip(keys, old, strict=True)}
        spelled = f"{name}: {{{', '.join(f'{key}: {variant}' for key, variant in new.items())}}}"
        first = next(iter(old))
        message = f"{opcode}: {first} is a condition of {name} and no step of its own; write {spelled}"
        raise ProfileError(node.file, node.lines[first], message)
