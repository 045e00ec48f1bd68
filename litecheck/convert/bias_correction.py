"""Bias correction: the mean error of each channel of a layer, as the data show it, taken from the layer's bias.

Rounded weights shift the mean of what a layer computes. The shift is measured between the float and the converted model,
channel by channel, and subtracted from the float bias, from which the stored one is derived anew. A layer inherits the
shifts of those before it, so layers are corrected one behind the other, each measured with those before it corrected; the
best of the models counts, the first one included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from litecheck.convert.conversion import Conversion
from litecheck.convert.groups import Key
from litecheck.convert.plan import ConstantChange
from litecheck.convert.request import REAL
from litecheck.model.types import Model
from litecheck.profile.operators import facts_of

if TYPE_CHECKING:
    from litecheck.convert.agreement import Agreement

#: So many dB are counted for infinite SNRs.
_EXACT = 200.0


@dataclass(frozen=True, slots=True)
class BiasCorrection:
    """What came of it: how many biases were changed, and the mean SNR of the outputs in dB before and after. None were
    changed where that was best."""

    biases: int
    before: float
    after: float


def corrected_biases(
    conversion: Conversion,
    again: Callable[[tuple[ConstantChange, ...]], Conversion],
    compared: Callable[[Conversion], Agreement],
) -> tuple[Conversion, Agreement, BiasCorrection]:
    """The best conversion, what it agrees to, and what was gained.

    ``again`` converts the same model with these changes of biases behind those there are; ``compared`` runs a conversion
    beside the float model and measures channels.
    """
    agreement = compared(conversion)
    before, best = _score(agreement), (conversion, agreement)
    changes: tuple[ConstantChange, ...] = ()
    count = 0
    for result, bias in _biases(conversion):
        error = agreement.errors.get(result)
        if error is None or not error.any():
            continue
        changes = (*changes, ConstantChange(*bias, False, 0, -error))
        tried = again(changes)
        agreement = compared(tried)
        if tried.conforms and _score(agreement) > _score(best[1]):
            best, count = (tried, agreement), len(changes)
    return *best, BiasCorrection(count, before, _score(best[1]))


def _score(agreement: Agreement) -> float:
    return fmean([min(max(one.snr, -_EXACT), _EXACT) for one in agreement.outputs] or [_EXACT])


def layers(model: Model) -> Mapping[Key, Key]:
    """The results of layers with constant weights and a constant bias of their own, each with that bias."""
    found: dict[Key, Key] = {}
    for subgraph in model.subgraphs:
        readers = Counter(index for op in subgraph.operators for index in op.inputs)
        for operator in subgraph.operators:
            facts = facts_of(operator.kind)
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
    """The results of layers that are quantized, in the order in which they are computed, each with its bias."""
    stored = {(one.subgraph, one.tensor) for one in conversion.plan.tensors}
    for result, bias in layers(conversion.source).items():
        if result in conversion.tensors and bias in stored:
            yield result, bias
