"""Calibration: a float model is run on data, and what every float tensor held is found out, sample by sample."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from litecheck.arrays import Arrays
from litecheck.convert.calibration.dataset import CalibrationData
from litecheck.convert.calibration.machine_observer import MachineObserver
from litecheck.convert.calibration.samples import Sample
from litecheck.convert.calibration.statistics import CalibrationError, CalibrationStatistics
from litecheck.convert.calibration.tally import Tally, observed
from litecheck.devices.isolated import Isolated
from litecheck.devices.kinds import QUIET
from litecheck.devices.port import Failure, Job, Limits
from litecheck.devices.worker import Setup
from litecheck.errors import ConfigError
from litecheck.model.links import called
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.spelling import did_you_mean

#: litecheck's own kernels, and LiteRT's by what else chooses them.
OWN = "litecheck"
KERNELS = {"litert:xnnpack": "xnnpack", "litert:optimized": "optimized", "litert:reference": "reference"}
#: Bytes of inputs, and samples, that go to a child process at once.
_BYTES, _SAMPLES = 1 << 23, 256
_NAMES = {"xnnpack": "XNNPACK", "optimized": "optimized kernels", "reference": "reference kernels"}

#: Told how many samples are done, or nearly.
Progress = Callable[[int], None]


def observe(
    model: Model,
    data: CalibrationData,
    *,
    device: str = "auto",
    sketches: bool = False,
    progress: Progress | None = None,
    limits: Limits | None = None,
) -> CalibrationStatistics:
    """The statistics of a model's float tensors over all samples, the same in any order of them.

    ``device`` is ``litecheck`` (its own float kernels), ``litert:xnnpack``, ``litert:optimized``, ``litert:reference``, or
    ``auto``: XNNPACK where LiteRT is installed, unless the model calls subgraphs, whose tensors LiteRT shows after their
    last turn only. LiteRT runs in a child process within ``limits`` for each inference. ``sketches`` adds histograms.
    Raises CalibrationError where the model does not run, ConfigError for data that do not fit and for other devices.
    """
    tell = progress or (lambda _: None)
    chosen = _chosen(model, device)
    if chosen == OWN:
        return _by_machine(model, data, sketches, tell)
    return _by_litert(model, data, KERNELS[chosen], sketches, tell, limits or Limits())


def _chosen(model: Model, device: str) -> str:
    names = ("auto", OWN, *KERNELS)
    if device not in names:
        hint = did_you_mean(device, names) or f"; there are {', '.join(names)}"
        raise ConfigError(f"there is nothing called {device!r} to calibrate with{hint}")
    installed = find_spec("ai_edge_litert") is not None
    if device == "auto":
        return "litert:xnnpack" if installed and not _calls(model) else OWN
    if device != OWN and not installed:
        raise ConfigError(f"{device} needs the package ai-edge-litert: pip install 'litecheck[runtime]'")
    return device


def _calls(model: Model) -> bool:
    """Whether operators run subgraphs that hold float tensors."""
    floats = {subgraph for subgraph, _ in observed(model)}
    callees = {n for s in model.subgraphs for operator in s.operators for _, n in called(operator)}
    return bool(floats & callees)


def _by_machine(model: Model, data: CalibrationData, sketches: bool, tell: Progress) -> CalibrationStatistics:
    observer, count = MachineObserver(model, sketches), 0
    for count, chain in enumerate(data, 1):
        observer.run(chain, count - 1)
        tell(count)
    return _result(model, observer.tally, count, data, "litecheck's float kernels")


def _result(
    model: Model, tally: Tally, count: int, data: CalibrationData, runtime: str
) -> CalibrationStatistics:
    if not count:
        raise ConfigError(f"{data.described}: there is no sample")
    return tally.result(observed(model), count, data.described, runtime)


@dataclass(frozen=True, slots=True)
class Batch:
    """Samples that go to a child process together, as a job has them."""

    runs: tuple[Arrays, ...]
    lengths: tuple[int, ...]


def _by_litert(
    model: Model, data: CalibrationData, kernels: str, sketches: bool, tell: Progress, limits: Limits
) -> CalibrationStatistics:
    tally, count, used = Tally(sketches), 0, kernels
    places = np.array(observed(model), np.int32).reshape(-1, 2)
    with tempfile.TemporaryDirectory(prefix="litecheck-") as folder:
        file = Path(folder, "model.tflite")
        save_model(model, file, drop_unknown=True)
        device = _opened(model, kernels, sketches, limits)
        try:
            for batch in batches(model, data):
                device.progress = lambda begun, before=count: tell(before + max(0, begun - 1))
                found = _asked(device, file, batch, places, model, count)
                tally.behind(count, found)
                count, used = count + found.samples, found.runtime
                tell(count)
        finally:
            device.close()
    return _result(model, tally, count, data, f"ai-edge-litert {version('ai-edge-litert')}, {_NAMES[used]}")


def _opened(model: Model, kernels: str, sketches: bool, limits: Limits) -> Isolated:
    resources = any(t.dtype == "resource" for s in model.subgraphs for t in s.tensors)
    options = {
        "kernels": kernels,
        "signatures": json.dumps([one.key for one in model.signatures]),
        "sketched": str(int(sketches)),
        "resources": str(int(resources)),
    }
    adapter = "litecheck.convert.calibration.litert_observer:LitertObserver"
    return Isolated(f"litert:{kernels}", "ai-edge-litert", Setup(adapter, options, QUIET), limits)


def _asked(
    device: Isolated, file: Path, batch: Batch, places: np.ndarray, model: Model, before: int
) -> CalibrationStatistics:
    """What the child found out. Raises CalibrationError where it found out nothing."""
    job = Job("calibration", model, str(file).encode(), ((places,), *batch.runs), (1, *batch.lengths))
    answer = device.run(job)
    if isinstance(answer, Failure):
        where = f"samples {before} to {before + len(batch.lengths) - 1}"
        raise CalibrationError(f"{device.name}, {where}: {answer.outcome.value}: {answer.message}")
    ((said,),) = answer.runs
    return CalibrationStatistics.from_json(said.tobytes().decode())


def batches(model: Model, data: CalibrationData) -> Iterator[Batch]:
    """The samples in groups of bounded size, each with where it enters the model. Raises ConfigError."""
    runs: list[Arrays] = []
    lengths: list[int] = []
    size = 0
    for chain in data:
        own = [_entered(model, sample) for sample in chain]
        size += sum(array.nbytes for run in own for array in run)
        runs, lengths = [*runs, *own], [*lengths, len(own)]
        if size >= _BYTES or len(lengths) >= _SAMPLES:
            yield Batch(tuple(runs), tuple(lengths))
            runs, lengths, size = [], [], 0
    if lengths:
        yield Batch(tuple(runs), tuple(lengths))


def _entered(model: Model, sample: Sample) -> Arrays:
    """A sample as :class:`LitertObserver` gets it: 0 and the first subgraph's inputs in order, or the number of a signature
    and its inputs in the order of their names."""
    subgraph, arrays = sample.arrange(model)
    if not subgraph:
        return (np.array(0, np.int32), *arrays)
    number, signature = next((n, s) for n, s in enumerate(model.signatures, 1) if s.key == sample.signature)
    by_index = dict(zip(model.subgraphs[subgraph].inputs, arrays, strict=True))
    return (np.array(number, np.int32), *(by_index[index] for _, index in sorted(signature.inputs)))
