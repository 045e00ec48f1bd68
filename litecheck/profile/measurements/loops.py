"""Measurements of loops: the end of a loop that counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from litecheck.model.graph import wiring_of
from litecheck.model.links import subgraph_calls
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.subgraph_io import with_call
from litecheck.profile.measurements.vocabulary import of
from litecheck.profile.operator_plan import Plan

#: Comparisons of a counter with a bound: the direction in which the counter reaches the bound, and the distance of the
#: last accepted value from the bound.
_COMPARISONS = {"LESS": (1, -1), "LESS_EQUAL": (1, 0), "GREATER": (-1, 1), "GREATER_EQUAL": (-1, 0)}
#: Comparisons that hold for every value that is compared with itself.
_REFLEXIVE = ("EQUAL", "LESS_EQUAL", "GREATER_EQUAL")
#: Results of fused activations: the smallest and the largest value.
_ACTIVATIONS = {0: (None, None), 1: (0, None), 2: (-1, 1), 3: (0, 6)}
#: Position of the counter among the inputs of a condition, the last value that the condition accepts, and the direction.
Count: TypeAlias = tuple[int, int, int]


def _set_end(plan: Plan, value: str) -> Plan | None:
    """Make the condition a constant: true for a loop that never ends."""
    plan, true = with_call(plan), np.ones(1, np.bool_)
    calls = tuple(
        replace(c, outputs=(c.outputs[0].but(shape=(1,), values=true),)) if "cond" in c.option else c
        for c in plan.calls
    )
    return plan.but(calls=calls) if value == "never" else plan


@measures(_set_end, "never", "possible", gives=of("never or possible", "never", "possible"))
def loop_end(operands: Operands) -> Measured:
    """``never`` if the condition of a loop holds after every iteration, else ``possible``. Example: a condition n < 3 and
    a body that subtracts 1 from n give ``never``.

    The condition is a constant, compares a tensor with itself, or compares a counter of integers with a constant; the body
    adds a constant to the counter, subtracts a constant from it, or returns it unchanged. With a rising bound the last
    accepted counter decides: if the body returns an accepted value for it, it does so for all smaller values.
    """
    calls, subgraphs = dict(subgraph_calls(operands.operator)), operands.model.subgraphs
    numbers = [calls.get(name, -1) for name in ("cond_subgraph_index", "body_subgraph_index")]
    if not all(0 <= n < len(subgraphs) for n in numbers):
        return None
    condition, body = (subgraphs[n] for n in numbers)
    return "never" if _always_true(condition) or _stays_accepted(condition, body) else "possible"


def _always_true(condition: Subgraph) -> bool:
    """Return True if a condition is a constant, or compares a tensor with itself."""
    result = _tensor(condition, condition.outputs[0] if condition.outputs else -1)
    if result is None:
        return False
    if result.data is not None:
        return len(result.data) > 0 and bool(result.data.all())
    made = _producer(condition, result.index)
    same = made is not None and len(made.inputs) == 2 and made.inputs[0] == made.inputs[1]
    return same and made is not None and made.opcode in _REFLEXIVE and _counts(condition, made.inputs[0])


def _stays_accepted(condition: Subgraph, body: Subgraph) -> bool:
    """Return True if the body turns every counter that the condition accepts into an accepted counter."""
    count = _read_condition(condition)
    step = None if count is None else _read_step(body, count[0])
    if count is None or step is None:
        return False
    _, last, direction = count
    return (step(last) - last) * direction <= 0


def _read_condition(condition: Subgraph) -> Count | None:
    made = _producer(condition, condition.outputs[0] if condition.outputs else -1)
    if made is None or made.opcode not in _COMPARISONS or len(made.inputs) != 2:
        return None
    direction, beyond = _COMPARISONS[made.opcode]
    counter, bound = made.inputs
    if counter not in condition.inputs:  # 3 > n is n < 3
        counter, bound, direction, beyond = bound, counter, -direction, -beyond
    limit = _integer(condition, bound)
    if counter not in condition.inputs or limit is None or not _counts(condition, counter):
        return None
    return condition.inputs.index(counter), limit + beyond, direction


def _read_step(body: Subgraph, position: int) -> Callable[[int], int] | None:
    """Return the function from a counter to the counter of the next iteration; it never decreases."""
    if len(body.inputs) != len(body.outputs) or position >= len(body.inputs):
        return None
    counter, result = body.inputs[position], body.outputs[position]
    if result == counter:
        return lambda n: n
    made = _producer(body, result)
    if (
        made is None
        or made.opcode not in ("ADD", "SUB")
        or len(made.inputs) != 2
        or not _counts(body, result)
    ):
        return None
    lhs, rhs = made.inputs
    if lhs != counter and made.opcode == "ADD":
        lhs, rhs = rhs, lhs
    step = _integer(body, rhs)
    activation = made.options.get("fused_activation_function", 0) if made.options else 0
    if lhs != counter or step is None or activation not in _ACTIVATIONS:
        return None
    low, high = _ACTIVATIONS[activation]
    added = step if made.opcode == "ADD" else -step

    def after(n: int) -> int:
        n = n + added if low is None else max(n + added, low)
        return n if high is None else min(n, high)

    return after


def _producer(subgraph: Subgraph, index: int) -> Operator | None:
    """Return the only operator that writes a tensor."""
    wiring = wiring_of(subgraph)
    number = wiring.first_writer.get(index)
    is_only = number is not None and number == wiring.last_writer.get(index)
    return subgraph.operators[number] if is_only and number is not None else None


def _tensor(subgraph: Subgraph, index: int) -> Tensor | None:
    return subgraph.tensors[index] if 0 <= index < len(subgraph.tensors) else None


def _counts(subgraph: Subgraph, index: int) -> bool:
    """Return True if a tensor has plain integers."""
    tensor = _tensor(subgraph, index)
    return tensor is not None and tensor.dtype in ("int32", "int64") and not tensor.quantization.is_set


def _integer(subgraph: Subgraph, index: int) -> int | None:
    """Return a constant of one plain integer."""
    tensor = _tensor(subgraph, index)
    values = constant_integers(tensor) if tensor is not None and _counts(subgraph, index) else None
    return int(values[0]) if values is not None and values.size == 1 else None
