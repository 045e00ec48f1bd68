"""Bias correction: subtract the mean error of each channel of a layer, measured on data, from the layer's bias.

Rounded weights shift the mean of a layer's output. The shift is measured between the float and the converted model, per
channel, and subtracted from the float bias, from which the stored bias is derived again. A layer inherits the shifts of
earlier layers, so layers are corrected in order, each measured after the layers before it are corrected. The best of
all models is used, which may be the first, uncorrected model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.groups import Key
from litecheck.conversion.request import REAL
from litecheck.model.types import Model
from litecheck.profile.operators import traits_of

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement

#: dB that are counted for an infinite SNR.
_EXACT = 200.0


@dataclass(frozen=True, slots=True)
class BiasCorrection:
    """Number of changed biases, and mean SNR of the outputs in dB before and after.

    No bias is changed if the uncorrected model is best.
    """

    biases: int
    before: float
    after: float


def search_bias_correction(
    conversion: Conversion,
    again: Callable[[tuple[ConstantChange, ...]], Conversion],
    compared: Callable[[Conversion], Agreement],
) -> tuple[Conversion, Agreement, BiasCorrection]:
    """Return the best conversion, its agreement, and the correction.

    ``again`` converts the same model with the given bias changes after its existing changes. ``compared`` runs a
    conversion and the float model and measures channels.
    """
    agreement = compared(conversion)
    before, best = _score(agreement), (conversion, agreement)
    changes: tuple[ConstantChange, ...] = ()
    count = 0
    for result, bias in _biases(conversion):
        sums = agreement.channels.get(result)
        if sums is None or not sums.error.any():
            continue
        changes = (*changes, ConstantChange(*bias, False, 0, -sums.mean_error))
        tried = again(changes)
        agreement = compared(tried)
        if tried.conforms and _score(agreement) > _score(best[1]):
            best, count = (tried, agreement), len(changes)
    return *best, BiasCorrection(count, before, _score(best[1]))


def _score(agreement: Agreement) -> float:
    return fmean([min(max(one.snr, -_EXACT), _EXACT) for one in agreement.outputs] or [_EXACT])


def layers(model: Model) -> Mapping[Key, Key]:
    """Return the outputs of layers with constant weights and an unshared constant bias, each with its bias."""
    found: dict[Key, Key] = {}
    for subgraph in model.subgraphs:
        readers = Counter(index for op in subgraph.operators for index in op.inputs)
        for operator in subgraph.operators:
            facts = traits_of(operator.kind)
            at = facts.tensors(operator)
            kinds = {kind: at.get(role, -1) for role, kind in facts.inputs.items()}
            weight, bias = kinds.get("weight", -1), kinds.get("bias", -1)
            if facts.accumulates is None or min(weight, bias) < 0 or readers[bias] > 1:
                continue
            tensors = subgraph.tensors[weight], subgraph.tensors[bias]
            if all(t.is_constant and t.dtype == REAL for t in tensors):
                found[subgraph.index, operator.outputs[0]] = subgraph.index, bias
    return found


def _biases(conversion: Conversion) -> Iterator[tuple[Key, Key]]:
    """Yield the outputs of quantized layers in order of computation, each with its bias."""
    stored = {(one.subgraph, one.tensor) for one in conversion.plan.tensors}
    for result, bias in layers(conversion.source).items():
        if result in conversion.tensors and bias in stored:
            yield result, bias
