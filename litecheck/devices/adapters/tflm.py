"""TFLite for Microcontrollers as a device, run by the package tflite-micro."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.device_kinds import DeviceKind, at_least_one
from litecheck.devices.port import AdapterAnswer, DeviceSpec, Series

#: Arena in bytes. The default of the package, ten times the model, is too small for a model of one operator.
_ARENA = 1 << 26


def _driver(spec: DeviceSpec) -> Mapping[str, Any]:
    arena = int(spec.options.get("arena", _ARENA))
    return {"runtime": "tflm", "package": "tflite-micro", "arena": arena}


KIND = DeviceKind(
    "tflm",
    "litecheck.devices.adapters.tflm:Tflm",
    usage="tflm[,arena=BYTES]",
    summary="the kernels of TensorFlow Lite Micro",
    modules=("tflite_micro",),
    extra="tflm",
    package="tflite-micro",
    options={"arena": at_least_one},
    driver=_driver,
)


class Tflm:
    """Adapter of TFLM. Option: ``arena``, the size of the working memory in bytes."""

    memory = StateSupport.KEPT
    shares = True
    runtime = ("tflite_micro.python.tflite_micro.runtime",)

    def __init__(self, options: Mapping[str, str]) -> None:
        self._arena = int(options.get("arena", _ARENA))
        self._interpreter: Any = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the outputs of each run. Each run has a new interpreter, so variables are reset."""
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Return the outputs of each run, from a new interpreter for each series. Contents of variables cannot be set."""
        from tflite_micro.python.tflite_micro import runtime

        made: list[Arrays] = []
        for one in series:
            self._interpreter = runtime.Interpreter.from_bytes(model, arena_size=self._arena)
            made += [self._infer(run) for run in one.runs]
        return AdapterAnswer(tuple(made))

    def _infer(self, inputs: Arrays) -> Arrays:
        for index, values in enumerate(inputs):
            self._interpreter.set_input(values, index)
        self._interpreter.invoke()
        outputs: list[NDArray[Any]] = []
        while True:
            try:
                outputs.append(self._interpreter.get_output(len(outputs)).copy())
            except IndexError:  # the interpreter does not report the number of outputs
                return tuple(outputs)
