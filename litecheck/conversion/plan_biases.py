"""Biases of an edited plan: their scales follow the scales of the input and the weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind
from litecheck.conversion.conversion_plan import ConversionPlan, Decision, QuantParams
from litecheck.conversion.derived_constants import product
from litecheck.conversion.plan_profiles import activation_of, profile_of
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.model.types import Model
from litecheck.profile.types import Profile

#: Largest relative difference of two float32 numbers that are one step apart.
_STEP = 2.0**-23


def with_following_biases(model: Model, plan: ConversionPlan, profile: Profile) -> ConversionPlan:
    """Return a plan whose bias scales are the products that the rules require, with a note for each that changed.

    Example: the scale of an input is edited from 0.5 to 0.25. The bias of the layer that reads it, with weights of
    scale 0.1, gets scale 0.025 instead of 0.05.
    """
    forms = {port: form for one in plan.tensors for port, form in one.read.items() if form is not None}
    found, activation = profile_of(plan, profile), activation_of(plan)
    decisions = {(one.subgraph, one.operator): one for one in plan.operators}
    changed: dict[TensorUse, QuantParams] = {}
    notes: list[str] = []
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            key = subgraph.index, operator.index
            bound = bind(model, subgraph, operator, found(key), activation(key))
            for port, form in _corrected_biases(bound, forms):
                changed[port] = form
                name = bound.tensor(port).name
                notes.append(
                    f"'{name}': scale follows the edited scales of {operator.opcode} #{operator.index}"
                )
            if key in decisions:
                decisions[key] = _correct_added(decisions[key], bound, forms)
    tensors = tuple(
        replace(one, read={port: changed.get(port, form) for port, form in one.read.items()})
        for one in plan.tensors
    )
    return replace(plan, tensors=tensors, operators=tuple(decisions.values()), notes=(*plan.notes, *notes))


def _corrected_biases(
    bound: BoundFloatOperator, forms: Mapping[TensorUse, QuantParams]
) -> Iterator[tuple[TensorUse, QuantParams]]:
    """Yield the biases of an operator whose scales are not the required products, with the forms that have them."""
    for role, storage in bound.storage.items():
        scales = _required_scales(bound, storage, forms)
        for port in bound.ports[role] if scales is not None else ():
            form = forms.get(port)
            if form is not None and scales is not None and not _are_equal(form.scale, scales):
                yield port, _set_scales(form, scales)


def _correct_added(
    decision: Decision, bound: BoundFloatOperator, forms: Mapping[TensorUse, QuantParams]
) -> Decision:
    """Return a decision whose added biases have the required scales."""
    added = dict(decision.added)
    for place, form in decision.added.items():
        role = bound.rule.inputs[place] if bound.rule and place < len(bound.rule.inputs) else ""
        storage = bound.storage.get(role)
        scales = _required_scales(bound, storage, forms) if storage else None
        if scales is not None and not _are_equal(form.scale, scales):
            added[place] = _set_scales(form, scales)
    return replace(decision, added=added)


def _required_scales(
    bound: BoundFloatOperator, storage: QuantSpec, forms: Mapping[TensorUse, QuantParams]
) -> NDArray[np.float32] | None:
    """Return the scales that a rule requires as a product, or None without such a rule or a factor's scale."""
    if storage.product is None:
        return None
    roles = [factor for factor in storage.product.factors if isinstance(factor, str)]
    complete = all(bound.ports.get(role) and bound.ports[role][0] in forms for role in roles)
    return product(bound, storage, forms) if complete else None


def _are_equal(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    return one.size == other.size and bool(np.allclose(one, other, rtol=_STEP, atol=0))


def _set_scales(form: QuantParams, scales: NDArray[np.float32]) -> QuantParams:
    return replace(form, scale=scales, zero_point=np.zeros(scales.size, np.int64))
