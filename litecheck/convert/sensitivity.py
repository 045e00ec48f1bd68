"""Sensitivity: how far the model's outputs are off when one operator alone is quantized, operator by operator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litecheck.convert.conversion import Conversion
from litecheck.convert.groups import Key
from litecheck.convert.plan import Decision
from litecheck.convert.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.links import called

if TYPE_CHECKING:
    from litecheck.convert.agreement import Agreement

#: As in a plan: what is left alone, or has no real values.
_LEFT = (REAL, "as it is")


@dataclass(frozen=True, slots=True)
class OperatorSensitivity:
    """An operator of the float model, and the lowest SNR in dB of the model's outputs when it alone is quantized; infinite
    where it changes nothing."""

    subgraph: int
    operator: int
    opcode: str
    name: str
    snr: float


def ranked(
    conversion: Conversion,
    alone: Callable[[Key], Conversion],
    compared: Callable[[Conversion], Agreement],
    agreement: Agreement | None,
    most: int = -1,
) -> tuple[OperatorSensitivity, ...]:
    """The operators that a conversion quantizes, the most sensitive first.

    ``alone`` converts with one operator quantized, ``compared`` runs that beside the float model. ``most`` are looked at,
    those whose results ``agreement`` finds worst; all where it is -1.
    """
    found = [_sensitivity(one, alone, compared) for one in candidates(conversion, agreement, most)]
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.snr))


def candidates(conversion: Conversion, agreement: Agreement | None, most: int) -> list[Decision]:
    """The operators to look at, those with the worst results first."""
    snr = {one.reference: one.snr for one in agreement.tensors} if agreement else {}
    worst: list[tuple[float, Decision]] = []
    for decision in _quantized(conversion):
        operator = conversion.source.subgraphs[decision.subgraph].operators[decision.operator]
        own = (snr.get((decision.subgraph, index), math.inf) for index in operator.outputs)
        worst.append((min(own, default=math.inf), decision))
    worst.sort(key=lambda pair: pair[0])
    return [decision for _, decision in (worst if most < 0 else worst[:most])]


def _quantized(conversion: Conversion) -> Iterator[Decision]:
    for decision in conversion.plan.operators:
        operator = conversion.source.subgraphs[decision.subgraph].operators[decision.operator]
        if decision.becomes not in _LEFT and not any(called(operator)):
            yield decision


def _sensitivity(
    one: Decision, alone: Callable[[Key], Conversion], compared: Callable[[Conversion], Agreement]
) -> OperatorSensitivity | None:
    try:
        conversion = alone((one.subgraph, one.operator))
    except (
        ConfigError
    ):  # what it shares its scale with stays float32, and then there is no scale that keeps the rules
        return None
    found = compared(conversion)
    snr = min((output.snr for output in found.outputs), default=math.inf)
    return OperatorSensitivity(one.subgraph, one.operator, one.opcode, one.name, snr)
