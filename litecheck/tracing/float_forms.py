"""Float models with properties of the quantized model or of the twin: constants, options, operand order.

Such a model computes in float32, so that its error is that of the properties alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.formulas import weight_scales
from litecheck.model.constant_values import along_axis, constant_values
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.matching import SubgraphMatch
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.tensor_matching import operand_order, origin_of
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import Quantization
from litecheck.tracing.storage import is_quantized, round_to_storage
from litecheck.tracing.twin import Twin

#: Parts of an operator that can differ between a quantized model and its float model.
PARTS = ("weights", "bias", "option", "operands")
Weights = NDArray[np.float64]
_NONE: Mapping[int, Tensor] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class HeldConstant:
    """A constant of a quantized operator with its float partner. ``place`` is the input of the float operator."""

    operator: int
    place: int
    role: str
    kind: str
    real: Tensor
    stored: Tensor | None


def constants_of(part: SubgraphMatch, one: int, other: int) -> Iterator[HeldConstant]:
    """Yield the real-valued constants of an operator. ``stored`` is None for a bias that the quantized operator lacks."""
    mine, theirs = part.first.operators[one], part.second.operators[other]
    facts, order = traits_of(mine.kind), operand_order(part.tensors, mine, theirs)
    for place, index in enumerate(mine.inputs):
        real = _float_constant(part, index)
        if real is None or real.dtype not in ("float32", "float16"):
            continue
        role = facts.role(place)
        at = order.index(place) if place in order else place
        number = theirs.inputs[at] if at < len(theirs.inputs) else -1
        stored = part.second.tensors[number] if number >= 0 else None
        if stored is None and facts.inputs.get(role) != "bias":
            continue
        if stored is None or (stored.is_constant and stored.size == real.size):
            yield HeldConstant(one, place, role, facts.inputs.get(role, ""), real, stored)


def _float_constant(part: SubgraphMatch, index: int) -> Tensor | None:
    """Return a float constant, or the float16 constant before a DEQUANTIZE."""
    if index < 0:
        return None
    tensor = part.first.tensors[index]
    if tensor.is_constant:
        return tensor
    origin = part.first.tensors[origin_of(part.first, index)]
    return origin if origin.is_constant else None


def kernel_values(part: SubgraphMatch, other: int, held: HeldConstant) -> Weights | None:
    """Return the real values that the kernel computes with: a bias counts in steps of input scale times weight scale."""
    if held.stored is None:
        return np.zeros(held.real.shape)
    scale = accumulator_scale(part, other) if held.kind == "bias" else None
    stored = stored_integers(held.stored)
    if scale is None or stored is None or not is_quantized(held.stored):
        return constant_values(held.stored)
    return stored.astype(np.float64) * (scale if scale.size in (1, stored.size) else scale[:1])


def accumulator_scale(part: SubgraphMatch, other: int) -> Weights | None:
    """Return input scale times weight scale of an operator that sums products, or None."""
    operator = part.second.operators[other]
    facts = traits_of(operator.kind)
    found = facts.tensors(operator)
    if not facts.products or any(role not in found for role in facts.products):
        return None
    tensors = [part.second.tensors[found[role]] for role in facts.products]
    if not all(map(is_quantized, tensors)) or tensors[0].quantization.scale.size != 1:
        return None
    product: Weights = tensors[0].quantization.scale.astype(np.float64) * tensors[
        1
    ].quantization.scale.astype(np.float64)
    return product


def float_form(
    model: Model, part: SubgraphMatch, parts: Collection[str] = PARTS, only: Collection[int] | None = None
) -> Model:
    """Return the float model with these parts of the quantized operators, or of those in ``only`` (float numbers)."""
    editor = SubgraphEditor(part.first)
    for one, other in part.operators:
        if only is not None and one not in only:
            continue
        mine, theirs = part.first.operators[one], part.second.operators[other]
        values = {}
        for held in constants_of(part, one, other):
            if ("bias" if held.kind == "bias" else "weights") in parts:
                own = kernel_values(part, other, held)
                if own is not None:
                    values[held.place] = own.reshape(held.real.shape)
        integers = other_integers(part, mine, theirs) if "option" in parts else {}
        _replace_constants(
            editor, mine, values, {place: part.second.tensors[i] for place, i in integers.items()}
        )
        if "operands" in parts and (moved := permutation(part, mine, theirs)):
            inputs = editor.operator(one).inputs
            editor.change(one, inputs=tuple(inputs[place] for place in moved))
        if "option" in parts and differs(part, mine, theirs):
            editor.change(
                one, opcode=theirs.opcode, custom_code=theirs.custom_code, options=theirs.options,
                custom_options=theirs.custom_options,
            )  # fmt: skip
    return _insert_subgraph(model, editor)


def twin_form(model: Model, part: SubgraphMatch, twin: Twin) -> Model:
    """Return the float model with the constants of its twin."""
    editor = SubgraphEditor(part.first)
    for one, other in part.operators:
        values = {}
        for held in constants_of(part, one, other):
            form = twin.reads.get(TensorUse(part.first.index, one, "input", held.place))
            own = twin_values(held, form)
            if own is not None and (held.stored is None or is_quantized(held.stored)):
                values[held.place] = own.reshape(held.real.shape)
        _replace_constants(editor, part.first.operators[one], values)
    return _insert_subgraph(model, editor)


def twin_values(held: HeldConstant, form: QuantParams | None) -> Weights | None:
    """Return the real values of a float constant in the twin, or None if both models leave it float.

    Weights that only the quantized model stores as integers, because the twin leaves small weights float, and weights of 4
    bits are rounded to the quantized model's type.
    """
    values = constant_values(held.real)
    if values is None:
        return None
    if form is None or not form.scale.size or (held.stored is not None and held.stored.dtype == "int4"):
        return _round_weights(values, held.stored)
    if form.dtype in ("int32", "int64"):
        scale = along_axis(form.scale, form.quantization, values.ndim)
        return np.rint(values / scale) * scale
    return round_to_storage(values, form.dtype, form.quantization).astype(np.float64)


def _round_weights(values: Weights, stored: Tensor | None) -> Weights | None:
    """Return weights rounded with their own scales, as many as a stored tensor has; None for another type."""
    if stored is None or stored.dtype not in ("int8", "int4") or not is_quantized(stored):
        return None
    axis = stored.quantization.axis if stored.quantization.scale.size > 1 else None
    scales = weight_scales(values.astype(np.float32), axis, dtype=stored.dtype)
    q = Quantization(scales, np.zeros(scales.size, np.int64), axis or 0)
    return round_to_storage(values, stored.dtype, q).astype(np.float64)


def equal_operators(part: SubgraphMatch, one: Model, other: Model) -> frozenset[int]:
    """Return the float operators that two forms of the float model compute from equal operands with equal options."""
    graphs = one.subgraphs[part.first.index], other.subgraphs[part.first.index]
    return frozenset(
        n for n, _ in part.operators if not part.absorbed.get(n) and _are_equal(part, *graphs, n)
    )


def _are_equal(part: SubgraphMatch, one: Subgraph, other: Subgraph, number: int) -> bool:
    mine, theirs = one.operators[number], other.operators[number]
    options = mine.options is theirs.options and mine.custom_options is theirs.custom_options
    if not options or mine.kind != theirs.kind or len(mine.inputs) != len(theirs.inputs):
        return False
    edited = len(part.first.tensors)
    return all(
        i == j if min(i, j) < edited else _has_same_data(one.tensors[i], other.tensors[j])
        for i, j in zip(mine.inputs, theirs.inputs, strict=True)
    )


def _has_same_data(one: Tensor, other: Tensor) -> bool:
    return one.data is not None and other.data is not None and np.array_equal(one.data, other.data)


def permutation(part: SubgraphMatch, mine: Operator, theirs: Operator) -> tuple[int, ...]:
    """Return the order of inputs in the quantized operator, or () if it is that of the float operator."""
    order = operand_order(part.tensors, mine, theirs)
    if sorted(order) == list(range(len(mine.inputs))) and order != tuple(range(len(order))):
        return order
    return ()


def differs(part: SubgraphMatch, mine: Operator, theirs: Operator) -> bool:
    """Return True if the quantized operator has another kind, activation or option than the float operator."""
    if mine.kind != theirs.kind:
        return True
    if part.absorbed.get(mine.index):
        return True
    old, new = ({} if o.options is None else o.options.fields for o in (mine, theirs))
    names = {name for name in (*old, *new) if name not in WITHOUT_MEANING}
    return any(_plain_value(old.get(name)) != _plain_value(new.get(name)) for name in names)


def other_integers(part: SubgraphMatch, mine: Operator, theirs: Operator) -> dict[int, int]:
    """Return the integer constants of the quantized operator that differ from the float operator's, by place.

    Example: paddings ((0, 0), (0, 1)) in place of ((0, 0), (1, 0)).
    """
    if mine.kind != theirs.kind:
        return {}
    pairs = enumerate(zip(mine.inputs, theirs.inputs, strict=False))
    return {
        place: new
        for place, (old, new) in pairs
        if min(old, new) >= 0 and _has_other_integers(part.first.tensors[old], part.second.tensors[new])
    }


def _has_other_integers(mine: Tensor, theirs: Tensor) -> bool:
    """Return True for two constants of one shape with other integers."""
    constant = mine.is_constant and theirs.is_constant and mine.dtype in ("int32", "int64")
    if not constant or theirs.dtype != mine.dtype or mine.shape != theirs.shape or is_quantized(theirs):
        return False
    return not _has_same_data(mine, theirs)


#: Options that change no value.
WITHOUT_MEANING = frozenset(
    "quantized_bias_type asymmetric_quantize_inputs pot_scale_int16 weights_format keep_num_dims".split()
)


def _plain_value(value: object) -> object:
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    return plain or 0


def _replace_constants(
    editor: SubgraphEditor,
    operator: Operator,
    values: Mapping[int, Weights],
    integers: Mapping[int, Tensor] = _NONE,
) -> None:
    """Give an operator constants of its own: real values in float32, and integers of another model."""
    inputs = list(editor.operator(operator.index).inputs)
    for place, array in values.items():
        old = editor.tensors[inputs[place]]
        data = bytes_of(array.astype(np.float32).reshape(-1))
        inputs[place] = editor.add_tensor(f"{old.name}/own", array.shape, "float32", None, data)
    for place, tensor in integers.items():
        inputs[place] = editor.add_tensor(f"{tensor.name}/own", tensor.shape, tensor.dtype, None, tensor.data)
    if values or integers:
        editor.change(operator.index, inputs=tuple(inputs))


def _insert_subgraph(model: Model, editor: SubgraphEditor) -> Model:
    subgraph, _ = editor.finish()
    return replace(
        with_subgraphs(model, [subgraph if s.index == subgraph.index else s for s in model.subgraphs]),
        signatures=model.signatures,
    )
