"""The page of kernels, from the registry: what can be computed, on which types, in which variants, and what cannot."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.profile.load import load_profile
from litecheck.profile.parser import ANY_SUBGRAPH, ANY_TENSOR
from litecheck.profile.types import OneOf, OperatorRule, Requirement
from litecheck.reference.backends import Alternatives, load_dispatch
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from litecheck.reference.registry import ANY, Kernel, KernelStep, kernels

_HEAD = """\
# Operators that litecheck can run

Generated from the registry of kernels; `python docs/generate.py` brings it up to date. `litecheck run` computes these
operators. Which one of several kernels takes an operator is decided by the type of the operand named here.

## Kernels

| operator | decided by | types | steps |
| --- | --- | --- | --- |
"""
_CHOICES = """
## What the arithmetics choose

A step is what devices do differently; behind it stand the conditions that hold. Of what an arithmetic file states for a
step, the key with the most of them counts, the first one most: for `declined+uint8` it is `declined+uint8`, `declined`,
`uint8`, `default`, whichever comes first. Of several conditions together those are listed here that an arithmetic
names. Operators that are not listed have one way to be computed.

"""
_BACKENDS = """
## Who takes an operator

LiteRT asks XNNPACK's delegate first, then its optimized kernels; what neither takes its reference kernels compute. The
conditions `declined` and `grouped` are for these, and other variants that are XNNPACK's own fall back to LiteRT's where
XNNPACK declines. `rules/arithmetic/dispatch.yaml` has all this as data. It does not list operators that XNNPACK never
runs, or that have the same output on all backends. Alternatives are divided by "or".

| operator | taken by | where |
| --- | --- | --- |
"""
_CONDITIONS = """
## Conditions

What an arithmetic may choose variants by, and where it holds; roles that an operator does not have are not asked.

| condition | where |
| --- | --- |
"""
_DEPARTURES = """
## Defects

Ways to be wrong that no variant is. An arithmetic names one, or two as `one+other`, under `defect`, beside the
operator's steps; `litecheck diagnose` finds them.

| defect | what goes wrong | operators |
| --- | --- | --- |
"""
_GAPS = """
## Gaps

Operators that a profile has a rule for and that have no kernel for its activations: a model that uses one can be
judged, but not run. Of custom operators those in the table above have a kernel. A kernel may still leave out a variant of
its operator, and says so when it runs. The last line lists the operators of LiteRT that have no kernel for any type; those
STABLEHLO operators that LiteRT itself has no kernel for are not listed.

"""


def page() -> str:
    """The whole document."""
    arithmetics = [load_arithmetic(name) for name in arithmetic_names()]
    parts = (
        (_HEAD, _kernels()),
        (_CHOICES, _choices(arithmetics)),
        (_BACKENDS, _backends()),
        (_CONDITIONS, _conditions()),
        (_DEPARTURES, _wrong()),
        (_GAPS, _gaps()),
    )
    return "".join(head + "".join(rows) for head, rows in parts)


def arithmetics_table() -> Iterator[str]:
    """A row for each arithmetic: its name and what it is."""
    yield "| arithmetic | what it is |\n| --- | --- |\n"
    for name in arithmetic_names():
        arithmetic = load_arithmetic(name)
        yield f"| `{name}` | {arithmetic.title}; [source]({arithmetic.source}) |\n"


def _sorted_kernels() -> Iterator[tuple[str, Kernel]]:
    """By operator and type: the registry has them in the order in which somebody imported them."""
    for opcode, found in kernels().items():
        for kernel in sorted(found, key=lambda kernel: kernel.types):
            yield opcode, kernel


def _kernels() -> Iterator[str]:
    for opcode, kernel in _sorted_kernels():
        steps = "; ".join(f"{name}: {_step(step)}" for name, step in kernel.steps.items())
        yield f"| {opcode} | {_decider(kernel)} | {', '.join(kernel.types)} | {steps} |\n"


def _step(step: KernelStep) -> str:
    """``double, single (declined, int64_sums: reduced, float64)``: variants, then conditions with theirs."""
    conditions = (f"{c}: {', '.join(step.own[c])}" if c in step.own else c for c in step.conditions)
    return ", ".join(step.variants) + (f" ({'; '.join(conditions)})" if step.conditions else "")


def _decider(kernel: Kernel) -> str:
    from litecheck.reference.engine.dispatch import signature

    inputs = signature(kernel.function).inputs
    return kernel.deciding or (inputs[0] if inputs else "nothing")


def _choices(arithmetics: list[Arithmetic]) -> Iterator[str]:
    yield f"| operator | step | {' | '.join(a.name for a in arithmetics)} |\n"
    yield "| --- | --- |" + " --- |" * len(arithmetics) + "\n"
    cells = {(opcode, cell.path): cell for opcode, kernel in _sorted_kernels() for cell in kernel.slots()}
    for (opcode, path), cell in cells.items():
        if len(cell.conditions) > 1 and not any(path in a.variants(opcode) for a in arithmetics):
            continue
        chosen = (cell.variant(a.variants(opcode)) for a in arithmetics)
        yield f"| {opcode} | {path} | {' | '.join(chosen)} |\n"


def _backends() -> Iterator[str]:
    for name, backend in load_dispatch().backends.items():
        for opcode, alternatives in backend.operators.items():
            yield f"| {opcode} | {name} | {_where(alternatives)} |\n"


def _conditions() -> Iterator[str]:
    for name, alternatives in load_dispatch().conditions.items():
        yield f"| `{name}` | {_where(alternatives)} |\n"


def _where(alternatives: Alternatives) -> str:
    return " or ".join(
        "; ".join(f"{c.verb.replace('_', ' ')} {c.subject} {', '.join(c.allowed)}".strip() for c in one)
        for one in alternatives
    )


def _wrong() -> Iterator[str]:
    for name, defect in DEFECTS.items():
        concerned = [opcode for opcode in kernels() if name in defects_of(opcode)]
        yield f"| `{name}` | {defect.does} | {', '.join(concerned)} |\n"


#: Which activations a profile is asked about.
_ASKED = (
    ("litert-runtime", "int8"), ("litert-int16x8", "int16"), ("litert-uint8", "uint8"), ("litert-hybrid", "float32"),
    ("tflm", "int8"),
)  # fmt: skip


def _gaps() -> Iterator[str]:
    for profile, dtype in _ASKED:
        lost = [
            name
            for name, rule in _judged(profile).items()
            if not any(_takes(kernel, rule, dtype) for kernel in kernels().get(name, ()))
        ]
        yield f"- `{profile}` ({dtype}): {', '.join(lost) or 'none'}.\n"
    lost = [name for name in _judged("litert-structure") if name not in kernels()]
    yield f"- `litert-structure` (any type): {', '.join(lost) or 'none'}.\n"


def _judged(profile: str) -> dict[str, OperatorRule]:
    return {
        name: rule
        for name, rule in sorted(load_profile(profile).operators.items())
        if name not in (ANY_TENSOR, ANY_SUBGRAPH) and not rule.unsupported
    }


def _takes(kernel: Kernel, rule: OperatorRule, dtype: str) -> bool:
    """Whether a kernel takes an operator of a profile: by the types the rule gives to the operand that decides, else by
    the profile's activations; a kernel that an index or a truth value decides on takes any."""
    if ANY in kernel.types or ({"int32", "bool"} & {*kernel.types} and kernel.deciding):
        return True
    role = kernel.deciding or rule.inputs[0]
    stated = {
        str(v) for r in rule.requirements if r.path == f"{rule.opcode}/{role}/dtype" for v in _values(r)
    }
    return bool((stated or {dtype}) & {*kernel.types})


def _values(requirement: Requirement) -> tuple[object, ...]:
    found = requirement.value
    return (
        tuple(v.value for v in found.values) if isinstance(found, OneOf) else (getattr(found, "value", ""),)
    )
