"""Probe: a one-operator model, and inputs for which variants of the operator give different outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.arrays import Array, Arrays
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import Option
from litecheck.model.types import Model, Subgraph
from litecheck.profile.operator_plan import TensorPlan
from litecheck.profile.operators import traits_of
from litecheck.quantization import Quantization
from litecheck.reference.engine.interpreter import ReferenceInterpreter


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """Probe of an operator. ``name`` describes its special feature; ``opcode`` is the operator's kind.

    ``accumulators`` are the sums before rescaling for each element of the first run's output, if they are known without
    a computation: a sum of products with all inputs at the zero point is its bias. ``order`` is the order of the runs,
    unless each is run once. A probe of a model's own operator has the model's file as ``source``, the prefix of probe
    names as ``operator_name`` (``#12``), and its name in the model as ``title``. In a ``series`` state persists from run to
    run. ``resized`` is True for an operator in another shape.
    """

    name: str
    opcode: str
    model: Model
    runs: tuple[Arrays, ...]
    accumulators: Array | None = None
    order: tuple[int, ...] = ()
    series: bool = False
    source: str = ""
    operator_name: str = ""
    title: str = ""
    resized: bool = False

    @property
    def run_order(self) -> tuple[int, ...]:
        """Numbers of the runs in the order of execution on the device."""
        return self.order or tuple(range(len(self.runs)))

    @property
    def subgraph(self) -> Subgraph:
        """The subgraph that is run."""
        return self.model.subgraphs[0]


@dataclass(frozen=True, slots=True, eq=False)
class ProbeOperand:
    """Tensor of a probe: a constant, or an input of the first run."""

    values: Array
    quantization: Quantization | None = None
    constant: bool = False

    def tensor_plan(self, name: str) -> TensorPlan:
        """Return the planned tensor: a constant or an input."""
        if self.constant:
            return constant(name, self.values, self.quantization)
        return run_time(name, self.values.shape, self.values.dtype.name, self.quantization)


@dataclass(frozen=True, slots=True, eq=False)
class ProbeOutput:
    """Type and quantization of the output; the reference computes its shape."""

    quantization: Quantization | None
    dtype: str = "int8"


@dataclass(frozen=True, slots=True, eq=False)
class ProbeExtras:
    """Further runs (values of the first operand that is not constant), known accumulators, and options."""

    runs: Sequence[Array] = ()
    accumulators: Array | None = None
    options: Mapping[str, Option] = field(default_factory=dict)


def probe(
    name: str,
    opcode: str,
    operands: Sequence[ProbeOperand],
    wanted: ProbeOutput,
    more: ProbeExtras | None = None,
) -> Probe:
    """Return the probe of an operator with one output."""
    more = more or ProbeExtras()
    names = (f"constant {at}" if operand.constant else f"input {at}" for at, operand in enumerate(operands))
    tensors = [operand.tensor_plan(name) for operand, name in zip(operands, names, strict=True)]
    output = run_time("output", (1,), wanted.dtype, wanted.quantization)
    made = one_operator(
        opcode, tensors, [output], more.options, version=traits_of(opcode).version, description=name
    )
    first = tuple(operand.values for operand in operands if not operand.constant)
    runs = (first, *((other, *first[1:]) for other in more.runs))
    model, shape = _infer_output_shape(made, first)
    known = None if more.accumulators is None else np.broadcast_to(more.accumulators, shape)
    return Probe(name, opcode, model, runs, known)


def _infer_output_shape(model: Model, inputs: Arrays) -> tuple[Model, tuple[int, ...]]:
    """Return the model with the output's shape as the reference computes it."""
    graph = model.subgraphs[0]
    (output,) = graph.outputs
    shape = ReferenceInterpreter(model).run(graph, inputs)[output].shape
    tensors = tuple(replace(t, shape=shape) if t.index == output else t for t in graph.tensors)
    return replace(model, subgraphs=(replace(graph, tensors=tensors),)), shape


def draw_int8(rng: np.random.Generator, *shape: int) -> Array:
    """Return uniform random int8 values."""
    return rng.integers(-128, 128, shape, np.int8)
