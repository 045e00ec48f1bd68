"""Facts about published runtimes that explain an outcome: known faults, and operators and types without a kernel."""

from __future__ import annotations

from litecheck.checks.validate import validate
from litecheck.devices.outcome import Outcome
from litecheck.model.types import Model
from litecheck.profile.known_faults import bound, faults_of
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.bound import Operands

_DEVICE = "litert:"
#: The device whose profile lists every operator and type with a kernel.
_TFLM = "tflm"
#: Ends of the paths of requirements that no operator and type without a kernel meets.
_KERNELS = ("/types", "/dtype", "/unsupported")


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


def lacks_kernel(device_name: str, model: Model) -> str:
    """Return the finding on operators or types without a kernel on ``tflm``; "" without any, and for other devices.

    Example: CONV_2D of uint8 on ``tflm``.
    """
    if device_name.partition(",")[0] != _TFLM:
        return ""
    findings = validate(model, [load_profile(_TFLM)]).active
    found = next((f for f in findings if f.path.endswith(_KERNELS)), None)
    return (
        f"no kernel: {found.path}, {found.found}; 'litecheck validate --profile tflm' checks the model"
        if found
        else ""
    )


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
