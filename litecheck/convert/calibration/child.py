"""Questions to LiteRT in a child process, batch by batch, with the errors of that as errors of calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from types import TracebackType

import numpy as np

from litecheck.arrays import Arrays
from litecheck.convert.calibration.statistics import CalibrationError
from litecheck.devices.isolated import Isolated
from litecheck.devices.kinds import QUIET
from litecheck.devices.port import Failure, Job, Limits
from litecheck.devices.worker import Setup
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.spelling import did_you_mean

#: litecheck's own kernels, and LiteRT's by what else chooses them.
OWN = "litecheck"
KERNELS = {"litert:xnnpack": "xnnpack", "litert:optimized": "optimized", "litert:reference": "reference"}
_NAMES = {"xnnpack": "XNNPACK", "optimized": "optimized kernels", "reference": "reference kernels"}
#: Bytes of inputs, and chains of samples, that go to a child process at once.
_BYTES, _CHAINS = 1 << 23, 256


def chosen_runtime(device: str, unseen: bool) -> str:
    """``litecheck`` or one of ``KERNELS``, for ``auto`` XNNPACK where LiteRT is installed; LiteRT not where some tensors
    would stay ``unseen``. Raises ConfigError for what is neither, or not installed."""
    names = ("auto", OWN, *KERNELS)
    if device not in names:
        hint = did_you_mean(device, names) or f"; there are {', '.join(names)}"
        raise ConfigError(f"there is nothing called {device!r} to calibrate with{hint}")
    installed = find_spec("ai_edge_litert") is not None
    if device == "auto":
        return "litert:xnnpack" if installed and not unseen else OWN
    if device != OWN and not installed:
        raise ConfigError(f"{device} needs the package ai-edge-litert: pip install 'litecheck[runtime]'")
    if device != OWN and unseen:
        raise ConfigError(
            f"{device} shows what subgraphs hold after their last turn only; use {OWN}, or auto"
        )
    return device


def runtime_name(kernels: str) -> str:
    """LiteRT with its version and the kernels that ran."""
    return f"ai-edge-litert {version('ai-edge-litert')}, {_NAMES[kernels]}"


@dataclass(frozen=True, slots=True)
class Batch:
    """Chains of inferences that go to a child process together, as a job has them."""

    runs: tuple[Arrays, ...]
    lengths: tuple[int, ...]


def batches(chains: Iterable[tuple[Arrays, ...]]) -> Iterator[Batch]:
    """Chains in groups of bounded size."""
    runs: list[Arrays] = []
    lengths: list[int] = []
    size = 0
    for chain in chains:
        runs += chain
        lengths.append(len(chain))
        size += sum(array.nbytes for run in chain for array in run)
        if size >= _BYTES or len(lengths) >= _CHAINS:
            yield Batch(tuple(runs), tuple(lengths))
            runs, lengths, size = [], [], 0
    if lengths:
        yield Batch(tuple(runs), tuple(lengths))


#: Told how many samples are done.
SamplesDone = Callable[[int], None]


class LitertChild:
    """A child process for an adapter whose answers are text in one array."""

    def __init__(self, adapter: str, options: Mapping[str, str], limits: Limits) -> None:
        """Raises DeviceError where LiteRT cannot be loaded."""
        name = f"litert:{options['kernels']}"
        self._device = Isolated(name, name, Setup(adapter, options, QUIET), limits)

    def __enter__(self) -> LitertChild:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._device.close()

    def ask(
        self, model: Model, content: str, head: Arrays, batch: Batch, before: int, tell: SamplesDone
    ) -> str:
        """The text that a batch gives behind so many samples; ``head`` is a first run of its own.

        ``tell`` hears now and then how many samples are done. Raises CalibrationError where there is no text.
        """
        ends = np.cumsum(batch.lengths)
        # Of the runs that have begun the first is the head, and the last is not done.
        self._device.progress = lambda begun: tell(before + int(np.searchsorted(ends, begun - 2, "right")))
        job = Job("calibration", model, content.encode(), (head, *batch.runs), (1, *batch.lengths))
        answer = self._device.run(job)
        if isinstance(answer, Failure):
            samples = f"samples {before} to {before + len(batch.lengths) - 1}"
            raise CalibrationError(
                f"{self._device.name}, {samples}: {answer.outcome.value}: {answer.message}"
            )
        ((said,),) = answer.runs
        return said.tobytes().decode()
