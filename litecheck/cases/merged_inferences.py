"""Several inferences of an operator merged into a single run, which saves the fixed cost of each kernel call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from litecheck.arrays import Array, Arrays, StackedRuns, join_inferences, stack_inferences
from litecheck.cases.inputs import has_codes
from litecheck.model.types import Model, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.dispatch import find_kernel
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.numerics.broadcast import chunks
from litecheck.reference.runtime_tensors import RunError

#: Longest and shortest vector of the loops. A loop can compute the remainder differently; without a remainder,
#: additional elements do not change an element.
_VECTOR, _SHORTEST = 16, 8
#: Largest number of elements of a merged run: for element-wise operators, and for sums. Larger tensors are computed
#: alone.
_ELEMENTS, _SUMS = 1 << 16, 1 << 14
#: Ties of an operator in which each output image depends only on the input image of the same index.
_IMAGES = {"input": 0, "output": 0}
#: Types with the same vector loops for equal and for different input shapes.
_BYTES = ("int8", "uint8")


class _Layout(NamedTuple):
    """Layout of at most ``most`` inferences side by side.

    They are concatenated along the first axis, or stacked along a new axis in front of ``rank`` dimensions. With
    ``twice``, the second input is repeated, and only the output of the first copy counts.
    """

    most: int
    rank: int | None = None
    twice: bool = False

    def stacked_shape(self, shape: tuple[int, ...], number: int, count: int) -> tuple[int, ...]:
        """Return the shape of ``count`` copies of input ``number``, along a new axis.

        For example, 4 copies of (1, 8) in rank 3 have shape (4, 1, 1, 8).
        """
        copies = (number + 1,) if self.twice else ()
        return (count, *copies, *(1,) * ((self.rank or 0) - len(shape)), *shape)

    def together(self, number: int, stack: Array) -> Array:
        """Return input ``number`` of several inferences, (inferences, *shape), as the input of one run."""
        count, *shape = stack.shape
        if self.rank is None:
            return stack.reshape((count * shape[0], *shape[1:]))
        beside = self.stacked_shape(tuple(shape), number, count)
        return stack.repeat(number + 1 if self.twice else 1, 0).reshape(beside)

    def split_output(self, made: Array, count: int) -> Array:
        """Return the output of that run as (inferences, *shape)."""
        if self.rank is None:
            return made.reshape((count, len(made) // count, *made.shape[1:]))
        return made[:, 0] if self.twice else made


def together(model: Model) -> int:
    """Return the number of inferences of a model that can be merged into a run.

    More than 1 for an operator on integers of at most 16 bits, in two cases. Each output element depends on input
    elements, or each output image on an input image and constants.
    """
    layout = _layout(model)
    return layout.most if layout else 1


_LAYOUTS: WeakKeyDictionary[Model, _Layout | None] = WeakKeyDictionary()


def _layout(model: Model) -> _Layout | None:
    """Return the layout of a model's inferences, cached for the model's lifetime; None if they cannot be merged."""
    if model not in _LAYOUTS:
        _LAYOUTS[model] = _find_layout(model)
    return _LAYOUTS[model]


def _find_layout(model: Model) -> _Layout | None:
    main = model.subgraphs[0]
    used = [main.tensors[index] for index in (*main.inputs, *main.outputs)]
    size = max((t.size for t in used), default=0)
    alike = all(t.dtype == "bool" or (has_codes(t) and t.quantization.scale.size == 1) for t in used)
    if (
        len(main.operators) != 1
        or not size
        or not alike
        or not set(main.outputs) <= set(main.operators[0].outputs)
    ):
        return None
    if traits_of(main.operators[0].kind).elementwise:
        return _elementwise_layout(main, _ELEMENTS // size) if 2 * size <= _ELEMENTS else None
    return _Layout(_SUMS // size) if 2 * size <= _SUMS and _is_image_wise(main) else None


def _elementwise_layout(main: Subgraph, most: int) -> _Layout | None:
    """Return the layout of an operator in which each output element depends on single input elements, or None.

    Vector loops must have the same remainder as in each inference alone.
    """
    (operator,) = main.operators
    if not set(operator.outputs) <= set(main.outputs) or any(index < 0 for index in operator.inputs):
        return None
    try:
        vectors = find_kernel(main, operator).in_vectors
    except RunError:
        return None
    operands = [main.tensors[index] for index in operator.inputs]
    shapes = {main.tensors[index].shape for index in (*operator.inputs, *operator.outputs)}
    whole = not vectors or not operands[0].size % _VECTOR
    if len(shapes) == 1 and () not in shapes and whole and set(operator.inputs) <= set(main.inputs):
        return _Layout(most)
    rank = max(len(t.shape) for t in operands)
    if rank != len(main.tensors[operator.outputs[0]].shape):
        return None
    for layout in (_Layout(most, rank), _Layout(most // 2, rank, twice=main.inputs == operator.inputs)):
        if not vectors or _runs_alike(main, layout):
            return layout
    return None


def _runs_alike(main: Subgraph, layout: _Layout) -> bool:
    """Return True if two inputs broadcast with the same loops as in each inference alone, or with very short loops.

    Equal shapes must stay equal, and different shapes different, unless both inputs have 8-bit types.
    """
    operands = [main.tensors[index] for index in main.operators[0].inputs]
    if len(operands) != 2:
        return False
    alone = [t.shape for t in operands]
    beside = [
        layout.stacked_shape(t.shape, number, layout.most) if t.index in main.inputs else t.shape
        for number, t in enumerate(operands)
    ]
    same = (alone[0] == alone[1]) == (beside[0] == beside[1]) or all(t.dtype in _BYTES for t in operands)
    runs, wanted = chunks(*beside), chunks(*alone)
    return same and (runs == wanted or max(runs.length, wanted.length) < _SHORTEST)


def _is_image_wise(main: Subgraph) -> bool:
    """Return True if each image of the only output depends only on that image of the only input, and on constants."""
    (operator,) = main.operators
    facts, inputs = traits_of(operator.kind), operator.inputs
    images = _IMAGES in facts.equal_dims and main.inputs == inputs[:1] and len(main.outputs) == 1
    constant = all(main.tensors[index].is_constant for index in inputs[1:] if index >= 0)
    return images and constant and len(main.tensors[main.inputs[0]].shape) > 1


def outputs_of(interpreter: ReferenceInterpreter, several: Sequence[Arrays]) -> Sequence[Arrays]:
    """Return the outputs of independent inferences.

    Raise RunError as :meth:`ReferenceInterpreter.run` does.
    """
    return join_inferences(batches_of(interpreter, several))


def batches_of(interpreter: ReferenceInterpreter, several: Sequence[Arrays]) -> Iterator[Sequence[Arrays]]:
    """Yield the outputs of :func:`outputs_of`: those of the inferences that a run merges, or of a single inference."""
    for count, inputs in merged_inputs(interpreter.model, several):
        yield split_outputs(interpreter.model, run_once(interpreter, inputs), count)


def merged_inputs(model: Model, several: Sequence[Arrays]) -> Iterator[tuple[int, Arrays]]:
    """Yield the inputs of each run, and the number of inferences that the run merges."""
    main, layout = model.subgraphs[0], _layout(model)
    runs = stack_inferences(several) if layout else several
    own = [main.tensors[index].shape for index in main.inputs]
    if layout is None or not isinstance(runs, StackedRuns) or [c.shape[1:] for c in runs.columns] != own:
        yield from ((1, arrays) for arrays in runs)
        return
    for start in range(0, len(runs), layout.most):
        group = runs[start : start + layout.most]
        beside = tuple(layout.together(n, stack) for n, stack in enumerate(group.columns))
        yield len(group), group[0] if len(group) == 1 else beside


def split_outputs(model: Model, made: Arrays, count: int) -> Sequence[Arrays]:
    """Return the outputs of a run that merges ``count`` inferences, by inference."""
    layout = _layout(model)
    if layout is None or count == 1:
        return [made]
    return StackedRuns(tuple(layout.split_output(array, count) for array in made))


def run_once(interpreter: ReferenceInterpreter, inputs: Arrays) -> Arrays:
    """Return the outputs of one inference. Raise RunError."""
    main = interpreter.model.subgraphs[0]
    tensors = interpreter.run(main, inputs)
    return tuple(tensors[index] for index in main.outputs)
