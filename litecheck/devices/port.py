"""The port every device stands behind: a model and timed inputs in, outputs or an outcome out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol, overload

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.memory import Memory
from litecheck.devices.outcome import Outcome
from litecheck.errors import LitecheckError

if TYPE_CHECKING:  # a job's process has no use for models
    from litecheck.model.types import Model


class DeviceError(LitecheckError):
    """A device that cannot be opened at all: an unknown kind, a missing library, a missing package.

    ``said`` is the end of the device's own output, whose lines stay lines.
    """

    def __init__(self, message: str, said: str = "") -> None:
        self.message, self.said = message, said
        super().__init__(f"{message}\n{said}" if said else message)

    @property
    def lines(self) -> tuple[str, ...]:
        """The message, then the lines of the device's output."""
        return self.message, *self.said.splitlines()


class NotDelegated(Exception):  # noqa: N818  (an outcome, not an error)
    """What an adapter raises where its device leaves the model, or a part of it, to others; the text says what."""


class NotSupported(Exception):  # noqa: N818  (an outcome, not an error)
    """What an adapter raises where its device does not have an operator of the model; the text says which."""


class TooLargeError(RuntimeError):
    """An output that has many times the bytes of the tensor it should be."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a device may take: seconds for one invocation, and as many to get ready for a job; and bytes of address space
    beyond what its runtime needs."""

    seconds: float = 60.0
    memory: int = 4 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Inferences in a row on one interpreter, which is reset before the first of them and not between them.

    ``start`` has contents for variable tensors of the model's first subgraph, by number; what it does not name is as it
    is at first.
    """

    runs: Sequence[Arrays]
    start: Mapping[int, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)  # no slots: the model is kept once it is read
class Job:
    """A model to run, once for each of ``runs``, its variables as they are at first before each of them.

    ``name`` tells the case apart and is fit for a file (``0012-CONV_2D``); ``content`` is the model as a .tflite file;
    arrays hold stored values (int8 as int8) in the model's shapes. ``decoded`` is that model where it has been read. Where
    ``lengths`` are given, runs are series of so many inferences, one after the other, and state is handed on within
    each; ``starts`` are contents of variables for some of them, by the number of the series. A job that ``shares`` may
    run in a process that ran others before, where the adapter allows it.
    """

    name: str
    decoded: Model | None
    content: bytes
    runs: Sequence[Arrays]
    lengths: tuple[int, ...] = ()
    starts: Mapping[int, Mapping[int, NDArray[Any]]] = field(default_factory=dict)
    shares: bool = False

    @cached_property
    def model(self) -> Model:
        """The model, for a device that looks into it. Raises ModelError where it is none and was not decoded."""
        if self.decoded is not None:
            return self.decoded
        from litecheck.model.load import model_from

        return model_from(self.content, self.name)

    @property
    def series(self) -> tuple[Series, ...]:
        """The runs as series: of one inference each, unless lengths say otherwise."""
        ends = list(accumulate(self.lengths or (1,) * len(self.runs)))
        parts = zip([0, *ends], ends, strict=False)
        return tuple(Series(self.runs[a:b], self.starts.get(n, {})) for n, (a, b) in enumerate(parts))


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a device gave: outputs for each run, stored values, whatever their shapes and types are.

    ``delegated`` says for each output whether the device itself computed it; None where the device is no delegate.
    ``ended`` is how its process ended where that was not well (``SIGSEGV``), although it had answered.
    ``message`` is what it said, for people. ``shared``: its process had run other jobs before.
    """

    runs: tuple[Arrays, ...]
    delegated: tuple[bool, ...] | None = None
    ended: str = ""
    message: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer: REFUSED, CRASHED, TIMED_OUT, OUT_OF_MEMORY, NOT_DELEGATED, NOT_SUPPORTED or NO_REFERENCE
    (nothing was recorded), and what the device said last."""

    outcome: Outcome
    message: str


class Device(Protocol):
    """Something that runs models. ``run`` never raises for what the device does; it may be called from threads.

    It raises DeviceError once the device is closed, also for a job that is running then.
    """

    name: str
    """As the user wrote it: ``litert:xnnpack``."""
    described: str
    """With versions where they are known: ``litert:xnnpack (ai-edge-litert 2.3.0)``."""
    memory: Memory
    """What it can be asked for in jobs with series."""

    def run(self, job: Job) -> Answer | Failure:
        """One job, within the limits the device was opened with."""
        ...

    def close(self) -> None:
        """Ends whatever still runs."""
        ...


class Adapter(Protocol):
    """What drives a runtime inside the child process: litecheck's own, or a plugin's (entry point litecheck.devices).

    It is made anew for every job, in a process of its own; where its class says ``shares = True``, in one that may have
    run other jobs that ask for no process of their own. It may raise anything: the message becomes the outcome
    ``refused``, or ``not delegated`` for NotDelegated and ``not supported`` for NotSupported. It may also die. What it
    keeps on itself (an interpreter, a session) is torn down after its answer is safe, so that damage seen only then
    does not lose the answer. Folders that it makes with ``tempfile`` go with the job, however that ends. What its class
    names in ``runtime``, modules that drive the device, is loaded once, before the first job.
    """

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """The outputs of each run, in the model's order. To take a run begins an invocation, and its time."""
        ...


class Stepping(Adapter, Protocol):
    """An adapter whose device can hand state on; ``memory`` says what it takes (KEPT where it does not say)."""

    memory: Memory

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """The outputs of every run of every series, one behind the other; variables begin anew with each series."""
        ...


def memory_of(thing: object) -> Memory:
    """What a device or an adapter can do for models with variables; one that does not say starts anew every time."""
    return Memory(getattr(thing, "memory", Memory.KEPT if hasattr(thing, "series") else Memory.NONE))


@dataclass(frozen=True, slots=True, eq=False)
class AdapterAnswer:
    """As Answer, from inside the child."""

    runs: tuple[Arrays, ...]
    delegated: tuple[bool, ...] | None = None
    message: str = ""


#: What an entry point of group ``litecheck.devices`` names: options from ``--device name:argument,key=value`` to an
#: adapter. The argument, where there is one, is the option ``""``.
Factory = Callable[[Mapping[str, str]], Adapter]


@dataclass(frozen=True, slots=True)
class Spec:
    """``kind:argument,key=value,...`` apart: ``delegate:/lib.so,threads=2``, ``litert:xnnpack``, ``tflm``."""

    text: str
    kind: str
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


class Timed(Sequence[Arrays]):
    """Runs that say when they are taken; several at once (a slice) are one invocation."""

    def __init__(self, runs: Sequence[Arrays], begin: Callable[[], object]) -> None:
        self.all = runs
        self.begin = begin

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Arrays]:
        for run in self.all:
            self.begin()
            yield run

    @overload
    def __getitem__(self, at: int) -> Arrays: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Arrays]: ...
    def __getitem__(self, at: Any) -> Any:
        self.begin()
        return self.all[at]


def together(runs: Sequence[Arrays]) -> tuple[Arrays, ...]:
    """All runs, none of which begins yet: for an adapter that hands them over together and says :func:`begun` itself."""
    return tuple(runs.all if isinstance(runs, Timed) else runs)


def begun(runs: Sequence[Arrays]) -> None:
    """The next of the runs that were taken :func:`together` begins, and its time."""
    if isinstance(runs, Timed):
        runs.begin()
