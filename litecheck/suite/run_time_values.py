"""Values of steering inputs at run time, which a form states or which are drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from litecheck.arrays import Array
from litecheck.profile.operator_plan import Plan
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.runtime_tensors import NUMPY_TYPES
from litecheck.suite.case_templates import CaseTemplate

#: Number of inferences with values of their own for the inputs of a called subgraph.
_FORWARDED = 4


def tensor_name(role: str, at: int) -> str:
    """Return the name of a role's tensor; further tensors of a repeated role are numbered."""
    return f"{role} {at}" if at else role


def run_time_values(form: CaseTemplate, plan: Plan) -> tuple[dict[str, Array], dict[str, tuple[Array, ...]]]:
    """Return the values of steering inputs of the first inference, and those that differ between inferences.

    The values are those of the form, drawn values for inputs of a called subgraph, or 0, 0, 1, 1 and so on. A condition
    that selects between further inputs is drawn, and inverted in the second inference.
    """
    first: dict[str, Array] = {}
    several: dict[str, tuple[Array, ...]] = {}
    facts = traits_of(form.opcode)
    for role, parts in form.operands.items():
        for at, part in enumerate(parts):
            name, dtype = tensor_name(role, at), plan.operands[role][at].dtype
            if part.is_runtime_input:
                first[name] = np.asarray(part.values, NUMPY_TYPES[dtype])
                several[name] = tuple(np.asarray(values, NUMPY_TYPES[dtype]) for values in part.by_inference)
            elif part.values is None and not part.constant and facts.steers(role):
                several[name] = _draw_values(name, part.shape, dtype, facts.inputs, role)
                first[name] = several[name][0] if several[name] else _alternating(part.shape, dtype)
    return first, {name: values for name, values in several.items() if values}


def _alternating(shape: tuple[int, ...], dtype: str) -> Array:
    """Return 0, 0, 1, 1 and so on."""
    return (np.arange(int(np.prod(shape))).reshape(shape) // 2 % 2).astype(NUMPY_TYPES[dtype])


def _draw_values(
    name: str, shape: tuple[int, ...], dtype: str, kinds: Mapping[str, str], role: str
) -> tuple[Array, ...]:
    """Return values for each inference, over the whole range of an integer type; none for further kinds of inputs.

    The output of an operator whose only input is a condition (WHERE) has another shape for other values.
    """
    rng = np.random.default_rng([*name.encode()])
    if kinds[role] == "predicate" and len(kinds) > 1:
        condition = rng.integers(0, 2, shape).astype(NUMPY_TYPES[dtype])
        return condition, ~condition
    if kinds[role] != "forwarded":
        return ()
    whole, (low, high) = (_FORWARDED, *shape), INTEGER_RANGES.get(dtype, (0, 1))
    reals = np.dtype(NUMPY_TYPES[dtype]).kind == "f"
    drawn = rng.normal(size=whole) if reals else rng.integers(low, high, whole, endpoint=True)
    return tuple(drawn.astype(NUMPY_TYPES[dtype]))
