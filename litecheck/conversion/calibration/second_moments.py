"""Second moments of the inputs of layers over calibration data: x^T x for rows x that are multiplied with the weights."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import (
    KERNELS,
    OWN,
    LitertChild,
    SampleQuestion,
    SamplesDone,
    child_for,
    runtime_of,
)
from litecheck.conversion.calibration.observe import calls_others, observer_inputs
from litecheck.conversion.calibration.statistics import CalibrationError, Place
from litecheck.devices.port import Limits, Series
from litecheck.model.types import Model, Subgraph
from litecheck.reference.numerics.windows import VALID, axis, pad_image, windows
from litecheck.reference.runtime_tensors import RunError

_QUESTION = "litecheck.conversion.calibration.second_moments:LitertMoments"


@dataclass(frozen=True, slots=True)
class LayerInput:
    """The input of a layer. ``columns`` is the number of inputs of each output.

    A convolution has a ``kernel`` (height, width) with ``strides``, ``dilations`` and ``padding``; other layers have (0, 0).
    """

    place: Place
    columns: int
    kernel: tuple[int, int] = (0, 0)
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    padding: int = VALID

    def rows(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the rows that are multiplied with the weights. Example: 3 x 3 windows of 8 channels have 72 columns."""
        if self.kernel != (0, 0):
            down, across = (
                axis(values.shape[n + 1], self.kernel[n], self.strides[n], self.dilations[n], self.padding)
                for n in range(2)
            )
            values = windows(pad_image(values, down, across, 0, np.float32), down, across)
        return values.reshape(-1, self.columns).astype(np.float64)


class MomentSums:
    """Sums of x^T x over inferences, for each layer."""

    def __init__(self, layers: Sequence[LayerInput]) -> None:
        self.sums = [np.zeros((layer.columns, layer.columns)) for layer in layers]
        self._layers: dict[Place, list[tuple[int, LayerInput]]] = {}
        for number, layer in enumerate(layers):
            self._layers.setdefault(layer.place, []).append((number, layer))

    @property
    def places(self) -> tuple[Place, ...]:
        """Tensors that are inputs of layers."""
        return tuple(self._layers)

    def add(self, place: Place, values: NDArray[Any]) -> None:
        """Add the values of a tensor."""
        for number, layer in self._layers.get(place, ()):
            rows = layer.rows(values)
            self.sums[number] += rows.T @ rows

    def add_all(self, tensors: Iterable[tuple[Place, NDArray[Any]]]) -> None:
        """Add the values of several tensors. References to the interpreter's memory do not outlive the call."""
        for place, values in tensors:
            self.add(place, values)


class LitertMoments:
    """The question of a child process about second moments.

    Facts: ``file``, ``kernels``, ``signatures``, ``resources``, ``unpacks`` as those of LitertObserver, and
    ``layers``. A run starts with the number of the entry point. The answer has the sums in base64.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts

    def answer(self, several: Iterable[Series]) -> dict[str, Any]:
        """Return the sums over all runs. Variables are reset for each series."""
        sums = MomentSums([_layer(plain) for plain in self._facts["layers"]])
        interpreter: AllTensorsInterpreter | None = None
        for one in several:
            if interpreter is None or self._facts["resources"]:
                facts = self._facts
                interpreter = AllTensorsInterpreter(
                    facts["file"], facts["kernels"], facts["signatures"], facts["unpacks"]
                )
            interpreter.reset()
            for number, *inputs in one.runs:
                subgraph = interpreter.run(int(number), tuple(inputs))
                sums.add_all(interpreter.tensors(sums.places, subgraph))
        return {"sums": [b64encode(one.tobytes()).decode() for one in sums.sums]}


def _layer(plain: Mapping[str, Any]) -> LayerInput:
    lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
    return LayerInput(**{**plain, **lists})


def second_moments(
    model: Model,
    layers: Sequence[LayerInput],
    data: CalibrationData,
    device: str,
    tell: SamplesDone,
    limits: Limits,
    child: LitertChild | None = None,
) -> list[NDArray[np.float64]]:
    """Return x^T x of each layer over all samples, of shape (columns, columns).

    ``device``, ``limits``, ``child`` and the errors are those of :func:`litecheck.conversion.calibration.observe.observe`.
    """
    sums, chosen = MomentSums(layers), runtime_of(device, calls_others(model))
    if chosen == OWN:
        _run_interpreter(model, sums, data, tell, limits)
        return sums.sums
    with child_for(child, KERNELS[chosen], limits) as used:
        facts = used.facts_of(model) | {"layers": list(map(asdict, layers))}
        chains = (tuple(observer_inputs(model, sample) for sample in chain) for chain in data)
        for answer in used.ask(SampleQuestion(_QUESTION, facts), model, chains, tell):
            for total, text in zip(sums.sums, answer["sums"], strict=True):
                total += np.frombuffer(b64decode(text)).reshape(total.shape)
    return sums.sums


def _run_interpreter(
    model: Model, sums: MomentSums, data: CalibrationData, tell: SamplesDone, limits: Limits
) -> None:
    # Imported here: the module imports all kernels, which a run in LiteRT does not need.
    from litecheck.conversion.calibration.litert_fallback import FallbackInterpreter

    def watch(subgraph: Subgraph, indexes: Sequence[int], arrays: Sequence[NDArray[Any]]) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            sums.add((subgraph.index, index), values)

    with FallbackInterpreter(model, limits) as interpreter:
        interpreter.watch = watch
        for count, chain in enumerate(data, 1):
            interpreter.restart()
            for sample in chain:
                subgraph, arrays = sample.arrange(model)
                try:
                    interpreter.run(model.subgraphs[subgraph], arrays)
                except RunError as error:
                    raise CalibrationError(f"sample {count - 1}: {error}") from error
            tell(count)
