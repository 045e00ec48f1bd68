"""Probes of shapes: an operator in the shapes of its covering design, and plain models of operators that move data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from litecheck.arrays import Array
from litecheck.cases import model_parts
from litecheck.cases.geometry.design import ONCE, design_of, designed_operators
from litecheck.cases.geometry.layout import Layout
from litecheck.cases.geometry.resized_operators import variants, with_shapes
from litecheck.cases.inputs import draw_inputs
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.cases.probes.catalogue import probed_operators
from litecheck.cases.probes.probe import Probe
from litecheck.checks.validate import validate
from litecheck.model.build import qparams
from litecheck.model.types import Model, Subgraph
from litecheck.profile.operator_plan import TensorPlan
from litecheck.profile.operators import traits_of
from litecheck.quantization import Quantization
from litecheck.reference.registry import kernels

#: Parameters of all tensors of a plain model.
_SCALES = qparams(0.05, 3)
#: Types and parameters of the outputs, in order of preference.
_OUTPUTS: Sequence[tuple[str, Quantization | None]] = (("int8", _SCALES), ("bool", None), ("int32", None))


@cache
def moving() -> tuple[str, ...]:
    """Return the operators with a design whose kernels have no variants: they move, select or compare values."""
    known = kernels()
    names = (name for name in designed_operators() if name not in probed_operators() and known.get(name))
    return tuple(name for name in names if not any(k.steps for k in known[name]) and _plain_model(name))


@cache
def moves(opcode: str, seed: int) -> tuple[Probe, ...]:
    """Return the probes of an operator that moves data: a plain model in every shape of its design."""
    model = _plain_model(opcode)
    return () if model is None else tuple(vary_shapes(Probe("", opcode, model, ()), seed))


def vary_shapes(base: Probe, seed: int) -> Iterator[Probe]:
    """Yield an operator in the shapes of its design, each with random values."""
    for variant in variants(base.model, ONCE):
        main = variant.model.subgraphs[0]
        case = next(model_parts.operators(variant.model, main))
        stimulus = draw_inputs(case, _conditions(base.opcode, main), seed)
        if stimulus is not None:
            name = " ".join(filter(None, (base.operator_name, f"in shape {variant.name}")))
            yield Probe(
                name, base.opcode, variant.model, (stimulus.arrays,),
                source=base.source, operator_name=base.operator_name, title=base.title, resized=True,
            )  # fmt: skip


def _conditions(opcode: str, main: Subgraph) -> Mapping[int, Array]:
    """Return the values of conditions, alternately two True and two False."""
    facts, operator = traits_of(opcode), main.operators[0]
    shapes = {i: main.tensors[i].shape for i in main.inputs if main.tensors[i].dtype == "bool"}
    return {
        i: (np.arange(np.prod(shape, dtype=int)) // 2 % 2 == 0).reshape(shape)
        for i, shape in shapes.items()
        if facts.steers(facts.role(operator.inputs.index(i)))
    }


@cache
def _plain_model(opcode: str) -> Model | None:
    """Return an operator in int8 in its usual shape, with one scale for all tensors; None if the rules forbid it."""
    design = design_of(opcode)
    layout = design.layout_of(design.usual) if design else None
    if layout is None:
        return None
    for version in (1, traits_of(opcode).version):
        for dtype, scales in _OUTPUTS:
            outputs = [run_time(f"output {n}", (), dtype, scales) for n in range(layout.results)]
            operands = tuple(_operands(layout, opcode))
            model = with_shapes(one_operator(opcode, operands, outputs, layout.options, version=version))
            if model is not None and validate(model).coverage["conforms"]:
                return model
    return None


def _operands(layout: Layout, opcode: str) -> Iterator[TensorPlan]:
    """Yield the operands of a layout; data that the layout does not name are a constant of one element."""
    for role, meaning in traits_of(opcode).inputs.items():
        if role not in layout.operands and meaning == "data":
            yield constant(role, np.array([7], np.int8), _SCALES)
        for n, part in enumerate(layout.operands.get(role, ())):
            name = f"{role} {n}"
            if part.values is not None:
                yield constant(name, np.asarray(part.values, np.int32))
            elif meaning == "predicate":
                yield run_time(name, part.shape, "bool")
            else:
                yield run_time(name, part.shape, "int8", _SCALES)
