"""Models of a single operator, run by litecheck and by LiteRT on the same inputs, and their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import Option
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from tests.differential.oracle import Oracle, Refused

Outputs = list[np.ndarray]
#: Mask of floats that differ too much: litecheck's and the runtime's, elementwise. Integers must be equal.
Far = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Trial:
    """Model of a single operator and its inputs by inference; ``title`` describes it."""

    title: str
    model: Model
    runs: tuple[tuple[np.ndarray, ...], ...]

    @property
    def inputs(self) -> tuple[np.ndarray, ...]:
        """Inputs of the first inference."""
        return self.runs[0]


@dataclass(frozen=True)
class Tensor:
    """Input or output: computed or constant."""

    values: np.ndarray
    quantization: Quantization | None = None
    constant: bool = False


@dataclass
class Score:
    """Elements compared, elements different (floats: by the mask of ``Far``), and models that LiteRT refused."""

    compared: int = 0
    different: int = 0
    worst: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)
    trials: int = 0

    def add(self, other: Score) -> None:
        self.trials += other.trials
        self.compared += other.compared
        self.different += other.different
        self.worst = max(self.worst, other.worst)
        self.examples += other.examples
        for message, count in other.refused.items():
            self.refused[message] = self.refused.get(message, 0) + count


def emptied(random: np.random.Generator, sizes: Sequence[int], share: float = 0.1) -> list[int]:
    """Return the lengths of dimensions, in some cases with a length of 0."""
    made = [int(n) for n in sizes]
    if made and random.random() < share:
        made[int(random.integers(len(made)))] = 0
    return made


def trial(
    title: str, opcode: str, operands: Sequence[Tensor], dtype: str, quantization: Quantization | None = None,
    shape: tuple[int, ...] = (), version: int = 2, **options: Option,
) -> Trial:  # fmt: skip
    """Return a model of a single operator with one output."""
    tensors = [
        constant(f"c{at}", o.values, o.quantization)
        if o.constant
        else run_time(f"x{at}", o.values.shape, o.values.dtype.name, o.quantization)
        for at, o in enumerate(operands)
    ]
    out = run_time("y", shape, dtype, quantization)
    model = one_operator(opcode, tensors, [out], options, version=version, description=title)
    return Trial(title, model, (tuple(o.values for o in operands if not o.constant),))


def ulps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distance of float32 values in units of the last place; 0 if both are NaN."""
    x, y = (v.view(np.int32).astype(np.int64) for v in (a, b))
    x, y = (np.where(v < 0, -(2**31) - v, v) for v in (x, y))
    return np.where(np.isnan(a) & np.isnan(b), 0, np.abs(x - y))


def differ(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return a mask of floats that are not equal; two NaN are equal."""
    return ulps(ours, theirs) > 0


def within(steps: int) -> Far:
    """Return a mask of floats that differ by more than ``steps`` float32 values."""
    return lambda ours, theirs: ulps(ours, theirs) > steps


def answers(case: Trial, theirs: Oracle, resolver: str) -> list[Outputs] | Refused:
    """Return a runtime's outputs for each inference, and its variables if the runtime shows them."""
    graph = case.model.subgraphs[0]
    variables = [t.index for t in graph.tensors if t.is_variable]
    if not (variables and theirs.shows_variables):
        return theirs.run_many(model_bytes(case.model), case.runs, resolver)
    kept = theirs.run_many(model_bytes(case.model), case.runs, resolver, keep_all=True)
    return (
        kept
        if isinstance(kept, Refused)
        else [[one[i] for i in (*graph.outputs, *variables)] for one in kept]
    )


def outputs(case: Trial, arithmetic: Arithmetic | str, variables: bool = True) -> list[Outputs]:
    """Return litecheck's outputs for each inference, from initial variables."""
    return list(inferences(case, arithmetic, variables))


def inferences(case: Trial, arithmetic: Arithmetic | str, variables: bool = True) -> Iterator[Outputs]:
    """Yield litecheck's outputs inference by inference."""
    interpreter = ReferenceInterpreter(case.model, arithmetic)
    for given in case.runs:
        interpreter.reset()
        found = list(interpreter.invoke(given).outputs.values())
        yield [*found, *(interpreter.variables[k] for k in sorted(interpreter.variables) if variables)]


def score(
    case: Trial,
    litert: Oracle,
    resolver: str,
    arithmetic: Arithmetic | str | None = None,
    far: Far = differ,
) -> Score:
    """Compare a trial."""
    variants = arithmetic or f"litert-{resolver}"
    return against(case, answers(case, litert, resolver), variants, far, litert.shows_variables)


def against(
    case: Trial, theirs: list[Outputs] | Refused, arithmetic: Arithmetic | str, far: Far, variables: bool
) -> Score:
    """Compare litecheck's outputs with a runtime's answers. Without a kernel, all elements differ."""
    if isinstance(theirs, Refused):
        return Score(refused={theirs.message.split("\n")[0][-90:]: 1})
    try:
        ours = outputs(case, arithmetic, variables)
    except RunError as error:
        size = theirs[0][0].size
        return Score(size, max(1, size), examples=[f"{case.title}: {error}"], trials=1)
    return compare(case.title, ours, theirs, far)


def compare(title: str, ours: Sequence[Outputs], theirs: Sequence[Outputs], far: Far = differ) -> Score:
    """Compare inference by inference and array by array: shape, type, every element."""
    total = Score(trials=1)
    for one, other in zip(ours, theirs, strict=True):
        for a, b in zip(one, other, strict=True):
            total.add(_array(title, a, b, far))
    return total


def _array(title: str, a: np.ndarray, b: np.ndarray, far: Far) -> Score:
    if a.shape != b.shape or a.dtype != b.dtype:
        text = f"{title}: {a.dtype}{a.shape}, LiteRT {b.dtype}{b.shape}"
        return Score(b.size, max(1, b.size), examples=[text])
    floats = a.dtype == np.float32
    off = ulps(a, b) if floats else np.abs(a.astype(np.float64) - b.astype(np.float64))
    wrong = far(a, b) if floats else off > 0
    found = []
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
        found = [f"{title}: {int(wrong.sum())} of {wrong.size}, at {at} {a[at]}, LiteRT {b[at]}"]
    return Score(b.size, int(wrong.sum()), float(off.max(initial=0)), examples=found)


def perturbed(case: Trial, scale: float = 1.0, zero_point: int = 0) -> Trial:
    """Return the trial with a changed output quantization: a control that must be noticed."""
    subgraph = case.model.subgraphs[0]
    tensors = list(subgraph.tensors)
    for index in subgraph.outputs:
        given = tensors[index].quantization
        quantization = replace(
            given, scale=given.scale * np.float32(scale), zero_point=given.zero_point + zero_point
        )
        tensors[index] = replace(tensors[index], quantization=quantization)
    return replace(case, model=replace(case.model, subgraphs=(replace(subgraph, tensors=tuple(tensors)),)))


def noticed(
    case: Trial, other: Trial, litert: Oracle, resolver: str, arithmetic: Arithmetic | str | None = None
) -> int:
    """Return the number of elements that differ if litecheck computes a different trial than LiteRT."""
    theirs = answers(case, litert, resolver)
    assert not isinstance(theirs, Refused)
    ours = outputs(other, arithmetic or f"litert-{resolver}", litert.shows_variables)
    return compare(case.title, ours, theirs).different


def changed(arithmetic: Arithmetic, stages: Mapping[str, Mapping[str, str]]) -> Arithmetic:
    """Return an arithmetic with different variants for some stages of some operators."""
    fields: dict[str, Any] = {
        name: getattr(arithmetic, name) for name in ("title", "source", "file", "reasons")
    }
    merged = {opcode: {**arithmetic.variants(opcode), **own} for opcode, own in stages.items()}
    return Arithmetic(name=arithmetic.name, stages={**arithmetic.stages, **merged}, **fields)
