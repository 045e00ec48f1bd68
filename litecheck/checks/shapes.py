"""Check ``shapes``: the inputs have compatible shapes, and the outputs have the shapes that the operator computes.

LiteRT computes the shape of every output and continues with this shape. A wrong stated shape causes no fault in later
operators; it affects only programs that rely on the file. The default delegate converts some constants at load with the
shape in the file: there, a wrong stated shape is a violation. TFLM computes with the shapes in the file: a wrong stated
shape, and a shape that is known only at run time, are violations.
"""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Check, Fault, at
from litecheck.finding import IGNORED, Level
from litecheck.model.shapes import Shape, ShapeError
from litecheck.model.types import Tensor
from litecheck.profile.measurements.register import DELEGATED
from litecheck.profile.measurements.registry import measurement
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Constraint, OperatorRule, Requirement
from litecheck.profile.unpacked_constants import is_unpacked


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: inputs with incompatible shapes first, then outputs with another shape than the law computes."""
    if rule.stored_shapes:
        return _check_stored(rule)

    def check(bound: BoundOperator) -> Sequence[Fault]:
        inferred = bound.context.shapes
        misfit = inferred.misfits.get(bound.operator.index)
        if misfit is not None:
            if misfit.kind == "condition" and _states_other_condition(bound):
                return ()  # a limit on the shape in the file reports it
            return (Fault(misfit.found, role=misfit.role, kind=_kind_of(bound, misfit)),)
        shapes, faults = inferred.shapes, []
        for role in rule.outputs:
            for operand in bound.roles[role]:
                shape = shapes[operand.tensor.index]
                tensor = operand.tensor
                if shape is None or shape == tensor.shape:
                    continue
                if is_unpacked(bound.context.subgraph, tensor):
                    faults.append(_unpacked_shape_fault(bound, operand, shape))
                elif not tensor.shape and not tensor.has_rank:
                    faults.append(_stated_shape_fault(operand, shape, "note"))
                elif _contradicts(tensor, shape):
                    faults.append(_stated_shape_fault(operand, shape, "warning"))
        return faults

    return check


def _states_other_condition(bound: BoundOperator) -> bool:
    """Return True if the file states a shape for the condition of a loop that is no single value."""
    operands = bound.measurable()
    rank, size = (measurement(f"condition_{name}")(operands) for name in ("rank", "elements"))
    return rank not in (0, 1) or size != 1


#: Kinds of a rank that the default delegate computes if the rank in the file, which it checks, is right.
_DELEGATED_RANKS = ("pointwise", "padded_rank")
#: Kinds that depend on the kernel: that of the default delegate has types of its own.
_OF_KERNELS = ("bias_length", "inferred_zero", "repeated_axis", *_DELEGATED_RANKS)


def _kind_of(bound: BoundOperator, misfit: ShapeError) -> str:
    """Return the kind of a contradiction of shapes, which may depend on the kernel.

    Kernels read an index input that is an input of the model, or empty, when the model runs.
    """
    kind, operands = misfit.kind, bound.roles.get(misfit.role or "", ())
    if not kind and operands and traits_of(bound.rule.opcode).reads_when_run(operands[0].role):
        given = operands[0].tensor.index in bound.context.subgraph.inputs
        return "late_index" if given or not operands[0].tensor.size else ""
    if kind not in _OF_KERNELS:
        return kind
    source = bound.facts("input")
    delegated = source is not None and source.dtype in (*DELEGATED, "uint8")
    if kind == "repeated_axis":
        return "repeated_axis_delegated" if delegated else kind
    wrong_in_file = kind in _DELEGATED_RANKS and bound.operator.index in bound.context.stored_shapes.misfits
    return kind if delegated and not wrong_in_file else ""


def _check_stored(rule: OperatorRule) -> Check:
    """Return the check for a runtime that computes with the shapes in the file."""

    def check(bound: BoundOperator) -> Sequence[Fault]:
        inferred, index = bound.context.stored_shapes, bound.operator.index
        misfit = inferred.misfits.get(index)
        if misfit is not None:
            return (Fault(misfit.found, role=misfit.role, kind="incompatible"),)
        outputs = (operand for role in rule.outputs for operand in bound.roles[role])
        faults = (
            _stored_shape_fault(operand, shape)
            for operand, shape in zip(outputs, inferred.results.get(index, ()), strict=False)
        )
        return [fault for fault in faults if fault is not None]

    return check


def _stored_shape_fault(operand: BoundOperand, shape: Shape | None) -> Fault | None:
    """Return the fault of an output with a shape in the file that its operator does not compute, or may not compute.

    Example: shape [1, 1, 1] with signature [-1, 1, 1] of a SLICE with a computed size.
    """
    stated, signature = operand.tensor.shape, operand.tensor.shape_signature
    if signature is None or len(signature) != len(stated):
        signature = stated
    if 0 in stated and len(stated) > 1:
        because = "the runtime treats a tensor without elements as a dynamic tensor"
        found = f"its shape is {list(stated)}"
        return at(operand, found, required="at least one element", because=because, effect="fails to load")
    known = shape if shape is not None else (None,) * len(stated)
    if len(known) != len(stated) or any(b is not None and a != b for a, b in zip(stated, known, strict=True)):
        return at(
            operand,
            f"its shape is {list(stated)}",
            required=f"shape {_text(known)}, which its operator gives it",
        )
    if any(b is None and s < 0 for b, s in zip(known, signature, strict=True)):
        found = f"its shape is {_text([None if s < 0 else s for s in signature])}, known only at run time"
        return at(operand, found, required="a shape that the file states", kind="computed")
    return None


def _contradicts(tensor: Tensor, shape: Shape) -> bool:
    """Return True if a stated shape contradicts the shape at run time; an unknown dimension contradicts no size."""
    stated, signature = tensor.shape, tensor.shape_signature
    if len(stated) != len(shape):
        return True
    free = signature if signature is not None and len(signature) == len(stated) else stated
    return any(
        b is not None and a != b and known >= 0 for a, b, known in zip(stated, shape, free, strict=True)
    )


def _stated_shape_fault(operand: BoundOperand, shape: Shape, level: Level) -> Fault:
    """Return the fault of an output with a wrong stated shape; an output without a stated shape gets a note."""
    return at(
        operand, f"its shape is {list(operand.tensor.shape)}", level=level,
        required=f"shape {_text(shape)}, which its operator gives it",
        because="a compiler may trust the file where LiteRT works out the shape itself",
        effect=IGNORED,
    )  # fmt: skip


def _unpacked_shape_fault(bound: BoundOperator, operand: BoundOperand, shape: Shape) -> Fault:
    """Return the fault of an output that the default delegate computes at load, in the shape that the file states.

    Example: constant int8 weights [4, 6] under DEQUANTIZE, with an output of shape [4, 5].
    """
    given = bound.context.subgraph.tensors[bound.operator.inputs[0]]
    return at(
        operand,
        f"its shape is {list(operand.tensor.shape)}",
        required=f"shape {_text(shape)}, which its operator gives it",
        because="the default delegate converts the constant at load, with the shape in the file",
        kind=f"{given.dtype}_beyond" if operand.tensor.size < given.size else "unpacked",
    )


def _text(shape: Sequence[int | None]) -> str:
    """Return a shape as text. Example: ``[?, 3]``."""
    return f"[{', '.join('?' if n is None else str(n) for n in shape)}]"
