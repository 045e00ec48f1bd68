"""Output shapes of operators, or the reason for a missing shape, after a change of each shape and option."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from litecheck.model.shapes.infer import infer
from litecheck.model.types import Model, Operator
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError, conforming_plan
from litecheck.profile.load import law_of, load_profile
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.profile.parser import ANY_OPERATOR
from tests.differential.vela_bounds import sound_plans

#: Changes of a shape by name.
SHAPES: dict[str, Callable[[tuple[int, ...]], tuple[int, ...]]] = {
    "one more": lambda shape: (*shape[:-1], shape[-1] + 1),
    "first twice": lambda shape: (2 * shape[0], *shape[1:]),
    "second 1": lambda shape: (*shape[:1], 1, *shape[2:]),
    "last 0": lambda shape: (*shape[:-1], 0),
    "rank + 1": lambda shape: (1, *shape),
    "rank - 1": lambda shape: shape[1:],
}


def inferred(model: Model) -> str:
    """Return the shapes of the outputs, or the reason for missing shapes."""
    (main, *_) = model.subgraphs
    found = infer(model, main, law_of)
    misfits = [str(error) for error in found.misfits.values()]
    made = [
        "x".join(map(str, shape)) if shape is not None else "?"
        for shapes in found.results.values()
        for shape in shapes
    ]
    return "; ".join(misfits or made)


def changed(operator: Operator, plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Yield the plan with each shape and each option changed."""

    def shaped(tensor: TensorPlan, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> TensorPlan:
        return tensor.but(shape=change(tensor.shape), values=None)

    for role in plan.inputs:
        tensor = plan.one(role)
        for name, change in (
            SHAPES.items() if tensor is not None and tensor.values is None and tensor.shape else ()
        ):
            yield f"{role} {name}", plan.edit(role, lambda t, change=change: shaped(t, change))
        if tensor is not None and tensor.values is not None and tensor.values.dtype.kind == "i":
            for by in (1, -1):
                values = tensor.values + by
                yield (
                    f"{role} {values.reshape(-1)[:6].tolist()}",
                    plan.edit(role, lambda t, v=values: t.holding(v)),
                )
    for role in sorted(plan.optional & plan.operands.keys()):
        if plan.operands[role]:
            yield f"no {role}", plan.without_inputs(role)
    fields = {} if operator.options is None else operator.options.fields
    for name, value in fields.items():
        others: tuple[Any, ...] = (value + 1, value - 1) if isinstance(value, int) else ()
        others = (not value,) if isinstance(value, bool) else others
        yield from ((f"{name} {other}", plan.option(**{name: other})) for other in others)


def lines() -> Iterator[str]:
    """Yield the shapes of every operator with a rule for shapes."""
    profile = load_profile("litert-structure")
    for opcode, rule in profile.operators.items():
        if opcode == ANY_OPERATOR or rule.unsupported:
            continue
        try:
            plan = next(sound_plans(opcode), None) or conforming_plan(profile, rule)
            model = assemble(plan)
        except (UnsolvableError, KeyError, ValueError):
            continue
        operator = next((op for op in model.subgraphs[0].operators if op.opcode == opcode), None)
        if operator is None or law_of(operator) is None:
            continue
        yield f"{opcode}: {inferred(model)}"
        results: dict[str, list[str]] = {}
        for name, other in changed(operator, plan):
            try:
                text = inferred(assemble(other))
            except (ValueError, KeyError, IndexError, TypeError, OverflowError):
                continue
            results.setdefault(text, []).append(name)
        yield from (f"  {', '.join(names)}: {text}" for text, names in results.items())


def test_whole_shapes(golden: Callable[[str, str], None]) -> None:
    golden("shapes.txt", "".join(f"{line}\n" for line in lines()))
