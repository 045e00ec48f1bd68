"""Weights and biases: their forms, derived from the activations of the same operator, and their stored integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion import formulas
from litecheck.conversion.binding import BoundFloatOperator, TensorUse
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.groups import Key
from litecheck.conversion.parameter_solver import is_derived
from litecheck.conversion.parameter_transfer import ZERO_POINT_OFFSET, TransferredParams, shift_storage
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.conversion.recurrent_intermediates import same_as_state
from litecheck.conversion.weight_scales import blocks_of, spec_scales
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.quantizer.litert import quantize
from litecheck.quantizer.types import Parameters

_HALF = "float16"
#: Types of weights.
_WEIGHTS = ("int8", "uint8", "int4")
_OVERLOOKED = (
    "stored in smaller steps than the scale, as TensorFlow's converter has it: all weights come out larger"
)


def derive_parameters(
    bound: BoundFloatOperator,
    forms: Mapping[TensorUse, QuantParams],
    generation: formulas.Generation,
    borrowed: TransferredParams,
) -> dict[TensorUse, QuantParams]:
    """Return the forms of an operator's weights and biases, given the forms of its activations.

    If forms are borrowed, the hidden value of a recurrent layer has the form of its state. The scale of a bias that had to
    be raised is then rounded on its own, as in TensorFlow's converter, and is not the product that a rule requires. The
    difference is at most 1 ULP.
    """
    raised: dict[str, NDArray[np.float32]] = {}
    found = dict(_weights(bound, forms, generation, raised, borrowed.constants))
    found.update(_biases(bound, {**forms, **found}, raised if borrowed.forms else {}))
    for hidden, state in same_as_state(bound) if borrowed.forms else ():
        if state in forms:
            found[hidden] = forms[state]
    return found


def _weights(
    bound: BoundFloatOperator, forms: Mapping[TensorUse, QuantParams], generation: formulas.Generation,
    biases: dict[str, NDArray[np.float32]], known: Mapping[Key, QuantParams],
) -> Iterator[tuple[TensorUse, QuantParams]]:  # fmt: skip
    """Yield the forms of weights. Scales of biases that had to be raised are added to ``biases`` by role."""
    for role, storage in bound.storage.items():
        for port in bound.ports[role]:
            if storage.product is None and is_derived(bound, port, role):
                values = _real_values(bound.tensor(port))
                axis = storage.axis if storage.per_axis else None
                scales = _scales(values, storage, generation)
                zeros = np.full(scales.size, ZERO_POINT_OFFSET.get(storage.dtype, 0), np.int64)
                own = _existing_scales(
                    values, axis, storage, known.get((port.subgraph, bound.tensor(port).index))
                )
                unchanged = np.zeros(scales.size, np.bool_)
                if own is not None:
                    unchanged = own.fits
                    scales, zeros = (
                        np.where(unchanged, own.scales, scales),
                        np.where(unchanged, own.zeros, zeros),
                    )
                because = ""
                added, bias, factor = _find_bias(bound, role, forms)
                if bias is not None and storage.dtype in _WEIGHTS and not unchanged.all():
                    raised = formulas.raise_for_bias(scales, bias, factor, generation)
                    count, scales = int(raised.changed.sum()), raised.weights
                    if count:
                        biases[added] = raised.bias
                        because = f"{count} scale{'s' * (count > 1)} raised, so that the bias fits into int32"
                if storage.dtype == "int8" and formulas.has_other_step(values, scales, axis, generation):
                    because = "; ".join(filter(None, (because, _OVERLOOKED)))
                yield port, _form(storage, scales, values, because, zeros)


@dataclass(frozen=True, slots=True, eq=False)
class OwnScales:
    """The existing scales and zero points of a constant's channels. ``fits`` is True for channels that may keep them."""

    scales: NDArray[np.float32]
    zeros: NDArray[np.int64]
    fits: NDArray[np.bool_]


def _existing_scales(
    values: NDArray[Any], axis: int | None, storage: QuantSpec, form: QuantParams | None
) -> OwnScales | None:
    """Return the existing parameters of a constant that was quantized before, if the rule allows their type.

    A single scale for all channels is also each channel's scale.
    """
    if form is None or form.dtype not in ZERO_POINT_OFFSET or storage.dtype not in ZERO_POINT_OFFSET:
        return None
    form = shift_storage(form, storage.dtype)
    alike = len(set(zip(form.scale.tolist(), form.zero_point.tolist(), strict=True))) == 1
    if alike:
        form = replace(form, scale=form.scale[:1], zero_point=form.zero_point[:1])
    elif axis is None or form.axis != axis or form.scale.size != values.shape[axis]:
        return None
    count = 1 if axis is None else values.shape[axis]
    scales, zeros = np.broadcast_to(form.scale, count), np.broadcast_to(form.zero_point, count)
    rows = values.reshape(1, -1) if axis is None else np.moveaxis(values, axis, 0).reshape(count, -1)
    steps = np.rint(rows / np.where(scales > 0, scales, 1).astype(np.float64)[:, None]) + zeros[:, None]
    low, high = storage.zero_points
    fits = (scales > 0) & (steps >= storage.low).all(axis=1) & (steps <= storage.high).all(axis=1)
    return OwnScales(scales, zeros, fits & (zeros >= low) & (zeros <= high))


def constant_forms(
    bound: BoundFloatOperator, generation: formulas.Generation
) -> Iterator[tuple[TensorUse, QuantParams]]:
    """Yield the forms of the constants that a float operator reads through a DEQUANTIZE."""
    for port, spec in bound.constants.items():
        values = _real_values(bound.tensor(port))
        scales = np.empty(0, np.float32) if spec.dtype == _HALF else _scales(values, spec, generation)
        form = _form(spec, scales, values, "", np.zeros(scales.size, np.int64))
        yield port, replace(form, dequantized=True)


def _scales(values: NDArray[Any], storage: QuantSpec, generation: formulas.Generation) -> NDArray[np.float32]:
    """Return symmetric scales around the middle of the type."""
    if storage.dtype in _WEIGHTS:
        return spec_scales(values, storage, generation)
    scale, _ = formulas.activation(float(values.min(initial=0)), float(values.max(initial=0)), storage.dtype)
    return np.array([scale], np.float32)


def _find_bias(
    bound: BoundFloatOperator, role: str, forms: Mapping[TensorUse, QuantParams]
) -> tuple[str, NDArray[Any] | None, float]:
    """Return the bias whose scale is a product with this role's scale: its role, values, and the product of the rest."""
    for other, storage in bound.storage.items():
        ports = bound.ports[other]
        if (
            storage.product is None
            or role not in storage.product.factors
            or not ports
            or storage.dtype != "int32"
        ):
            continue
        rest = [f for f in storage.product.factors if f != role]
        scales = [_scale(bound, factor, forms) for factor in rest]
        if all(s is not None and s.size == 1 for s in scales):
            return (
                other,
                _real_values(bound.tensor(ports[0])),
                prod(float(s[0]) for s in scales if s is not None),
            )
    return "", None, 0.0


def _biases(
    bound: BoundFloatOperator,
    forms: Mapping[TensorUse, QuantParams],
    raised: Mapping[str, NDArray[np.float32]],
) -> Iterator[tuple[TensorUse, QuantParams]]:
    for role, storage in bound.storage.items():
        if storage.product is None:
            continue
        scales = raised[role] if role in raised else product(bound, storage, forms)
        for port in bound.ports[role]:
            yield (
                port,
                _form(storage, scales, _real_values(bound.tensor(port)), "", np.zeros(scales.size, np.int64)),
            )


def product(
    bound: BoundFloatOperator, storage: QuantSpec, forms: Mapping[TensorUse, QuantParams]
) -> NDArray[np.float32]:
    """Return the products of the factors' scales in float32."""
    exact: NDArray[np.float64] = np.ones(1)
    for factor in storage.product.factors if storage.product else ():
        scale = _scale(bound, factor, forms)
        exact = exact * (np.ones(1) if scale is None else scale.astype(np.float64))
    return exact.astype(np.float32)


def _scale(
    bound: BoundFloatOperator, factor: Any, forms: Mapping[TensorUse, QuantParams]
) -> NDArray[np.float32] | None:
    if not isinstance(factor, str):
        return np.array([float(factor)], np.float32)
    ports = bound.ports.get(factor, ())
    return forms[ports[0]].scale if ports and ports[0] in forms else None


def _form(
    storage: QuantSpec,
    scales: NDArray[np.float32],
    values: NDArray[Any],
    because: str,
    zeros: NDArray[np.int64],
) -> QuantParams:
    rules = tuple(
        f"{r.path} ({r.demand})" for r in storage.requirements if r.verb in ("granularity", "scale", "axis")
    )
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    return QuantParams(storage.dtype, scales, zeros, storage.axis, low, high, rules, because, storage.block)


def _real_values(tensor: Tensor) -> NDArray[Any]:
    values = stored_integers(tensor)
    return np.zeros(tensor.shape, np.float32) if values is None else values


def store_constant(
    values: NDArray[Any],
    form: QuantParams,
    derived: str,
    generation: formulas.Generation,
    dynamic: bool = False,
) -> NDArray[Any]:
    """Return a constant's real values in a form.

    ``derived`` is ``weight`` or ``bias`` for forms derived from activations. These are rounded as in TensorFlow's
    converter, and all other values as in LiteRT's QUANTIZE. ``dynamic`` is True if all activations are float32.
    """
    if form.dtype == _HALF:
        return values.astype(np.float16)
    if derived == "bias":
        return formulas.store_bias(values, form.scale, form.dtype)
    axis = form.axis if form.scale.size > 1 else None
    if form.block:
        blocks = blocks_of(values, form.block)
        rows = formulas.store_weights(blocks, form.scale, 0, generation, form.dtype, dynamic)
        return rows.reshape(values.shape)
    if form.dtype == "int4" or (derived == "weight" and form.dtype == "int8"):
        return formulas.store_weights(values, form.scale, axis, generation, form.dtype, dynamic)
    parameters = Parameters(form.scale, form.zero_point, axis)
    return quantize(values.astype(np.float32), parameters, form.dtype)
