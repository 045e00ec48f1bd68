"""Intel OpenVINO as a device, through the vendor plugin in ai-edge-litert: compiled for an NPU, run on the CPU."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.devices.device_kinds import DeviceKind
from litecheck.devices.port import AdapterAnswer, NotDelegated
from litecheck.processes.posix import read_stderr_file

#: Message of the plugin when a partition runs on it. Without the message, other kernels may have computed the outputs.
_PROOF = re.compile(r"Dispatch: using device '\w+'")
_TAKEN = re.compile(r"selected (\d+) ops, from a total of (\d+) ops")
_LEFT = "Some ops are not accelerated"

KIND = DeviceKind(
    "openvino",
    "litecheck.devices.adapters.openvino:Openvino",
    usage="openvino",
    summary="Intel OpenVINO through LiteRT",
    modules=("ai_edge_litert", "openvino"),
    extra="openvino",
    package="openvino",
)


class Openvino:
    """Adapter of OpenVINO, without options. Only the NPU is allowed, so that no operator falls back to LiteRT's
    kernels."""

    runtime = ("ai_edge_litert.compiled_model", "ai_edge_litert.environment", "ai_edge_litert.options")

    def __init__(self, options: Mapping[str, str]) -> None:
        import ai_edge_litert
        from ai_edge_litert.environment import Environment, EnvironmentOptions

        folder = os.path.dirname(ai_edge_litert.__file__)
        vendor = os.path.join(folder, "vendors", "intel_openvino")
        self._environment = Environment.create(
            options=EnvironmentOptions(
                runtime_path=folder,
                compiler_plugin_path=os.path.join(vendor, "compiler"),
                dispatch_library_path=os.path.join(vendor, "dispatch"),
            )
        )
        self._model: Any = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the outputs of each run, all computed by the plugin.

        Raises NotDelegated if the plugin leaves operators to LiteRT.
        """
        from ai_edge_litert.compiled_model import CompiledModel
        from ai_edge_litert.options import HardwareAccelerator, IntelOpenVinoOptions, Options

        backend = IntelOpenVinoOptions.GRAPH_BACKEND.CPU
        options = Options(
            hardware_accelerators=HardwareAccelerator.NPU,
            intel_openvino_options=IntelOpenVinoOptions(graph_backend=backend),
        )
        try:
            self._model = CompiledModel.from_buffer(model, environment=self._environment, options=options)
        except RuntimeError as error:
            if _LEFT in str(error) and "Plugin errs" not in _read_log():
                raise NotDelegated(_describe_delegation()) from None
            raise
        if not _PROOF.search(_read_log()):
            raise NotDelegated("the plugin did not say that it runs the model")
        made = tuple(self._infer(run) for run in runs)
        return AdapterAnswer(made, (True,) * len(self._model.create_output_buffers(0)))

    def _infer(self, inputs: Arrays) -> Arrays:
        given, taken = self._model.create_input_buffers(0), self._model.create_output_buffers(0)
        for buffer, values in zip(given, inputs, strict=True):
            shape = tuple(buffer.get_tensor_details()["shape"])
            if shape != values.shape:
                raise ValueError(f"takes an input of shape {shape}, not {values.shape}")
            buffer.write(values)
        self._model.run_by_index(0, given, taken)
        return tuple(map(_read_buffer, taken))


def _read_buffer(buffer: Any) -> NDArray[Any]:
    details = buffer.get_tensor_details()
    shape = tuple(details["shape"])
    values: NDArray[Any] = buffer.read(prod(shape), details["dtype"]).reshape(shape)
    return values


def _read_log() -> str:
    """Return the text written to stderr so far. The plugin logs only to stderr, which is the job's log file."""
    return read_stderr_file()


def _describe_delegation() -> str:
    found = _TAKEN.findall(_read_log())
    text = f"{found[-1][0]} of {found[-1][1]} operators" if found else "nothing"
    return f"the plugin takes {text}"
