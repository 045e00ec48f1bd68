"""Device ``vela:ACCELERATOR``: outputs from the constants of models that Vela compiles, without NPU or simulator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.device_kinds import DeviceKind
from litecheck.devices.port import AdapterAnswer
from litecheck.targets.ethos_u.compiler.vela import ACCELERATORS
from litecheck.targets.ethos_u.compiler.vela_child import OPTIONS, config

#: The compiler as a Python module.
_COMPILER = "ethosu.regor"


def _accelerator(argument: str) -> Mapping[str, str]:
    if argument not in ACCELERATORS:
        from litecheck.spelling import did_you_mean

        problem = f"unknown accelerator {argument!r}" if argument else "no accelerator"
        known = ", ".join(f"vela:{name}" for name in ACCELERATORS)
        raise ValueError(f"{problem}{did_you_mean(argument, ACCELERATORS) or ';'} available: {known}")
    return {"accelerator": argument}


KIND = DeviceKind(
    "vela",
    "litecheck.targets.ethos_u.device:CompiledConstants",
    usage="vela:ethos-u55|ethos-u65|ethos-u85",
    summary="the constants that the compiler Vela encodes",
    modules=("ethosu",),
    extra="vela",
    package="ethos-u-vela",
    argument=_accelerator,
    choices=tuple(ACCELERATORS),
)


class CompiledConstants:
    """Adapter of the device. Option: ``accelerator`` (ethos-u55, ethos-u65, ethos-u85)."""

    memory = StateSupport.NONE
    shares = True
    runtime = (_COMPILER, "litecheck.targets.ethos_u.constants.operator", "litecheck.model.load")

    def __init__(self, options: Mapping[str, str]) -> None:
        self._arch = ACCELERATORS[options["accelerator"]]

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Compute the outputs of the compiled operator, and describe constants that differ from LiteRT."""
        from litecheck.model.load import model_from
        from litecheck.targets.ethos_u.constants.operator import compiled_operator

        compiled = model_from(self._compile(model), "compiled")
        found = compiled_operator(
            model_from(model, "model"), compiled, self._arch == ACCELERATORS["ethos-u85"]
        )
        outputs = found.outputs(x for (x,) in runs)
        return AdapterAnswer(tuple((y,) for y in outputs), message=found.reason)

    def _compile(self, model: bytes) -> bytes:
        """Compile the model; the compiler's output is discarded."""
        regor = import_module(_COMPILER)
        ini = config(self._arch, os.path.dirname(regor.__file__ or ""))
        printed = os.dup(1)
        try:
            with open(os.devnull, "wb") as nothing:
                os.dup2(nothing.fileno(), 1)
            return bytes(regor.compile(self._arch, model, "TFLITE", ini, OPTIONS).model)
        finally:
            os.dup2(printed, 1)
            os.close(printed)
