"""Questions to LiteRT in a child process, batch by batch. Its errors become errors of calibration."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Any

import numpy as np

from litecheck.arrays import Arrays
from litecheck.conversion.calibration.prestart import SETUP
from litecheck.conversion.calibration.read_ahead import ReadAhead
from litecheck.conversion.calibration.statistics import CalibrationError
from litecheck.devices.ipc import RunsFile, StoredRuns
from litecheck.devices.isolated_device import IsolatedDevice, check_disk
from litecheck.devices.port import Failure, Job, Limits
from litecheck.devices.process import WorkerProcess
from litecheck.errors import ConfigError, install_hint
from litecheck.model.save import hash_saved_file, save_model
from litecheck.model.stored_values import release
from litecheck.model.types import Model
from litecheck.profile.unpacked_constants import unpacking_operators
from litecheck.spelling import did_you_mean

#: Name of litecheck's own kernels, and LiteRT's kernel sets by name of the device.
OWN = "litecheck"
KERNELS = {"litert:xnnpack": "xnnpack", "litert:optimized": "optimized", "litert:reference": "reference"}
_NAMES = {"xnnpack": "XNNPACK", "optimized": "optimized kernels", "reference": "reference kernels"}
#: Maximum bytes of inputs, and chains of samples, that are sent to a child process at once, through a file.
_BYTES, _CHAINS = 1 << 25, 256


def runtime_of(device: str, unseen: bool) -> str:
    """Return ``litecheck`` or an entry of ``KERNELS``. ``auto`` is XNNPACK if LiteRT is installed.

    LiteRT is not used if some tensors would stay ``unseen``. Raises ConfigError for a device that is unknown or not
    installed.
    """
    names = ("auto", OWN, *KERNELS)
    if device not in names:
        hint = did_you_mean(device, names) or ";"
        raise ConfigError(f"--device {device}: unknown device {device!r}{hint} available: {', '.join(names)}")
    installed = find_spec("ai_edge_litert") is not None
    if device == "auto":
        return "litert:xnnpack" if installed and not unseen else OWN
    if device != OWN and not installed:
        raise ConfigError(f"{device} needs the package ai-edge-litert: {install_hint('runtime')}")
    if device != OWN and unseen:
        raise ConfigError(
            f"{device} has the tensors of called subgraphs after their last call only; use {OWN}, or auto"
        )
    return device


def runtime_name(kernels: str) -> str:
    """Return LiteRT with its version and the kernels that ran."""
    return f"ai-edge-litert {litert_version()}, {_NAMES[kernels]}"


@cache
def litert_version() -> str:
    """Return the version of the installed LiteRT. The search for it takes 15 ms."""
    from importlib.metadata import version

    return version("ai-edge-litert")


@dataclass(frozen=True, slots=True)
class Batch:
    """Chains of inferences that are sent to a child process together: all runs, the number of runs of each chain, and
    the file with their arrays."""

    runs: StoredRuns
    lengths: tuple[int, ...]
    file: Path


def batches(chains: Iterable[tuple[Arrays, ...]], folder: Path) -> Iterator[Batch]:
    """Yield chains in groups of bounded size, each in its own file. A single chain is in memory at a time.

    Raises ConfigError if the disk is full.
    """
    several = iter(chains)
    for number in count():
        batch = _store_batch(several, folder / f"runs{number}")
        if not batch.lengths:
            return
        yield batch


def _store_batch(chains: Iterator[tuple[Arrays, ...]], file: Path) -> Batch:
    lengths: list[int] = []
    try:
        with open(file, "wb") as opened:
            written = RunsFile(opened)
            while written.size < _BYTES and len(lengths) < _CHAINS:
                chain = next(chains, None)
                if chain is None:
                    break
                for run in chain:
                    written.add(run)
                lengths.append(len(chain))
    except OSError as error:
        check_disk(error)
        raise
    return Batch(written.runs, tuple(lengths), file)


#: Progress callback: the number of finished samples.
SamplesDone = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question for :class:`litecheck.conversion.calibration.litert_runs.LitertRuns`.

    It names the answering class as ``module:attribute``, and has the facts that the class needs in addition to the runs,
    as plain values for JSON.
    """

    answers: str
    facts: Mapping[str, Any]


class LitertChild:
    """A child process in which LiteRT runs models on chains of samples. It starts with the first question."""

    def __init__(self, kernels: str, limits: Limits, started: WorkerProcess | None = None) -> None:
        """Prepare the child. A process in ``started`` is used."""
        self.kernels = kernels
        self.asked = Event()  # set when the first samples are sent
        self._limits, self._started = limits, started
        self._device: IsolatedDevice | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: dict[Model, str] = {}
        self._written = 0

    def __enter__(self) -> LitertChild:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the child, even during a run, and remove the files."""
        if self._device is not None:
            self._device.close()
        if self._started is not None:
            self._started.close()
        if self._folder is not None:
            self._folder.cleanup()

    def file_of(self, model: Model) -> str:
        """Return a file with the model, written once. The file of the previous model is kept. Raises ConfigError."""
        path = self._files.pop(model, "")
        if not path:
            while len(self._files) > 1:
                Path(self._files.pop(next(iter(self._files)))).unlink()
            self._written += 1
            path = str(self._path(f"{self._written}.tflite"))
            save_model(model, path, drop_unknown=True)
            for buffer in model.buffers:  # read again when LiteRT, the largest process, has ended
                release(buffer.data)
        self._files[model] = path
        return path

    def compute_hash(self, model: Model) -> None:
        """Compute the hash of a model from its file, if it is written. This takes less time than writing it again."""
        if path := self._files.get(model):
            hash_saved_file(model, path)

    def facts_of(self, model: Model) -> dict[str, Any]:
        """Return the facts about a model that every question has.

        ``resources`` is True for resource variables, ``unpacks`` for operators that unpack constants.
        """
        return {
            "file": self.file_of(model),
            "kernels": self.kernels,
            "signatures": [(one.key, one.subgraph) for one in model.signatures],
            "unpacks": any(map(unpacking_operators, model.subgraphs)),
            "resources": any(t.dtype == "resource" for s in model.subgraphs for t in s.tensors),
        }

    def _path(self, name: str) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="litecheck-", ignore_cleanup_errors=True)
        return Path(self._folder.name, name)

    def ask(
        self, question: SampleQuestion, model: Model, chains: Iterable[tuple[Arrays, ...]], tell: SamplesDone
    ) -> Iterator[dict[str, Any]]:
        """Yield the answers to a question about a model, batch by batch of the chains.

        The chains of the next batches are read in a thread. ``tell`` is called repeatedly with the number of finished
        samples. Raises CalibrationError if there is no answer, DeviceError if LiteRT cannot be loaded.
        """
        content, before = json.dumps([question.answers, question.facts]).encode(), 0
        with tempfile.TemporaryDirectory(dir=self._path("."), ignore_cleanup_errors=True) as folder:
            several = batches(chains, Path(folder))
            first = tuple(islice(several, 1))  # a thread would delay it
            with closing(ReadAhead(several)) as later:
                for batch in chain(first, later):
                    job = Job("calibration", model, content, batch.runs, batch.lengths)
                    yield self._answer(job, before, tell)
                    batch.file.unlink()
                    before += len(batch.lengths)
                    tell(before)

    def _answer(self, job: Job, before: int, tell: SamplesDone) -> dict[str, Any]:
        device = self._open_device()
        self.asked.set()
        ends = np.cumsum(job.lengths)
        # The last run that has started is not finished.
        device.progress = lambda begun: tell(before + int(np.searchsorted(ends, begun - 1, "right")))
        answer = device.run(job)
        if isinstance(answer, Failure):
            samples = f"samples {before} to {before + len(job.lengths) - 1}"
            raise CalibrationError(f"{device.name}, {samples}: {answer.outcome.value}: {answer.message}")
        ((encoded,),) = answer.runs
        found: dict[str, Any] = json.loads(encoded.tobytes())
        return found

    def _open_device(self) -> IsolatedDevice:
        if self._device is None:
            name = f"litert:{self.kernels}"
            self._device = IsolatedDevice(name, name, SETUP, self._limits, self._started, tries=False)
        return self._device


def child_for(given: LitertChild | None, kernels: str, limits: Limits) -> AbstractContextManager[LitertChild]:
    """Return the given child, which stays open, or a new child, which the context closes."""
    return LitertChild(kernels, limits) if given is None else nullcontext(given)
