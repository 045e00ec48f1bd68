"""External delegate in LiteRT's interpreter, with a check of the outputs that the delegate itself computed."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.adapters import litert
from litecheck.devices.command_line import MissingFileError
from litecheck.devices.device_kinds import FILLED, DeviceKind
from litecheck.devices.port import AdapterAnswer, DeviceSpec, Series, Start, runs_of, single_runs

#: Alternating bytes in a delegated output before a run, so that an unwritten output is recognized.
_FILL = (0xA5, 0x5A)
#: Functions of a delegate's library. Source: tflite/delegates/external/external_delegate.cc.
_EXPORTS = ("tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate")


def _library(argument: str) -> Mapping[str, str]:
    path = os.path.abspath(os.path.expanduser(argument))
    if not argument:
        raise ValueError("a library is missing, as in delegate:/path/lib.so")
    if not os.path.isfile(path):
        program = f"; a program is 'command:{argument}'" if "{" in path else ""
        raise MissingFileError(f"no such file: {path}{program}")
    return {"": path}


def _driver(spec: DeviceSpec) -> Mapping[str, Any]:
    kernels = {
        "runtime": "litert",
        "package": "ai-edge-litert",
        "resolver": litert.RESOLVERS["reference"],
        "threads": 1,
    }
    return {**kernels, "library": spec.argument, "options": dict(spec.options)}


KIND = DeviceKind(
    "delegate",
    "litecheck.devices.adapters.delegate:Delegate",
    usage="delegate:LIB.so[,KEY=VALUE...]",
    summary="a LiteRT delegate in a library",
    modules=("ai_edge_litert",),
    extra="runtime",
    package="ai-edge-litert",
    options=None,
    argument=_library,
    environment=FILLED,
    files=lambda spec: (Path(spec.argument).expanduser(),),
    driver=_driver,
)


class Delegate:
    """Adapter of a delegate. Options: ``""`` is the library's path, other options are passed to the delegate.

    The reference kernels compute operators that the delegate does not take. With the default kernels, XNNPACK would
    take these operators and would also appear as a delegate.
    """

    memory = StateSupport.SET
    runtime = litert.RUNTIME

    def __init__(self, options: Mapping[str, str]) -> None:
        from ai_edge_litert.interpreter import load_delegate

        self._session: litert.Session | None = None
        # A library that cannot be loaded fails here, because Delegate.__del__ would print a traceback.
        library = ctypes.CDLL(options[""])
        if missing := [name for name in _EXPORTS if not hasattr(library, name)]:
            raise OSError(f"{options['']}: is not a delegate, it does not export {missing[0]}")
        self._delegate = load_delegate(options[""], {k: v for k, v in options.items() if k})

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the outputs of each run, and a flag per output: True if the delegate computed it."""
        return self._run(model, single_runs(runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Run series of inferences: like :meth:`run`, but state persists within each series in the runtime's variable
        tensors."""
        return self._run(model, runs_of(series))

    def _run(self, model: bytes, runs: Iterable[Start]) -> AdapterAnswer:
        plain = _interpreter(model)
        own = len(plain._get_ops_details())
        del plain
        self._session = self._allocate(model)
        with litert.name_memory_errors(self._session.interpreter):
            return self._infer(self._session, model, runs, own)

    def _allocate(self, model: bytes) -> litert.Session:
        return litert.allocate(_interpreter(model, experimental_delegates=[self._delegate]))

    def _infer(self, session: litert.Session, model: bytes, runs: Iterable[Start], own: int) -> AdapterAnswer:
        made: list[Arrays] = []
        silent: list[str] = []
        delegated: tuple[bool, ...] = ()
        shapes: list[tuple[int, ...]] | None = None  # input shapes of the allocated memory
        renewed = litert.has_resources(session.interpreter)
        for inputs, start in runs:
            if made and renewed and start is not None:
                self._session = session = self._allocate(model)
                shapes = None
            session.resize_inputs(inputs)
            if shapes != (shapes := [array.shape for array in inputs]):
                delegated = _find_delegated(session.interpreter, own)
            _fill(session.interpreter, delegated)
            made.append(session.infer(inputs, start))
            silent += [
                f"run {len(made) - 1}: the delegate wrote nothing to output {k}"
                for k, (values, ours) in enumerate(zip(made[-1], delegated, strict=True))
                if ours and _is_unwritten(values)
            ]
        left = _describe_undelegated(session.interpreter._get_ops_details(), own) if any(delegated) else ""
        return AdapterAnswer(tuple(made), delegated, "\n".join(filter(None, (left, *silent[:3]))))


def _interpreter(model: bytes, **options: Any) -> Any:
    return litert.open_interpreter(model, litert.RESOLVERS["reference"], num_threads=1, **options)


def _find_delegated(interpreter: Any, own: int) -> tuple[bool, ...]:
    """Return a flag per output: True if a delegate node computes it. Delegate nodes follow the model's ``own`` operators."""
    added = interpreter._get_ops_details()[own:]
    made = {int(index) for op in added if op["op_name"] == "DELEGATE" for index in op["outputs"]}
    return tuple(detail["index"] in made for detail in interpreter.get_output_details())


def _describe_undelegated(operators: Sequence[Mapping[str, Any]], own: int) -> str:
    """Return a message with the model's operators that no delegate node covers, "" if there are none.

    An output of a delegate node gives no information about the operators before it, so all operators are counted.
    """
    makers = {int(t): n for n, op in enumerate(operators[:own]) for t in op["outputs"]}
    covered: set[int] = set()
    for node in operators[own:]:
        given, wanted = set(map(int, node["inputs"])), list(map(int, node["outputs"]))
        while wanted and node["op_name"] == "DELEGATE":
            maker = makers.get(wanted.pop())
            if maker is not None and maker not in covered:
                covered.add(maker)
                wanted += [int(t) for t in operators[maker]["inputs"] if int(t) not in given]
    left = [f"{operators[n]['op_name']} #{n}" for n in range(own) if n not in covered]
    shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
    return f"{len(left)} of {own} operators were left to the reference kernels: {shown}" if left else ""


def _fill(interpreter: Any, delegated: tuple[bool, ...]) -> None:
    """Fill the delegated outputs with a pattern, so that an unwritten output does not show the previous run.

    Inputs are set afterwards. Outputs of other nodes are not filled, because allocation may already have computed them.
    """
    inputs = {detail["index"] for detail in interpreter.get_input_details()}
    for detail, ours in zip(interpreter.get_output_details(), delegated, strict=True):
        if ours and detail["index"] not in inputs:
            values = interpreter.tensor(detail["index"])()
            values[...] = _pattern(values)


def _pattern(values: NDArray[Any]) -> NDArray[Any]:
    """Return the fill pattern in an array's type and shape."""
    filled = np.resize(np.array(_FILL, np.uint8), values.nbytes)
    return filled.view(values.dtype).reshape(values.shape)


def _is_unwritten(values: NDArray[Any]) -> bool:
    return values.nbytes > 1 and values.tobytes() == _pattern(values).tobytes()
