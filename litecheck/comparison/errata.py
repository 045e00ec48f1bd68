"""Known faults that explain an outcome of a device: those of its runtime, whose conditions an operator satisfies."""

from __future__ import annotations

from litecheck.checks.validate import validate
from litecheck.devices.outcome import Outcome
from litecheck.finding import Effect, Finding
from litecheck.model.types import Model
from litecheck.profile.known_faults import bind_operands, faults_of
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.measured_operator import Operands

_DEVICE, _TFLM = "litert:", "tflm"
#: Impacts of requirements of profile ``tflm``, by the outcome on ``tflm`` that they explain.
_IMPACTS: dict[Outcome, tuple[Effect, ...]] = {
    Outcome.MISMATCH: ("wrong results",),
    Outcome.REFUSED: ("fails to load", "fails at run time"),
    Outcome.CRASHED: ("crashes",),
}


def known_fault(device_name: str, model: Model, outcome: Outcome) -> str:
    """Return a sentence on the known faults of a ``litert:*`` device or ``tflm`` that explain the outcome of a model.

    Return an empty string without a known fault, and for devices without known faults. Example: SUM of int8 differs
    under ``litert:reference``. A violated requirement of profile ``tflm`` explains an outcome of ``tflm`` that fits its
    impact.
    """
    resolver = device_name.removeprefix(_DEVICE).partition(",")[0]
    if resolver != _TFLM and not device_name.startswith(_DEVICE):
        return ""
    main = model.subgraphs[0]
    told = (
        _fault_sentence(bind_operands(model, main, operator), resolver, outcome)
        for operator in main.operators
    )
    return next(filter(None, told), "") or _unmet_sentence(device_name, model, outcome)


def unmet_requirements(device_name: str, model: Model) -> tuple[Finding, ...]:
    """Return the findings of profile ``tflm``, which lists every kernel of ``tflm``; none for other devices."""
    if device_name.partition(",")[0] != _TFLM:
        return ()
    return tuple(validate(model, [load_profile(_TFLM)]).active)


def _unmet_sentence(device_name: str, model: Model, outcome: Outcome) -> str:
    """Return a sentence on the violated requirements of ``tflm`` with an impact that fits the outcome, or ""."""
    impacts = _IMPACTS.get(outcome, ())
    findings = unmet_requirements(device_name, model) if impacts else ()
    unmet = {f.path: f.because for f in findings if f.effect in impacts}
    return "; ".join(f"profile {_TFLM}, {path}: {because}" for path, because in unmet.items())


def _fault_sentence(operands: Operands, resolver: str, outcome: Outcome) -> str:
    found = [
        fault
        for fault in faults_of(operands)
        if resolver in fault.resolvers and outcome.value in fault.outcomes
    ]
    kind = operands.operator.kind
    return "; ".join(
        f"{versions}: {kind} {', and '.join(f.description for f in found if f.versions == versions)}"
        for versions in dict.fromkeys(f.versions for f in found)
    )
