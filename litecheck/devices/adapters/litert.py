"""LiteRT kernels as a device, run by ai-edge-litert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from litecheck.arrays import Array, Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.device_kinds import DeviceKind, at_least_one
from litecheck.devices.port import AdapterAnswer, DeviceSpec, Series, Start, runs_of, single_runs
from litecheck.processes.posix import free_address_space

#: Kernels and LiteRT's resolver of each.
RESOLVERS = {
    "reference": "BUILTIN_REF",
    "optimized": "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
    "xnnpack": "AUTO",
}
#: Modules that a child loads before its first job. Modules loaded by a job would be loaded again by every job.
RUNTIME = ("ai_edge_litert.interpreter", "litecheck.devices.resources")


def _kernels(argument: str) -> Mapping[str, str]:
    if argument not in RESOLVERS:
        from litecheck.spelling import did_you_mean

        names = [f"litert:{name}" for name in RESOLVERS]
        what = f"unknown kernels {argument!r}" if argument else "no kernels"
        hint = did_you_mean(f"litert:{argument}", names) if argument else ""
        raise ValueError(f"{what}{hint or ';'} available: {', '.join(names)}")
    return {"kernels": argument}


def _driver(spec: DeviceSpec) -> Mapping[str, Any]:
    threads = int(spec.options.get("threads", 1))
    resolver = RESOLVERS[spec.argument]
    return {"runtime": "litert", "package": "ai-edge-litert", "resolver": resolver, "threads": threads}


KIND = DeviceKind(
    "litert",
    "litecheck.devices.adapters.litert:LitertAdapter",
    usage="litert:reference|optimized|xnnpack[,threads=N]",
    summary="the kernels of LiteRT on the CPU",
    modules=("ai_edge_litert",),
    extra="runtime",
    package="ai-edge-litert",
    options={"threads": at_least_one},
    argument=_kernels,
    choices=tuple(RESOLVERS),
    driver=_driver,
)


class LitertAdapter:
    """Adapter of LiteRT's kernels. Options: ``kernels`` (reference, optimized, xnnpack) and ``threads``."""

    memory = StateSupport.SET
    runtime = RUNTIME
    shares = True

    def __init__(self, options: Mapping[str, str]) -> None:
        self._resolver = RESOLVERS[options["kernels"]]
        self._threads = int(options.get("threads", 1))
        self._session: Session | None = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the outputs of each run, each from the initial state."""
        return self._infer(model, single_runs(runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Return the outputs of each run from a single interpreter. A model with resources, which nothing resets, gets
        a new interpreter for each series.

        The interpreter exists as long as the adapter.
        """
        return self._infer(model, runs_of(series))

    def _infer(self, model: bytes, runs: Iterable[Start]) -> AdapterAnswer:
        self._session = self._allocate(model)
        renewed = has_resources(self._session.interpreter)
        made: list[Arrays] = []
        with name_memory_errors(self._session.interpreter):
            for inputs, start in runs:
                if made and renewed and start is not None:
                    self._session = self._allocate(model)
                made.append(self._session.infer(inputs, start))
        return AdapterAnswer(tuple(made))

    def _allocate(self, model: bytes) -> Session:
        return allocate(open_interpreter(model, self._resolver, num_threads=self._threads))


class Session:
    """Allocated interpreter with cached input and output details, which the interpreter rebuilds for every request."""

    def __init__(self, interpreter: Any) -> None:
        self.interpreter = interpreter
        self._read_inputs()
        self._outputs = [d["index"] for d in interpreter.get_output_details()]

    def resize_inputs(self, inputs: Arrays) -> None:
        """Set the shapes of the model's inputs to those of the arrays. Memory is allocated again if a shape differs."""
        shapes = [array.shape for array in inputs]
        if shapes == self._shapes:
            return
        for index, known, shape in zip(self._inputs, self._shapes, shapes, strict=True):
            if shape != known:
                self.interpreter.resize_tensor_input(index, shape)
        self.interpreter.allocate_tensors()
        self._read_inputs()

    def _read_inputs(self) -> None:
        """Read the indexes and shapes of the inputs."""
        details = self.interpreter.get_input_details()
        self._inputs, self._shapes = [d["index"] for d in details], [tuple(d["shape"]) for d in details]

    def invoke(self, inputs: Arrays, start: Mapping[int, Array] | None = None) -> None:
        """Run one inference from the current state, or from the initial state with these contents of variables.

        Inputs get their shapes first, because allocation also resets variables.
        """
        self.resize_inputs(inputs)
        if start is not None:
            self.interpreter.reset_all_variables()
            for index, contents in start.items():
                self.interpreter.set_tensor(index, contents)
        for index, values in zip(self._inputs, inputs, strict=True):
            self.interpreter.set_tensor(index, values)
        self.interpreter.invoke()

    def infer(self, inputs: Arrays, start: Mapping[int, Array] | None = None) -> Arrays:
        """Return copies of the outputs of :meth:`invoke` (int4 as int8, one value per byte)."""
        self.invoke(inputs, start)
        return tuple(map(self.interpreter.get_tensor, self._outputs))


def allocate(interpreter: Any) -> Session:
    """Allocate the memory of an interpreter and return its session."""
    with name_memory_errors(interpreter):
        interpreter.allocate_tensors()
    return Session(interpreter)


def open_interpreter(model: bytes | str, resolver: str, **options: Any) -> Any:
    """Return LiteRT's interpreter of a model (bytes or file name), with the kernels of a resolver."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    kernels = getattr(OpResolverType, resolver)
    source = {"model_path": model} if isinstance(model, str) else {"model_content": model}
    return Interpreter(**source, experimental_op_resolver_type=kernels, **options)


def has_resources(interpreter: Any) -> bool:
    """Return True if the model has variables that ``reset_all_variables`` does not reset."""
    from litecheck.devices.resources import RESOURCES

    return any(op["op_name"] in RESOURCES for op in interpreter._get_ops_details())


@contextmanager
def name_memory_errors(interpreter: Any) -> Iterator[None]:
    """Convert LiteRT's errors without a message into MemoryError if its tensors exceed the memory limit."""
    try:
        yield
    except RuntimeError as error:
        needed = sum(
            int(np.prod(t["shape"])) * np.dtype(t["dtype"]).itemsize for t in interpreter.get_tensor_details()
        )
        if str(error) or needed <= free_address_space():
            raise
        raise MemoryError(f"the tensors need {needed:,} bytes") from None
