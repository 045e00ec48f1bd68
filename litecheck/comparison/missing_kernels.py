"""Operators and types for which a published runtime has no kernel: the common rule of ``verify`` and ``suite
judge``."""

from __future__ import annotations

from litecheck.comparison.errata import unmet_requirements
from litecheck.devices.outcome import Outcome
from litecheck.model.types import Model

#: Suffixes of the paths of requirements on operators and types.
_KERNELS = ("/types", "/dtype", "/unsupported")


def missing_kernel(device_name: str, model: Model, outcome: Outcome) -> str:
    """Return the finding on an operator or type without a kernel for which ``tflm`` rejects a model.

    Return an empty string for other devices, for models whose operators and types have kernels, and for other outcomes:
    a crash or wrong outputs are failures with any type. Example: CONV_2D of uint8 on ``tflm``.
    """
    findings = unmet_requirements(device_name, model) if outcome is Outcome.REFUSED else ()
    found = next((f for f in findings if f.path.endswith(_KERNELS)), None)
    return (
        f"no kernel: {found.path}, {found.found}; 'litecheck validate --profile tflm' checks the model"
        if found
        else ""
    )
