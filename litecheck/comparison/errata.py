"""Known faults that explain an outcome of a device: those of its runtime, whose conditions an operator satisfies."""

from __future__ import annotations

from litecheck.devices.outcome import Outcome
from litecheck.model.types import Model
from litecheck.profile.known_faults import bound, faults_of
from litecheck.profile.measurements.bound import Operands

_DEVICE = "litert:"


def known_fault(device_name: str, model: Model, outcome: Outcome) -> str:
    """Return a sentence on the known faults of a ``litert:*`` device or ``tflm`` that explain the outcome of a model.

    Return an empty string without a known fault, and for devices without known faults. Example: SUM of int8 differs
    under ``litert:reference``.
    """
    resolver = device_name.removeprefix(_DEVICE).partition(",")[0]
    if resolver != "tflm" and not device_name.startswith(_DEVICE):
        return ""
    main = model.subgraphs[0]
    told = (_told(bound(model, main, operator), resolver, outcome) for operator in main.operators)
    return next(filter(None, told), "")


def _told(operands: Operands, resolver: str, outcome: Outcome) -> str:
    found = [
        fault
        for fault in faults_of(operands)
        if resolver in fault.resolvers and outcome.value in fault.outcomes
    ]
    kind = operands.operator.kind
    return "; ".join(
        f"{versions}: {kind} {', and '.join(f.does for f in found if f.versions == versions)}"
        for versions in dict.fromkeys(f.versions for f in found)
    )
