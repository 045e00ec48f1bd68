"""The page of reference kernels, generated from the registry: operators, types, variants and gaps."""

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
# Operators with reference kernels

`litecheck run`, `verify` and `diagnose` compute these operators. This page is generated from the registry of kernels by
`python docs/generate.py`.

## Kernels

If an operator has several kernels, the type of one role selects the kernel. A *step* is a part of the computation that
devices compute differently, with its variants. In parentheses: conditions under which an arithmetic can select another
variant.

| operator | role | types | steps |
| --- | --- | --- | --- |
"""
_CHOICES = """
## Variants of the arithmetics

An arithmetic selects one variant for each step. The second column has the step and its conditions. If several entries
of an arithmetic file match, the entry with most conditions has priority, and then the first. Example: for
`declined+uint8`, the order is `declined+uint8`, `declined`, `uint8`, `default`. Combinations of conditions are listed
only if an arithmetic has an entry for the combination. Operators without steps have one variant and are not listed.

"""
_BACKENDS = """
## Backends of LiteRT

LiteRT first uses XNNPACK, then its optimized kernels, then its reference kernels. The table lists the operators of
XNNPACK and of the optimized kernels with the condition for each; alternatives are separated by "or". The data are in
`rules/arithmetic/dispatch.yaml`. Operators that are not listed are not computed by XNNPACK, or have the same outputs in
all backends.

If XNNPACK declines an operator, the conditions `declined` and `grouped` select variants, and variants of XNNPACK are
replaced by LiteRT's.

| operator | backend | condition |
| --- | --- | --- |
"""
_CONDITIONS = """
## Conditions

An arithmetic selects variants by these conditions. A condition ignores roles that the operator does not have.

| condition | holds if |
| --- | --- |
"""
_DEFECTS = """
## Defects

A defect is a wrong computation that is not a variant. `litecheck diagnose` detects these defects. An arithmetic file
states one defect, or two as `one+other`, under `defect`.

| defect | computation | operators |
| --- | --- | --- |
"""
_GAPS = """
## Gaps

These operators have a rule but no kernel, so litecheck can check but not run them. Custom operators have a kernel only
if the first table lists them. A kernel can lack a form of its operator, and reports it when it runs. The last row lists
operators without a kernel for any type, except STABLEHLO operators without a kernel in LiteRT.

| profile | type of activations | operators without a kernel |
| --- | --- | --- |
"""


def page() -> str:
    """Return the whole page."""
    arithmetics = [load_arithmetic(name) for name in arithmetic_names()]
    parts = (
        (_HEAD, _kernels()),
        (_CHOICES, _choices(arithmetics)),
        (_BACKENDS, _backends()),
        (_CONDITIONS, _conditions()),
        (_DEFECTS, _defects()),
        (_GAPS, _gaps()),
    )
    return "".join(head + "".join(rows) for head, rows in parts)


def arithmetics_table() -> Iterator[str]:
    """Yield a row for each arithmetic: name, title and source."""
    yield "| arithmetic | description |\n| --- | --- |\n"
    for name in arithmetic_names():
        arithmetic = load_arithmetic(name)
        yield f"| `{name}` | {arithmetic.title}; [source]({arithmetic.source}) |\n"


def _sorted_kernels() -> Iterator[tuple[str, Kernel]]:
    """Yield kernels by operator and type; the registry has the order of imports."""
    for opcode, found in kernels().items():
        for kernel in sorted(found, key=lambda kernel: kernel.types):
            yield opcode, kernel


def _kernels() -> Iterator[str]:
    for opcode, kernel in _sorted_kernels():
        steps = "; ".join(f"{name}: {_step(step)}" for name, step in kernel.steps.items())
        yield f"| {opcode} | {_decider(kernel)} | {', '.join(kernel.types)} | {steps} |\n"


def _step(step: KernelStep) -> str:
    """Return variants, then conditions with their variants: ``double, single (declined, int64_sums: reduced)``."""
    conditions = (f"{c}: {', '.join(step.own[c])}" if c in step.own else c for c in step.conditions)
    return ", ".join(step.variants) + (f" ({'; '.join(conditions)})" if step.conditions else "")


def _decider(kernel: Kernel) -> str:
    from litecheck.reference.engine.dispatch import signature

    inputs = signature(kernel.function).inputs
    return kernel.type_role or (inputs[0] if inputs else "nothing")


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


def _defects() -> Iterator[str]:
    for name, defect in DEFECTS.items():
        concerned = [opcode for opcode in kernels() if name in defects_of(opcode)]
        yield f"| `{name}` | {defect.description} | {', '.join(concerned)} |\n"


#: Profiles and the types of activations that they describe.
_PROFILES = (
    ("litert-runtime", "int8"), ("litert-int16x8", "int16"), ("litert-uint8", "uint8"), ("litert-hybrid", "float32"),
    ("tflm", "int8"),
)  # fmt: skip


def _gaps() -> Iterator[str]:
    for profile, dtype in _PROFILES:
        lost = [
            name
            for name, rule in _judged(profile).items()
            if not any(_takes(kernel, rule, dtype) for kernel in kernels().get(name, ()))
        ]
        yield f"| `{profile}` | {dtype} | {', '.join(lost) or 'none'} |\n"
    lost = [name for name in _judged("litert-structure") if name not in kernels()]
    yield f"| `litert-structure` | any | {', '.join(lost) or 'none'} |\n"


def _judged(profile: str) -> dict[str, OperatorRule]:
    return {
        name: rule
        for name, rule in sorted(load_profile(profile).operators.items())
        if name not in (ANY_TENSOR, ANY_SUBGRAPH) and not rule.unsupported
    }


def _takes(kernel: Kernel, rule: OperatorRule, dtype: str) -> bool:
    """Return True if a kernel computes an operator of a profile.

    The types of the deciding role in the rule count, else the profile's activations. A kernel that an index or a bool
    selects supports any type.
    """
    if ANY in kernel.types or ({"int32", "bool"} & {*kernel.types} and kernel.type_role):
        return True
    role = kernel.type_role or rule.inputs[0]
    stated = {
        str(v) for r in rule.requirements if r.path == f"{rule.opcode}/{role}/dtype" for v in _values(r)
    }
    return bool((stated or {dtype}) & {*kernel.types})


def _values(requirement: Requirement) -> tuple[object, ...]:
    found = requirement.value
    return (
        tuple(v.value for v in found.values) if isinstance(found, OneOf) else (getattr(found, "value", ""),)
    )
