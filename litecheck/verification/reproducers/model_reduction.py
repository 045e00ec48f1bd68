"""Reduction of models with one operator: fewer rows, channels and batches, with constants, scales and inputs cut to
match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS, Quantization


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A model and the inputs of an inference.

    ``before`` are the inputs of earlier inferences whose state the last inference continues, ``start`` the contents of
    variable tensors before the first inference.
    """

    model: Model
    inputs: Arrays
    before: tuple[Arrays, ...] = ()
    start: Mapping[int, NDArray[Any]] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[Arrays, ...]:
        """Inputs of all inferences, in order."""
        return (*self.before, self.inputs)

    @property
    def size(self) -> int:
        """Number of elements of all tensors, to be minimized."""
        return sum(t.size for t in self.model.subgraphs[0].tensors)


def narrower(trial: Trial) -> Iterator[Trial]:
    """Yield smaller trials of the same operator, the smallest of each axis first.

    Yield nothing for several operators, subgraphs or inferences.
    """
    main = trial.model.subgraphs[0]
    if trial.before or trial.start:
        return
    if len(main.operators) != 1 or len(trial.model.subgraphs) != 1:
        return
    operator = main.operators[0]
    for tied in _tied_axes(main, operator):
        length = min(main.tensors[i].shape[axis] for i, axis in tied.items())
        for start, stop in _parts(length):
            yield _cut(trial, {i: (axis, slice(start, stop)) for i, axis in tied.items()})
    if traits_of(operator.kind).windows:
        yield from _crop_image(trial, main, operator)


def fewer(trial: Trial) -> Iterator[Trial]:
    """Yield trials with fewer consecutive inferences: without given state, each half, without the last, without the
    first."""
    runs, start = trial.runs, trial.start
    if start:
        yield replace(trial, start={})
    for part in (runs[: len(runs) // 2], runs[:-1]):
        if part:
            yield replace(trial, inputs=part[-1], before=part[:-1])
    for part in (runs[len(runs) // 2 :], runs[1:]):
        if part and len(part) < len(runs):
            yield replace(trial, inputs=part[-1], before=part[:-1], start={})


def _parts(length: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of an axis: its first and last element, quarters, halves, then all elements but the first or the last."""
    if length < 2:
        return
    cuts = [(0, 1), (length - 1, length)]
    for share in (4, 2):
        if length > share:
            step = -(-length // share)
            cuts += [(a, min(a + step, length)) for a in range(0, length, step)]
    cuts += [(1, length), (0, length - 1)]
    yield from (cut for cut in dict.fromkeys(cuts) if cut[1] - cut[0] < length)


def _tied_axes(main: Subgraph, operator: Operator) -> Iterator[dict[int, int]]:
    """Yield groups of (tensor, axis) with equal length that shrink together."""
    facts = traits_of(operator.kind)
    if facts.elementwise:
        tensors = [i for i in (*operator.inputs, *operator.outputs) if i >= 0]
        shape = main.tensors[operator.outputs[0]].shape
        for axis in range(-len(shape), 0):
            reaching = [i for i in tensors if -axis <= len(main.tensors[i].shape)]
            yield {i: axis for i in reaching if main.tensors[i].shape[axis] == shape[axis]}
        return
    tensor = facts.tensors(operator)
    for group in facts.equal_dims:
        found = {tensor[role]: axis for role, axis in group.items() if role in tensor}
        shapes = {i: main.tensors[i].shape for i in found}
        if all(-len(s) <= found[i] < len(s) for i, s in shapes.items()):
            lengths = {shapes[i][axis] for i, axis in found.items()}
            if len(lengths) == 1:
                yield found


def _cut(trial: Trial, cuts: Mapping[int, tuple[int, slice]]) -> Trial:
    """Cut each given tensor along an axis, and the inputs with it."""
    main = trial.model.subgraphs[0]
    tensors = {i: slice_tensor(main.tensors[i], axis, part) for i, (axis, part) in cuts.items()}
    arrays = list(trial.inputs)
    for at, index in enumerate(main.inputs):
        if index in cuts:
            arrays[at] = np.ascontiguousarray(_along(arrays[at], *cuts[index]))
    return Trial(with_tensors(trial.model, tensors), tuple(arrays))


def _crop_image(trial: Trial, main: Subgraph, operator: Operator) -> Iterator[Trial]:
    """Yield trials with fewer input rows or columns, and the matching number of output rows or columns."""
    source, target = operator.inputs[0], operator.outputs[0]
    if source not in main.inputs:
        return
    for axis, name in ((1, "h"), (2, "w")):
        length = main.tensors[source].shape[axis]
        for start, stop in _parts(length):
            made = _windows(main, operator, axis, name, stop - start)
            if made < 1:
                continue
            smaller = _cut(trial, {source: (axis, slice(start, stop))})
            shape = main.tensors[target].shape
            output = _set_shape(main.tensors[target], (*shape[:axis], made, *shape[axis + 1 :]))
            yield replace(smaller, model=with_tensors(smaller.model, {target: output}))


def _windows(main: Subgraph, operator: Operator, axis: int, name: str, length: int) -> int:
    """Return the number of windows that fit: SAME pads, VALID does not."""
    options = operator.options
    if options is None:
        return 0
    stride = int(options.get(f"stride_{name}", 1) or 1)
    if int(options.get("padding", 0)) == 0:  # padding SAME
        return -(-length // stride)
    named = options.get("filter_height" if name == "h" else "filter_width", 0)
    size = int(named) or main.tensors[operator.inputs[1]].shape[axis]
    reach = (size - 1) * int(options.get(f"dilation_{name}_factor", 1) or 1) + 1
    return (length - reach) // stride + 1


def slice_tensor(tensor: Tensor, axis: int, part: slice) -> Tensor:
    """Slice a tensor along an axis, with its constant values, and its scales if they lie along that axis."""
    axis %= len(tensor.shape)
    values = stored_integers(tensor)
    length = len(range(*part.indices(tensor.shape[axis])))
    shape = (*tensor.shape[:axis], length, *tensor.shape[axis + 1 :])
    quantization = tensor.quantization
    if quantization.scale.size > 1 and quantization.axis == axis:
        zeros = quantization.zero_point
        quantization = Quantization(
            quantization.scale[part], zeros[part] if zeros.size > 1 else zeros, quantization.axis
        )
    made = replace(_set_shape(tensor, shape), quantization=quantization)
    return made if values is None else with_values(made, _along(values, axis, part))


def with_values(tensor: Tensor, values: NDArray[Any]) -> Tensor:
    """Return a constant with new values of its type."""
    packed = BITS.get(tensor.dtype, 8) < 8
    flat = np.ascontiguousarray(values)
    data = pack(flat, tensor.dtype) if packed else flat.reshape(-1).view(np.uint8)
    return replace(tensor, data=data, buffer=0)


def with_tensors(model: Model, tensors: Mapping[int, Tensor]) -> Model:
    """Return the model with some tensors of its first subgraph replaced."""
    main = model.subgraphs[0]
    changed = replace(main, tensors=tuple(tensors.get(t.index, t) for t in main.tensors))
    return replace(model, subgraphs=(changed, *model.subgraphs[1:]))


def _set_shape(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    return replace(tensor, shape=shape, shape_signature=None)


def _along(array: NDArray[Any], axis: int, part: slice) -> NDArray[Any]:
    where = [slice(None)] * array.ndim
    where[axis] = part
    return array[tuple(where)]
