"""The constants of models that Arm's Vela compiles for an Ethos-U, applied to inputs: no NPU, no simulator."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module

from litecheck.arrays import Arrays
from litecheck.cases.memory import Memory
from litecheck.devices.kinds import DeviceKind
from litecheck.devices.port import AdapterAnswer
from litecheck.devices.vela import ACCELERATORS
from litecheck.devices.vela_child import OPTIONS, config

#: The compiler itself, a library.
_COMPILER = "ethosu.regor"


def _accelerator(argument: str) -> Mapping[str, str]:
    if argument not in ACCELERATORS:
        from litecheck.spelling import did_you_mean

        what = f"there is no accelerator {argument!r}{did_you_mean(argument, ACCELERATORS)}"
        known = ", ".join(f"vela:{name}" for name in ACCELERATORS)
        raise ValueError(f"{what if argument else 'which accelerator'}; there are {known}")
    return {"accelerator": argument}


KIND = DeviceKind(
    "vela",
    "litecheck.devices.adapters.vela:CompiledConstants",
    modules=("ethosu",),
    extra="vela",
    package="ethos-u-vela",
    argument=_accelerator,
    choices=tuple(ACCELERATORS),
)


class CompiledConstants:
    """Option: ``accelerator`` (ethos-u55, ethos-u65, ethos-u85)."""

    memory = Memory.NONE
    shares = True
    runtime = (_COMPILER, "litecheck.devices.compiled_operator", "litecheck.model.load")

    def __init__(self, options: Mapping[str, str]) -> None:
        self._arch = ACCELERATORS[options["accelerator"]]

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """What the compiled form of the model's operator makes of each input, and what of it is not as LiteRT has it."""
        from litecheck.devices.compiled_operator import compiled_operator
        from litecheck.model.load import model_from

        compiled = model_from(self._compiled(model), "compiled")
        found = compiled_operator(
            model_from(model, "model"), compiled, self._arch == ACCELERATORS["ethos-u85"]
        )
        made = found.outputs(x for (x,) in runs)
        return AdapterAnswer(tuple((y,) for y in made), message=found.said)

    def _compiled(self, model: bytes) -> bytes:
        """The compiled model; what the compiler prints meanwhile is no word on how the case ends."""
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
