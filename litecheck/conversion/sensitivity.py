"""Sensitivity: the error of the model's outputs when a single operator is quantized, for each operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litecheck.conversion.conversion_plan import UNTOUCHED, Decision
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.fixes import snr_or_exact
from litecheck.conversion.groups import Key
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.links import subgraph_calls

if TYPE_CHECKING:
    from litecheck.conversion.agreement import Agreement

#: Decisions in a plan for operators that stay float or have no real values.
_LEFT = (REAL, UNTOUCHED)


@dataclass(frozen=True, slots=True)
class OperatorSensitivity:
    """An operator of the float model, and the lowest SNR in dB of an output's channel when only it is quantized.

    The SNR is infinite if the outputs do not change.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    snr: float


def rank_operators(
    conversion: Conversion,
    alone: Callable[[Key], Conversion],
    compared: Callable[[Conversion], Agreement],
    most: int = -1,
) -> tuple[OperatorSensitivity, ...]:
    """Return the ``most`` most sensitive operators that a conversion quantizes, or all if ``most`` is -1.

    ``alone`` converts with one operator quantized, and ``compared`` runs that conversion and the float model. Every
    operator is tested: an error that grew over many operators does not show which of them caused it.
    """
    found = [_sensitivity(one, alone, compared) for one in _quantized_operators(conversion)]
    ranking = sorted((one for one in found if one is not None), key=lambda one: one.snr)
    return tuple(ranking if most < 0 else ranking[:most])


def _quantized_operators(conversion: Conversion) -> Iterator[Decision]:
    for decision in conversion.plan.operators:
        operator = conversion.source.subgraphs[decision.subgraph].operators[decision.operator]
        if decision.becomes not in _LEFT and not any(subgraph_calls(operator)):
            yield decision


def _sensitivity(
    one: Decision, alone: Callable[[Key], Conversion], compared: Callable[[Conversion], Agreement]
) -> OperatorSensitivity | None:
    try:
        conversion = alone((one.subgraph, one.operator))
    except ConfigError:  # its group stays float32, and without it no scale meets the rules
        return None
    snr = snr_or_exact(compared(conversion))
    return OperatorSensitivity(one.subgraph, one.operator, one.opcode, one.name, snr)
