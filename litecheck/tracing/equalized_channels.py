"""Channels that a converter equalized across layers: factors of a layer's output channels that the next layer undoes.

Cross-layer equalization divides an output channel of a layer and multiplies the next layer's weights for it. Both files
then compute the same function, but the tensor between the layers has another scale per channel. A trace compares with the
float model whose channels have the same factors. Example: weights of channel 3 are twice the float model's, and the next
layer's weights for channel 3 are half of the float model's: the factor is 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.equalize import EqualizedLayer, channel_changes, layer_pairs
from litecheck.model.constant_values import constant_values
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.types import Tensor
from litecheck.tracing.float_forms import constants_of
from litecheck.tracing.storage import is_quantized

#: Difference of logarithms from which a channel has a factor, and up to which two layers agree on it.
_DIFFERENT, _CLOSE = 0.1, 0.3
#: Share of the squared logarithms of factors that those of products may have: factors and their inverses cancel.
_NOISE = 0.25
#: Share of channels on which two layers must agree.
_AGREE = 0.7
#: Difference in scales up to which a weight is the float weight, rounded. With one scale for a layer, small weights differ
#: by large factors.
_ROUNDED = 0.5001
#: Rounds in which factors of rows and of columns are fitted in turn.
_ROUNDS = 10
Factors = NDArray[np.float64]
Pair = tuple[EqualizedLayer, EqualizedLayer]


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Products of a layer's float and quantized weights, and squares of the float weights: output x input channels.

    A channel-wise layer has a diagonal. Output channels have equal weight: rounding depends on their scale.
    """

    products: Factors
    squares: Factors
    diagonal: bool

    def rows(self, columns: Factors) -> Factors:
        """Return the factor of each output channel that fits best, if input channels have these factors."""
        return _ratio(self.products @ columns, self.squares @ np.square(columns))

    def columns(self, free: bool) -> Factors:
        """Return the factor of each input channel that fits best; with ``free``, output channels have factors as well.

        A channel of zeros has the median factor of the others.
        """
        rows = np.ones(len(self.products))
        for _ in range(_ROUNDS if free else 1):
            columns = _ratio(self.products.T @ rows, self.squares.T @ np.square(rows))
            rows = self.rows(columns) if free else rows
        known = (self.products > 0).any(axis=0)
        return np.where(known, columns, np.median(columns[known])) if known.any() else columns


def _ratio(products: Factors, squares: Factors) -> Factors:
    """Return products over squares; 1 for channels of zeros and for weights with nothing in common."""
    fits = (squares > 0) & (products > 0)
    return np.where(fits, products / np.where(fits, squares, 1.0), 1.0)


def equalized_channels(match: ModelMatch) -> tuple[ConstantChange, ...]:
    """Return the changes of the float model that give its channels the factors of the quantized model's."""
    found: list[ConstantChange] = []
    for part in match.subgraphs:
        pairs = list(layer_pairs(match.first, part.first))
        fits = {layer.operator.index: _fit(part, layer) for pair in pairs for layer in pair}
        factors = dict(entry for chain in _chains(pairs) for entry in _accept_pairs(chain, fits))
        chosen = [pair for pair in pairs if pair[0].operator.index in factors]
        divisors = {n: 1 / factors[first.operator.index] for n, (first, _) in enumerate(chosen)}
        found += channel_changes(part.first, chosen, divisors)
    return tuple(found)


def _fit(part: SubgraphMatch, layer: EqualizedLayer) -> _Fit | None:
    """Return the fit of a layer's weights, or None without quantized weights of the same shape."""
    number = layer.operator.index
    other = dict(part.operators).get(number)
    constants = constants_of(part, number, other) if other is not None else ()
    constant = next(
        (one for one in constants if one.real.index == layer.weight and one.stored is not None), None
    )
    if constant is None or constant.stored is None:
        return None
    want, got = constant_values(constant.real), constant_values(constant.stored)
    if want is None or got is None or want.shape != got.shape:
        return None
    places = dict.fromkeys((layer.out, layer.into))
    rounded = np.abs(got - want) <= _ROUNDED * _steps(constant.stored)
    for place in places:  # small weights of a channel of zeros are no rounded weights
        rounded &= got.any(axis=tuple(n for n in range(want.ndim) if n != place), keepdims=True)
    got = np.where(rounded, want, got)
    rest = tuple(n for n in range(want.ndim) if n not in places)
    sums = [np.sum(values, axis=rest) for values in (want * got, np.square(want), np.square(got))]
    diagonal = len(places) == 1
    mixed, real, own = (np.diag(v) if diagonal else v if layer.out < layer.into else v.T for v in sums)
    power = own.sum(axis=1, keepdims=True)
    weights = np.divide(1.0, power, out=np.zeros_like(power), where=power > 0)
    return _Fit(mixed * weights, real * weights, diagonal)


def _steps(stored: Tensor) -> Factors:
    """Return the scale of each element, in the shape of the tensor but for lengths of 1; 0 without scales."""
    if not is_quantized(stored):
        return np.zeros(1)
    scale, axis = stored.quantization.scale.astype(np.float64), stored.quantization.axis
    lengths = [-1 if n == axis and scale.size > 1 else 1 for n in range(len(stored.shape))]
    return scale.reshape(lengths)


def _chains(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the pairs in chains, in which the second layer of a pair is the first layer of the next."""
    next_pairs = {first.operator.index: (first, second) for first, second in pairs}
    for first, _ in pairs:
        if any(second.operator.index == first.operator.index for _, second in pairs):
            continue
        chain = [next_pairs[first.operator.index]]
        while (last := chain[-1][1].operator.index) in next_pairs:
            chain.append(next_pairs[last])
        yield chain


def _accept_pairs(chain: Sequence[Pair], fits: dict[int, _Fit | None]) -> list[tuple[int, Factors]]:
    """Return the first layer of each equalized pair with its factors.

    A factor that all channels share may be a wrong scale, and is accepted only if all layers of the chain agree.
    """
    found, complete = _walk_chain(chain, fits, True)
    return found if complete else _walk_chain(chain, fits, False)[0]


def _walk_chain(
    chain: Sequence[Pair], fits: dict[int, _Fit | None], shared: bool
) -> tuple[list[tuple[int, Factors]], bool]:
    """Return the first layer of each equalized pair with its factors, and True if all layers agree.

    With ``shared``, all channels can have the same factor. A channel-wise layer has one factor per channel for input
    and output, so that only the next layer shows if both are undone.
    """
    found: list[tuple[int, Factors]] = []
    waiting: list[tuple[int, Factors, _Fit]] = []
    before: Factors | None = None
    complete = True
    for place, (first, second) in enumerate(chain):
        one, other = fits[first.operator.index], fits[second.operator.index]
        if one is None or other is None:
            waiting, before, complete = [], None, False
            continue
        factors = one.rows(np.ones(one.products.shape[1]) if before is None else 1 / before)
        free = place + 1 < len(chain)
        if free and other.diagonal:
            waiting.append((first.operator.index, factors, other))
            before = factors
            continue
        reader_factors = other.columns(free)
        before = _agreed_factors(factors, reader_factors, free, shared)
        complete = complete and before is not None and (free or _undoes_factors(factors, reader_factors))
        if before is not None:
            found += _differing_factors((first.operator.index, before), factors == before, waiting)
        waiting = []
    return found, complete


def _undoes_factors(factors: Factors, reader_factors: Factors) -> bool:
    """Return True if the last layer of a chain undoes the factors of the layers before, also their common factor."""
    return bool(abs(np.log(np.median(factors * reader_factors))) < _DIFFERENT)


def _differing_factors(
    last: tuple[int, Factors], agree: NDArray[np.bool_], waiting: Sequence[tuple[int, Factors, _Fit]]
) -> Iterator[tuple[int, Factors]]:
    """Return a layer's accepted factors and those of earlier layers that depend on them, unless all are 1.

    A channel on which the last two layers disagree has the factor nearest to 1 in the earlier layers.
    """
    found, factors = [last], last[1]
    for index, own, reader in reversed(waiting):
        back = factors / reader.rows(np.ones(factors.size))
        nearest = np.where(np.abs(np.log(back)) < np.abs(np.log(own)), back, own)
        factors = np.where(agree, own, nearest)
        found.append((index, factors))
    return (one for one in found if _differs(one[1]))


def _agreed_factors(factors: Factors, reader_factors: Factors, free: bool, shared: bool) -> Factors | None:
    """Return the factors of channels on which a layer and its reader agree, or None if they do not.

    With ``free``, ``reader_factors`` have an unknown common factor, so that a factor that all channels share is no sign of
    equalization without ``shared``. Where the two disagree, the reader's factor counts.
    """
    products = factors * reader_factors
    common = float(np.median(products)) if free else 1.0
    agree = np.abs(np.log(products / common)) < _CLOSE
    changed = _differs(factors) or _differs(products / common)
    noise = changed and not (free and shared) and _is_noise(factors[agree], free, products[agree] / common)
    if agree.mean() < _AGREE or noise:
        return None
    return np.where(agree, factors, common / reader_factors)


def _is_noise(factors: Factors, free: bool, products: Factors) -> bool:
    """Return True if the products of both layers' factors vary too much beside the factors, as with wrong weights."""
    logs = np.log(factors) - (np.log(factors).mean() if free else 0.0)
    return bool(np.square(np.log(products)).sum() > _NOISE * np.square(logs).sum())


def _differs(factors: Factors) -> bool:
    """Return True if a factor is not 1."""
    return bool((np.abs(np.log(factors)) > _DIFFERENT).any())
