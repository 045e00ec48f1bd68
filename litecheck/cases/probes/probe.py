"""A probe: a model of one operator, and inputs chosen so that ways of computing it give different outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.arrays import Array, Arrays
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import Option
from litecheck.model.types import Model, Subgraph
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import TensorPlan
from litecheck.quantization import Quantization
from litecheck.reference.engine.interpreter import Machine


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """``name`` says what is special about it; ``opcode`` is the operator's kind.

    ``accumulators`` are the sums before rescaling for each element of the first run's output, where they are known
    without computing: a sum of products whose inputs are zero points is its bias. ``order`` says which of the runs are
    asked for one after the other, where not each of them once. A model's own operator has its file as ``source``, what
    probes are named after as ``called`` (``#12``), and what the model calls it as ``title``.
    A ``series`` hands state on from run to run.
    """

    name: str
    opcode: str
    model: Model
    runs: tuple[Arrays, ...]
    accumulators: Array | None = None
    order: tuple[int, ...] = ()
    series: bool = False
    source: str = ""
    called: str = ""
    title: str = ""

    @property
    def asked(self) -> tuple[int, ...]:
        """The numbers of the runs in the order in which the device is asked for them."""
        return self.order or tuple(range(len(self.runs)))

    @property
    def subgraph(self) -> Subgraph:
        """The one that is run."""
        return self.model.subgraphs[0]


@dataclass(frozen=True, slots=True, eq=False)
class ProbeOperand:
    """An operand: constant, or what the first run is given."""

    values: Array
    quantization: Quantization | None = None
    constant: bool = False

    def planned(self, name: str) -> TensorPlan:
        """The tensor it becomes."""
        if self.constant:
            return constant(name, self.values, self.quantization)
        return run_time(name, self.values.shape, self.values.dtype.name, self.quantization)


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """The output's type and quantization; its shape follows."""

    quantization: Quantization | None
    dtype: str = "int8"


@dataclass(frozen=True, slots=True, eq=False)
class More:
    """Further runs, as the values of the first operand that is not constant; known accumulators."""

    runs: Sequence[Array] = ()
    accumulators: Array | None = None
    options: Mapping[str, Option] = field(default_factory=dict)


def probe(
    name: str, opcode: str, operands: Sequence[ProbeOperand], wanted: Wanted, more: More | None = None
) -> Probe:
    """The probe of an operator with one output."""
    more = more or More()
    names = (f"constant {at}" if operand.constant else f"input {at}" for at, operand in enumerate(operands))
    tensors = [operand.planned(name) for operand, name in zip(operands, names, strict=True)]
    output = run_time("output", (1,), wanted.dtype, wanted.quantization)
    made = one_operator(
        opcode, tensors, [output], more.options, version=facts_of(opcode).version, description=name
    )
    first = tuple(operand.values for operand in operands if not operand.constant)
    runs = (first, *((other, *first[1:]) for other in more.runs))
    model, shape = _shaped(made, first)
    known = None if more.accumulators is None else np.broadcast_to(more.accumulators, shape)
    return Probe(name, opcode, model, runs, known)


def _shaped(model: Model, inputs: Arrays) -> tuple[Model, tuple[int, ...]]:
    """The model with the output's shape as the reference computes it."""
    graph = model.subgraphs[0]
    (output,) = graph.outputs
    shape = Machine(model).run(graph, inputs)[output].shape
    tensors = tuple(replace(t, shape=shape) if t.index == output else t for t in graph.tensors)
    return replace(model, subgraphs=(replace(graph, tensors=tensors),)), shape


def drawn(rng: np.random.Generator, *shape: int) -> Array:
    """All int8 values alike."""
    return rng.integers(-128, 128, shape, np.int8)
