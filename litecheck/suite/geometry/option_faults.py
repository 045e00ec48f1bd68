"""Faults of options: a device reads masks, negative indices and axes wrongly, or places broadcast inputs wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.arrays import Array
from litecheck.flatbuffer.table import Table
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Tensor
from litecheck.profile.operators import traits_of
from litecheck.suite.geometry.fault import GeometryFault, Inference, Spoil

#: Function from the value of an option or a constant, and the operator's model, to the value that the device reads.
_Misread = Callable[[Array, Model], Array]
_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
#: Values of factors for an input that is broadcast as in numpy.
_BROADCAST = frozenset(("rhs channels", "condition channels", "along"))


def option_faults() -> Iterator[GeometryFault]:
    """Yield every fault of options."""
    masks = frozenset(("masked",))
    for name in _MASKS:
        description = f"reads {name}_mask as 0"
        yield GeometryFault(
            f"no-{name.replace('_', '-')}-mask", description, masks, _misread(f"{name}_mask", _zero)
        )
    for name in _MASKS[:2]:
        description = f"reads {name}_mask as 0 at a negative stride"
        spoil = _misread(f"{name}_mask", _without_backward)
        yield GeometryFault(f"no-{name}-mask-backward", description, masks, spoil)
    for name in _MASKS[:2]:
        yield GeometryFault(
            f"negative-{name}", f"reads a negative {name} as 0", masks, _misread(name, _clamp)
        )
    yield GeometryFault(
        "negative-begin-shrunk",
        "reads a negative begin of a removed dimension as 0",
        masks,
        _misread("begin", _clamped_shrunk),
    )
    axes = frozenset(("axis", "axes"))
    for name, description, read in (
        ("negative-axis", "reads a negative axis as the axis before it", _subtract_one),
        ("axis-below-0", "reads a negative axis as 0", _clamp),
    ):
        yield GeometryFault(name, description, axes, _misread("axis", read))
    yield GeometryFault(
        "leading-axes",
        "aligns an input of lower rank with the first dimensions in broadcasting",
        _BROADCAST,
        _placement_fault(_align_leading),
    )
    yield GeometryFault(
        "repeated-input",
        "repeats the elements of a smaller input in order instead of broadcasting",
        _BROADCAST,
        _placement_fault(_repeat_elements),
    )


def _zero(value: Array, model: Model) -> Array:
    return np.zeros_like(value)


def _subtract_one(value: Array, model: Model) -> Array:
    """Subtract 1 from negative values. Example: axis -1 is read as -2."""
    return np.where(value < 0, value - 1, value)


def _clamp(value: Array, model: Model) -> Array:
    return np.maximum(value, 0)


def _bits(mask: int, count: int) -> Array:
    return np.asarray(mask >> np.arange(count) & 1, bool)


def _without_backward(value: Array, model: Model) -> Array:
    """Clear the bits of dimensions with a negative stride. Example: mask 6 with strides (1, -1, 1) is read as 4."""
    strides = stored_integers(_tensor(model, "strides"))
    backward = 0 if strides is None else sum(1 << int(n) for n in np.flatnonzero(strides.reshape(-1) < 0))
    return np.asarray(int(value) & ~backward)


def _clamped_shrunk(value: Array, model: Model) -> Array:
    options = _operator(model).options
    mask = 0 if options is None else int(options.get("shrink_axis_mask", 0))
    return np.where(_bits(mask, value.size), np.maximum(value, 0), value)


def _operator(model: Model) -> Operator:
    return model.subgraphs[0].operators[0]


def _tensor(model: Model, role: str) -> Tensor:
    operator = _operator(model)
    return model.subgraphs[0].tensors[traits_of(operator.kind).tensors(operator)[role]]


def _misread(name: str, misread: _Misread) -> Spoil:
    """Return the fault of a device that reads an option, or the constant of this role, wrongly."""

    def spoil(inference: Inference) -> Array | None:
        model = inference.model
        if model is None or len(model.subgraphs[0].operators) != 1:
            return None
        changed = _change_option(model, name, misread) or _change_constant(model, name, misread)
        return (
            None
            if changed is None
            else _if_different(inference, inference.variant(changed, inference.inputs))
        )

    return spoil


def _if_different(inference: Inference, made: Array) -> Array | None:
    """Return an output if its elements, in order, differ from the correct output."""
    return None if np.array_equal(made.reshape(-1), inference.output.reshape(-1)) else made


def _change_option(model: Model, name: str, misread: _Misread) -> Model | None:
    """Return the model with the misread option; None if it has no such option, or if the value is unchanged."""
    operator = _operator(model)
    value = None if operator.options is None else operator.options.get(name)
    if operator.options is None or value is None:
        return None
    read = misread(np.asarray(value), model)
    if np.array_equal(read, value):
        return None
    given = read if isinstance(value, np.ndarray) else int(read)
    options = Table(operator.options.type, {**operator.options.fields, name: given})
    main = replace(model.subgraphs[0], operators=(replace(operator, options=options),))
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


def _change_constant(model: Model, role: str, misread: _Misread) -> Model | None:
    """Return the model with the misread constant; None if it has no constant of the role, or if the values are
    unchanged."""
    if role not in traits_of(_operator(model).kind).tensors(_operator(model)):
        return None
    tensor = _tensor(model, role)
    values = stored_integers(tensor)
    read = None if values is None else misread(values, model)
    if values is None or read is None or np.array_equal(read, values):
        return None
    data = np.frombuffer(np.ascontiguousarray(read, values.dtype).tobytes(), np.uint8)
    return _replace_tensors(model, {tensor.index: replace(tensor, data=data)})


def _replace_tensors(model: Model, changed: dict[int, Tensor]) -> Model:
    main = model.subgraphs[0]
    tensors = tuple(changed.get(tensor.index, tensor) for tensor in main.tensors)
    return replace(model, subgraphs=(replace(main, tensors=tensors), *model.subgraphs[1:]))


def _placement_fault(place: Callable[[Array, tuple[int, ...]], Array | None]) -> Spoil:
    """Return the fault of a device that places the elements of smaller inputs wrongly in the output's shape."""

    def spoil(inference: Inference) -> Array | None:
        model, shape = inference.model, inference.output.shape
        if model is None:
            return None
        main = model.subgraphs[0]
        inputs = list(inference.inputs)
        for number, (index, values) in enumerate(zip(main.inputs, inference.inputs, strict=True)):
            placed = place(values, shape) if 1 < values.size < np.prod(shape) else None
            if placed is not None and not np.array_equal(placed, np.broadcast_to(values, shape)):
                inputs[number] = np.ascontiguousarray(placed)
                tensor = replace(main.tensors[index], shape=shape, shape_signature=None)
                changed = _replace_tensors(model, {index: tensor})
                return _if_different(inference, inference.variant(changed, tuple(inputs)))
        return None

    return spoil


def _align_leading(values: Array, shape: tuple[int, ...]) -> Array | None:
    """Align an input on the first dimensions. Example: a row of 5 in (5, 2, 5) becomes a column of shape (5, 1, 1)."""
    if values.ndim >= len(shape) or values.shape != shape[: values.ndim]:
        return None
    return np.broadcast_to(values.reshape(*values.shape, *(1,) * (len(shape) - values.ndim)), shape)


def _repeat_elements(values: Array, shape: tuple[int, ...]) -> Array:
    """Repeat the elements in order. Example: a column (1, 2) becomes the rows (1, 2) and (1, 2)."""
    return np.resize(values, shape)
