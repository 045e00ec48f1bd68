"""Python function as a device. It is called in this process; its outputs and exceptions become outcomes."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, DeviceError, Failure, Job, NotDelegated, NotSupported
from litecheck.reference.engine.entry_point import unique_names
from litecheck.summary_text import count_of

#: Name of the first parameter of a function that gets each model as bytes.
MODEL = "model"
_OUTCOMES: tuple[tuple[type[BaseException], Outcome], ...] = (
    (NotDelegated, Outcome.NOT_DELEGATED),
    (NotSupported, Outcome.NOT_SUPPORTED),
    (NotImplementedError, Outcome.NOT_SUPPORTED),
    (MemoryError, Outcome.OUT_OF_MEMORY),
)


class FunctionDevice:
    """Device that calls a Python function with arrays in the order of a model's inputs.

    The function returns an output, several outputs, or a mapping by tensor name. If its first parameter is called
    ``model``, it also gets the bytes of the .tflite file and can run any model. A function without this parameter
    computes a single model, from its inputs to its outputs (``whole``).
    """

    memory = StateSupport.NONE

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        called = getattr(function, "__qualname__", type(function).__qualname__)
        self.name = f"python:{called}"
        self.described = f"{self.name} (a function of {getattr(function, '__module__', '') or 'Python'})"
        self.whole = not _takes_model(function)
        self._closed = False

    def run(self, job: Job) -> Answer | Failure:
        """Return the function's outputs for each run; an exception becomes an outcome with the line that raised it."""
        if self._closed:
            raise DeviceError("the device was closed")
        runs: list[Arrays] = []
        for inputs in job.runs:
            # The function may write into its arguments; the next arithmetic reads the same arrays.
            given: list[Any] = [np.array(array) for array in inputs]
            try:
                returned = self.function(*([] if self.whole else [job.content]), *given)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a function may raise anything, SystemExit included
                return _failure_of(error)
            outputs = _arrays(returned, job)
            if isinstance(outputs, str):
                return Failure(Outcome.WRONG_SHAPE, outputs)
            runs.append(outputs)
        return Answer(tuple(runs))

    def close(self) -> None:
        """Close the device; later jobs raise DeviceError."""
        self._closed = True


def check_any_model(device: Device, asked: str) -> None:
    """Raise DeviceError for a function that computes a single model. ``asked`` names the caller, which needs many models."""
    if isinstance(device, FunctionDevice) and device.whole:
        raise DeviceError(
            f"{device.name} computes one model, and {asked} asks about many: let its first parameter be called {MODEL!r}, "
            "which then is given the bytes of each"
        )


def _takes_model(function: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some builtin functions have no signature
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return bool(parameters) and parameters[0].name == MODEL and parameters[0].kind in positional


def _failure_of(error: BaseException) -> Failure:
    outcome = next((outcome for kind, outcome in _OUTCOMES if isinstance(error, kind)), Outcome.REFUSED)
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    # The first frame belongs to this module; the last frame raised the exception.
    inside = traceback.extract_tb(error.__traceback__)[1:]
    if not inside:
        return Failure(outcome, f"{text} (raised by the call itself)")
    file = inside[-1].filename.replace("\\", "/").rpartition("/")[2]
    return Failure(outcome, f"{text} (raised in {inside[-1].name}, {file}:{inside[-1].lineno})")


def _arrays(returned: object, job: Job) -> Arrays | str:
    """Return the function's outputs as arrays in the order of the model's outputs, or an error message."""
    graph = job.model.subgraphs[0]
    names = [name for name, _ in unique_names(graph, graph.outputs)]
    if isinstance(returned, Mapping) and len(returned) == len(names) == 1:
        values = list(returned.values())
    elif isinstance(returned, Mapping):
        missing = [name for name in names if name not in returned]
        if missing:
            there = ", ".join(map(repr, returned)) or "nothing"
            return f"no output {missing[0]!r} in the mapping that was returned, which has {there}"
        values = [returned[name] for name in names]
    else:
        values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(values) != len(names):
        return f"{count_of(len(values), 'output')} returned, the model has {len(names)}"
    arrays = list(map(_array, values))
    for name, value, array in zip(names, values, arrays, strict=True):
        if array is None:
            return f"'{name}' is {type(value).__name__}, it should be an array"
    return tuple(array for array in arrays if array is not None)


def _array(value: object) -> NDArray[Any] | None:
    """Return a copy, because the function may reuse its array; None for a value that does not contain numbers."""
    try:
        array = np.array(value)
    except Exception:  # a conversion by another library may raise anything
        return None
    return array if array.dtype.kind in "biufcV" else None
