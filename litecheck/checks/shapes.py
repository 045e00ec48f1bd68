"""Check ``shapes``: the inputs have compatible shapes, and the outputs have the shapes that the operator computes.

LiteRT computes the shape of every output and continues with this shape. A wrong stated shape causes no fault in later
operators; it affects only programs that rely on the file.
"""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Check, Fault, at
from litecheck.finding import IGNORED, Level
from litecheck.model.shapes import Shape
from litecheck.model.types import Tensor
from litecheck.profile.types import Constraint, OperatorRule, Requirement


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: inputs with incompatible shapes first, then outputs with another shape than the law computes."""

    def check(bound: BoundOperator) -> Sequence[Fault]:
        inferred = bound.context.shapes
        misfit = inferred.misfits.get(bound.operator.index)
        if misfit is not None:
            return (Fault(misfit.found, role=misfit.role),)
        shapes, faults = inferred.shapes, []
        for role in rule.outputs:
            for operand in bound.roles[role]:
                shape = shapes[operand.tensor.index]
                tensor = operand.tensor
                if shape is None or shape == tensor.shape:
                    continue
                if not tensor.shape and not tensor.has_rank:
                    faults.append(_other(operand, shape, "note"))
                elif _differs(tensor, shape):
                    faults.append(_other(operand, shape, "warning"))
        return faults

    return check


def _differs(tensor: Tensor, shape: Shape) -> bool:
    """Return True if a stated shape contradicts the shape at run time; an unknown dimension contradicts no size."""
    stated, signature = tensor.shape, tensor.shape_signature
    if len(stated) != len(shape):
        return True
    free = signature if signature is not None and len(signature) == len(stated) else stated
    return any(
        b is not None and a != b and known >= 0 for a, b, known in zip(stated, shape, free, strict=True)
    )


def _other(operand: BoundOperand, shape: Shape, level: Level) -> Fault:
    """Return the fault of an output with a wrong stated shape; an output without a stated shape gets a note."""
    made = f"[{', '.join('?' if n is None else str(n) for n in shape)}]"
    return at(
        operand, f"its shape is {list(operand.tensor.shape)}", level=level,
        required=f"shape {made}, which its operator gives it",
        because="a compiler may trust the file where LiteRT works out the shape itself",
        effect=IGNORED,
    )  # fmt: skip
