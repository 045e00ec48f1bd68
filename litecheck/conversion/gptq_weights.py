"""GPTQ of a conversion: integers of weights, chosen by second moments, for layers whose recipe has ``algorithm: gptq``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.apply import pack_bytes
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.second_moments import LayerInput, second_moments
from litecheck.conversion.conversion_plan import Decision
from litecheck.conversion.convert_float import Conversion, rules_of
from litecheck.conversion.formulas import steps_of
from litecheck.conversion.gptq import gptq_integers
from litecheck.conversion.groups import Key
from litecheck.conversion.recipe import GPTQ, SCHEMES, RecipeRule
from litecheck.conversion.request import REAL
from litecheck.conversion.sample_progress import Told
from litecheck.conversion.settings import ConversionSettings
from litecheck.devices.port import Limits
from litecheck.model.edit import with_subgraphs
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import Blockwise
from litecheck.summary_text import count_of

#: Most inputs of an output, because the second moments have the square of this number.
MOST_COLUMNS = 4096
#: Types of weights that GPTQ chooses.
_TYPES = ("int8", "int4")
#: Sums of a layer that GPTQ supports: over a row, or over a window of all channels.
_SUMS = ("row", "window")


@dataclass(frozen=True, slots=True)
class GptqLayer:
    """A layer: its input, its float weights, and the stored weights in the new model."""

    input: LayerInput
    weights: Key
    stored: Key


def gptq_layers(conversion: Conversion) -> tuple[GptqLayer, ...]:
    """Return the layers whose rule has ``algorithm: gptq``, with constant int8 or int4 weights along the first axis."""
    rules = rules_of(conversion.source, conversion.request)
    chosen = {
        (d.subgraph, d.operator)
        for d in conversion.plan.operators
        if _is_chosen(d, rules[d.subgraph, d.operator])
    }
    return tuple(_layers(conversion, chosen)) if chosen else ()


def _is_chosen(decision: Decision, rules: tuple[RecipeRule, ...]) -> bool:
    schemes = (rule.scheme for rule in rules if SCHEMES[rule.scheme.to] == decision.becomes)
    first = next(schemes, None)
    return first is not None and first.algorithm == GPTQ


def _layers(conversion: Conversion, chosen: set[Key]) -> Iterator[GptqLayer]:
    for subgraph in conversion.model.subgraphs:
        source = conversion.source.subgraphs[subgraph.index]
        writers = {index: op for op in subgraph.operators for index in op.outputs}
        for operator, origin in zip(subgraph.operators, conversion.origins[subgraph.index], strict=True):
            place = _weight_place(operator)
            if (subgraph.index, origin) not in chosen or place < 0:
                continue
            old, stored = source.operators[origin], operator.inputs[place]
            stored = writers[stored].inputs[0] if stored in writers else stored
            weights = source.tensors[old.inputs[place]]
            layer = _input(subgraph.index, old, weights)
            if _fits(weights, subgraph.tensors[stored]) and layer.columns <= MOST_COLUMNS:
                yield GptqLayer(layer, (subgraph.index, weights.index), (subgraph.index, stored))


def _weight_place(operator: Operator) -> int:
    """Return the position of weights whose first axis has the outputs, or -1 for operators without such weights."""
    traits = traits_of(operator.kind)
    names = tuple(traits.inputs)
    fits = traits.over in _SUMS and "weight" in traits.products and traits.accumulates is not None
    return names.index("weight") if fits and traits.accumulates and traits.accumulates.channels == 0 else -1


def _fits(weights: Tensor, stored: Tensor) -> bool:
    """Return True if stored weights have one scale, a scale for each output, or blocks, and the input is the last axis."""
    own = stored.quantization
    known = own.axis == 0 or own.scale.size == 1 or isinstance(own.details, Blockwise)
    constant = weights.is_constant and weights.dtype == REAL and stored.is_constant
    return constant and stored.dtype in _TYPES and known and len(weights.shape) in (2, 4)


def _input(subgraph: int, operator: Operator, weights: Tensor) -> LayerInput:
    place, columns = (subgraph, operator.inputs[0]), int(np.prod(weights.shape[1:]))
    if len(weights.shape) == 2 or operator.options is None:
        return LayerInput(place, columns)
    get = operator.options.get
    return LayerInput(
        place,
        columns,
        (weights.shape[1], weights.shape[2]),
        (int(get("stride_h", 1)), int(get("stride_w", 1))),
        (int(get("dilation_h_factor", 1)), int(get("dilation_w_factor", 1))),
        int(get("padding", 0)),
    )


def choose_gptq_weights(
    conversion: Conversion,
    settings: ConversionSettings,
    data: CalibrationData,
    tell: Told,
    child: LitertChild,
) -> Conversion:
    """Return the conversion with the integers of GPTQ by second moments on the data. Raises as ``second_moments``."""

    def moments(layers: tuple[LayerInput, ...]) -> list[NDArray[np.float64]]:
        limits = Limits(settings.seconds)
        return second_moments(
            conversion.source,
            layers,
            data,
            settings.device,
            lambda n: tell(n, "choosing weights"),
            limits,
            child,
        )

    return with_gptq(conversion, moments)


def with_gptq(
    conversion: Conversion, moments: Callable[[tuple[LayerInput, ...]], list[NDArray[np.float64]]]
) -> Conversion:
    """Return the conversion with the integers of GPTQ; ``moments`` returns x^T x of inputs in the float model.

    Layers that share weights share the sum of their second moments.
    """
    layers = gptq_layers(conversion)
    if not layers:
        return conversion
    sums: dict[Key, NDArray[np.float64]] = {}
    for layer, found in zip(layers, moments(tuple(layer.input for layer in layers)), strict=True):
        sums[layer.weights] = sums[layer.weights] + found if layer.weights in sums else found
    data: dict[Key, NDArray[np.uint8]] = {}
    changed: dict[Key, Tensor] = {}
    for layer in layers:
        stored = conversion.model.subgraphs[layer.stored[0]].tensors[layer.stored[1]]
        if layer.weights not in data:
            data[layer.weights] = pack_bytes(_integers(conversion, layer, sums[layer.weights]), stored.dtype)
        changed[layer.stored] = replace(stored, data=data[layer.weights], buffer=0)
    note = f"GPTQ chose the weights of {count_of(len(data), 'layer')}; a plan does not have them"
    plan = replace(conversion.plan, notes=(*conversion.plan.notes, note))
    return replace(conversion, model=_with_tensors(conversion.model, changed), plan=plan)


def _integers(conversion: Conversion, layer: GptqLayer, moments: NDArray[np.float64]) -> NDArray[Any]:
    subgraph = conversion.model.subgraphs[layer.stored[0]]
    stored = subgraph.tensors[layer.stored[1]]
    values = stored_integers(conversion.source.subgraphs[layer.weights[0]].tensors[layer.weights[1]])
    assert values is not None  # a constant with values: _fits
    rows = values.reshape(len(values), -1)
    scales = _scales(subgraph, stored, rows.shape)
    return gptq_integers(rows, scales, moments, steps_of(stored.dtype)).reshape(values.shape)


def _scales(subgraph: Subgraph, stored: Tensor, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return scales that broadcast to (outputs, inputs)."""
    own = stored.quantization
    if not isinstance(own.details, Blockwise):
        return own.scale[:, None]
    blocks = stored_integers(subgraph.tensors[own.details.scales])
    assert blocks is not None  # written by the conversion
    return np.repeat(blocks.reshape(shape[0], -1), own.details.block_size, axis=1)


def _with_tensors(model: Model, changed: dict[Key, Tensor]) -> Model:
    subgraphs = [
        replace(s, tensors=tuple(changed.get((s.index, t.index), t) for t in s.tensors))
        for s in model.subgraphs
    ]
    return with_subgraphs(model, subgraphs)
