"""Variants of an operator in the shapes of its covering design, with its own types, parameters and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.design import design_of, rows_of
from litecheck.cases.geometry.layout import Layout
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.cases.template_operand import TemplateOperand
from litecheck.checks.validate import validate
from litecheck.model.shapes.infer import infer
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.profile.load import law_of
from litecheck.profile.operator_plan import TensorPlan
from litecheck.profile.operators import traits_of
from litecheck.quantization import Quantization


@dataclass(frozen=True, slots=True, eq=False)
class ShapeVariant:
    """An operator in another shape: the ``row`` of its design, and the model."""

    row: Row
    model: Model

    @property
    def name(self) -> str:
        """The factors that differ from their usual values. Example: ``batch 5, width 260``."""
        design = design_of(self.model.subgraphs[0].operators[0].opcode)
        usual: Mapping[str, str] = design.usual if design else {}
        unusual = (f"{k.replace('_', ' ')} {v}" for k, v in self.row.items() if usual.get(k) != v)
        return ", ".join(unusual) or "usual shape"


def variants(model: Model, strength: int) -> Iterator[ShapeVariant]:
    """Yield an operator in every shape of its design in which combinations of ``strength`` values occur.

    Constants repeat their values, and scales per channel repeat. Operators without a design, and shapes that
    violate further rules have no variant. Example: a 3 x 3 convolution of a model with width 260 and batch 5.
    """
    opcode = model.subgraphs[0].operators[0].opcode
    design = design_of(opcode)
    if design is None:
        return
    allowed = _violated_paths(model)
    for row in rows_of(opcode, strength):
        layout = design.layout_of(row)
        made = None if layout is None else with_shapes(_resize_operator(model, layout))
        if made is not None and _violated_paths(made) <= allowed:
            yield ShapeVariant(row, made)


def _violated_paths(model: Model) -> set[str]:
    """Return the paths of the violated requirements."""
    return {f.path for f in validate(model).findings if f.level == "violation"}


def _resize_operator(model: Model, layout: Layout) -> Model:
    """Return the operator with the operands and options of a layout; outputs have no shape yet."""
    main = model.subgraphs[0]
    operator = main.operators[0]
    operands = list(_operands(main, layout))
    if layout.aliased and operands[0] is not None:
        first = operands[0]
        operands = [first if plan is not None and plan.shape == first.shape else plan for plan in operands]
    made = [main.tensors[i] for i in operator.outputs]
    count = layout.results if len(traits_of(operator.opcode).outputs) == 1 else len(made)
    sources = (made[n % len(made)] for n in range(count))
    outputs = [run_time(f"output {n}", (), t.dtype, t.quantization) for n, t in enumerate(sources)]
    stated: Mapping[str, Any] = operator.options.fields if operator.options else {}
    options = {**stated, **layout.options}
    return one_operator(operator.opcode, operands, outputs, options, version=operator.version)


def _operands(main: Subgraph, layout: Layout) -> Iterator[TensorPlan | None]:
    """Yield the operands by role; those that the layout does not name stay."""
    operator = main.operators[0]
    facts = traits_of(operator.opcode)
    sources: dict[str, list[Tensor]] = {}
    for place, index in enumerate(operator.inputs):
        if index >= 0:
            sources.setdefault(facts.role(place), []).append(main.tensors[index])
    for role in facts.inputs:
        several = sources.get(role, [])
        parts = layout.operands.get(role) or tuple(TemplateOperand(tensor.shape) for tensor in several)
        if not several:
            yield None
        for n, part in enumerate(parts if several else ()):
            yield _resize_tensor(several[min(n, len(several) - 1)], part, f"{role} {n}")


def _resize_tensor(tensor: Tensor, part: TemplateOperand, name: str) -> TensorPlan:
    """Return a tensor in another shape; a constant stays a constant."""
    if part.values is not None:
        return constant(name, np.asarray(part.values, tensor.dtype))
    scales = _repeat_scales(tensor.quantization, part.shape)
    values = stored_integers(tensor)
    if values is None:
        return run_time(name, part.shape, tensor.dtype, scales)
    return constant(name, np.resize(values, part.shape), scales, tensor.dtype)


def _repeat_scales(scales: Quantization, shape: tuple[int, ...]) -> Quantization:
    """Return the scales of channels for another number of channels."""
    if scales.scale.size < 2:
        return scales
    count = shape[scales.axis]
    return replace(
        scales, scale=np.resize(scales.scale, count), zero_point=np.resize(scales.zero_point, count)
    )


def with_shapes(model: Model) -> Model | None:
    """Return the model with the shapes of its outputs; None if its operands do not fit each other."""
    main = model.subgraphs[0]
    inferred = infer(model, main, law_of)
    tensors = list(main.tensors)
    for index in main.operators[0].outputs:
        shape = inferred.shapes[index]
        if inferred.misfits or shape is None:
            return None
        tensors[index] = replace(tensors[index], shape=tuple(n if n is not None else 1 for n in shape))
    return replace(model, subgraphs=(replace(main, tensors=tuple(tensors)),))
