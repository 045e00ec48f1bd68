"""Cross-layer equalization: channels between two layers are rescaled, so that a single scale fits the weights of all
channels.

If only a RELU is between two layers, f(c * x) = c * f(x) for c > 0. Dividing a channel of the first layer by a factor
and multiplying the second layer's weights for it by the same factor does not change the output. With r1 and r2 the
largest magnitudes of a channel's weights in both layers, the factor s = sqrt(r1 * r2) / r2 makes them equal: the first
layer's weights and bias are divided by s, the second layer's weights multiplied by s (Nagel et al., Data-Free
Quantization, 2019). For example, r1 = 8 and r2 = 2 give s = 2, and both become 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.request import REAL
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.model.graph import name_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.options import fused_activation
from litecheck.profile.operators import traits_of

#: Fused activations with f(c * x) == c * f(x) for every c > 0.
_HOMOGENEOUS = ("NONE", "RELU")
#: Largest log of a factor that counts as converged, and maximum number of rounds over a chain of layers.
_CONVERGED, _ROUNDS = 1e-4, 100
#: A channel whose weights are below this share of its bias is constant: equalizing would make its bias too large.
_CONSTANT = 1e-3


@dataclass(frozen=True, slots=True)
class LayerPair:
    """Two layers by the indexes of their operators.

    ``left`` is the reason why they are not equalized, or empty if they are. ``before`` and ``after`` are the ratio of
    the largest to the smallest channel range of the first layer's weights. ``rescaled`` names the channels, if only outliers
    were rescaled.
    """

    subgraph: int
    first: int
    second: int
    names: tuple[str, str]
    left: str = ""
    before: float = 1.0
    after: float = 1.0
    rescaled: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Equalization:
    """An equalized model, the changes, and every pair of layers with its outcome."""

    model: Model
    changes: tuple[ConstantChange, ...]
    pairs: tuple[LayerPair, ...]


@dataclass(slots=True, eq=False)
class EqualizedLayer:
    """An operator that accumulates products with constant weights: magnitudes by output and input channel."""

    operator: Operator
    weight: int
    bias: int
    out: int
    into: int
    magnitudes: NDArray[np.float64]
    offsets: NDArray[np.float64] | None

    @property
    def has_bias(self) -> bool:
        """True if the layer has a bias other than zeros. Zeros stay zeros, also those that several layers share."""
        return self.bias >= 0 and (self.offsets is None or bool(self.offsets.any()))

    def ranges(self, axis: int) -> NDArray[np.float64]:
        """Return the largest magnitude of each channel."""
        others = tuple(n for n in range(self.magnitudes.ndim) if n != axis)
        largest: NDArray[np.float64] = self.magnitudes.max(axis=others)
        return largest

    def scale(self, axis: int, factors: NDArray[np.float64]) -> None:
        """Multiply the channels along an axis."""
        self.magnitudes = self.magnitudes * factors.reshape(
            [-1 if n == axis else 1 for n in range(self.magnitudes.ndim)]
        )


def equalize(model: Model) -> Equalization:
    """Equalize the layers of a float model, pair by pair, until the factors converge. Outputs stay equal up to rounding."""
    changes: list[ConstantChange] = []
    pairs: list[LayerPair] = []
    for subgraph in model.subgraphs:
        layers = _layers(subgraph)
        found = list(_pairs(model, subgraph, layers))
        done = _joined_layers(found, layers)
        before = [channel_spread(first) for first, _ in done]
        factors = _converge_factors(done)
        changes += channel_changes(subgraph, done, factors)
        spreads = iter([(b, channel_spread(first)) for b, (first, _) in zip(before, done, strict=True)])
        pairs += [one if one.left else _with_spreads(one, *next(spreads)) for one in found]
    return Equalization(with_edited_weights(model, changes), tuple(changes), tuple(pairs))


def layer_pairs(model: Model, subgraph: Subgraph) -> list[tuple[EqualizedLayer, EqualizedLayer]]:
    """Return the pairs of layers that can be equalized."""
    layers = _layers(subgraph)
    return _joined_layers(_pairs(model, subgraph, layers), layers)


def _layers(subgraph: Subgraph) -> dict[int, EqualizedLayer]:
    return {op.index: layer for op in subgraph.operators if (layer := _layer(subgraph, op))}


def _joined_layers(
    pairs: Iterable[LayerPair], layers: Mapping[int, EqualizedLayer]
) -> list[tuple[EqualizedLayer, EqualizedLayer]]:
    return [(layers[one.first], layers[one.second]) for one in pairs if not one.left]


def _with_spreads(one: LayerPair, before: float, after: float) -> LayerPair:
    return LayerPair(one.subgraph, one.first, one.second, one.names, "", before, after)


def channel_spread(layer: EqualizedLayer) -> float:
    """Return the ratio of the largest to the smallest channel range of a layer's weights."""
    ranges = layer.ranges(layer.out)
    alive = ranges[ranges > 0]
    return float(alive.max() / alive.min()) if alive.size else 1.0


def _layer(subgraph: Subgraph, operator: Operator) -> EqualizedLayer | None:
    """Return the layer of an operator, or None if its facts do not tie weights to input and output channels."""
    facts = traits_of(operator.kind)
    if facts.accumulates is None or len(facts.products) != 2:
        return None
    data, weights = facts.products
    axes = _axes(facts.equal_dims, data, weights)
    at = facts.tensors(operator)
    if facts.inputs.get(weights) != "weight" or axes is None or weights not in at:
        return None
    tensor = subgraph.tensors[at[weights]]
    values = stored_integers(tensor) if tensor.dtype == REAL else None
    if values is None or not values.size:
        return None
    out, into = (axis % values.ndim for axis in (facts.accumulates.channels, axes))
    others = tuple(n for n in range(values.ndim) if n not in (out, into))
    magnitudes = np.abs(values).max(axis=others, keepdims=True).astype(np.float64)
    role = next((role for role, kind in facts.inputs.items() if kind == "bias"), "")
    bias = at.get(role, -1)
    offsets = stored_integers(subgraph.tensors[bias]) if bias >= 0 else None
    offsets = None if offsets is None else np.abs(offsets.astype(np.float64))
    return EqualizedLayer(operator, at[weights], bias, out, into, magnitudes, offsets)


def _axes(ties: tuple[Mapping[str, int], ...], data: str, weights: str) -> int | None:
    """Return the axis of the weights that corresponds to the input's channels."""
    return next((tie[weights] for tie in ties if data in tie and weights in tie), None)


def _pairs(model: Model, subgraph: Subgraph, layers: Mapping[int, EqualizedLayer]) -> Iterator[LayerPair]:
    """Yield every pair of layers in which the second layer reads the output of the first."""
    readers = Counter(i for op in subgraph.operators for i in op.inputs) + Counter(subgraph.outputs)
    for second in layers.values():
        facts = traits_of(second.operator.kind)
        source = facts.tensors(second.operator).get(facts.products[0], -1)
        first = next((one for one in layers.values() if source in one.operator.outputs), None)
        if first is not None:
            names = name_of(subgraph, first.operator), name_of(subgraph, second.operator)
            why = _obstacle(model, subgraph, first, second, readers)
            numbers = first.operator.index, second.operator.index
            yield LayerPair(subgraph.index, *numbers, names, why)


def _obstacle(
    model: Model,
    subgraph: Subgraph,
    first: EqualizedLayer,
    second: EqualizedLayer,
    readers: Mapping[int, int],
) -> str:
    """Return the reason why two layers cannot be equalized, or ""."""
    activation = fused_activation(Operands(first.operator, {}, subgraph, model))
    if activation is not None and activation not in _HOMOGENEOUS:
        return f"{activation} stands between them, and its bounds do not move with the channels"
    if readers[first.operator.outputs[0]] > 1:
        return "another operator reads the tensor between them"
    constants = [first.weight, second.weight, *((first.bias,) if first.has_bias else ())]
    if any(readers[i] > 1 for i in constants):
        return "others share their weights or bias"
    if first.bias >= 0 and first.offsets is None:
        return "the first's bias is computed"
    if first.magnitudes.shape[first.out] != second.magnitudes.shape[second.into]:
        return "the second's weights have not one channel for each of the first's"
    return ""


_Factors = dict[int, NDArray[np.float64]]


def _converge_factors(pairs: list[tuple[EqualizedLayer, EqualizedLayer]]) -> _Factors:
    """Return the factor of each channel of the first layer of every pair, by the pair's number."""
    factors: _Factors = {n: np.ones(first.magnitudes.shape[first.out]) for n, (first, _) in enumerate(pairs)}
    for _ in range(_ROUNDS):
        largest = 0.0
        for number, (first, second) in enumerate(pairs):
            factor = _factor(first, second)
            first.scale(first.out, 1 / factor)
            if first.offsets is not None:
                first.offsets = first.offsets / factor
            second.scale(second.into, factor)
            factors[number] = factors[number] * factor
            largest = max(largest, float(np.abs(np.log(factor)).max(initial=0.0)))
        if largest < _CONVERGED:
            break
    return factors


def _factor(first: EqualizedLayer, second: EqualizedLayer) -> NDArray[np.float64]:
    """Return sqrt(r1 * r2) / r2 for each channel, and 1 for a channel that is zero or constant."""
    one, other = first.ranges(first.out), second.ranges(second.into)
    alive = (one > 0) & (other > 0)
    if first.offsets is not None:
        alive &= one >= _CONSTANT * first.offsets
    factor = np.ones(one.size)
    factor[alive] = np.sqrt(one[alive] * other[alive]) / other[alive]
    return factor


def channel_changes(
    subgraph: Subgraph,
    pairs: list[tuple[EqualizedLayer, EqualizedLayer]],
    factors: Mapping[int, NDArray[np.float64]],
) -> Iterator[ConstantChange]:
    """Yield the changes that divide the channels between the layers of each pair by its factors."""
    for number, (first, second) in enumerate(pairs):
        divided = 1 / factors[number]
        yield ConstantChange(subgraph.index, first.weight, True, first.out, divided)
        if first.has_bias:
            yield ConstantChange(subgraph.index, first.bias, True, 0, divided)
        yield ConstantChange(subgraph.index, second.weight, True, second.into, factors[number])
