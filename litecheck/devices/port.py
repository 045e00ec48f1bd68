"""Interface of every device: it gets a model and inputs with time limits, and returns outputs or an outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, overload

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.errors import ConfigError, InputError, LitecheckError

if TYPE_CHECKING:  # a job's process does not use Model
    from litecheck.model.types import Model


_INITIAL: Mapping[int, NDArray[Any]] = MappingProxyType({})


class DeviceError(LitecheckError):
    """Error for a device that cannot be opened: an unknown kind, a missing library, a missing package.

    ``said`` is the end of the device's output, with its line breaks.
    """

    def __init__(self, message: str, said: str = "") -> None:
        self.message, self.said = message, said
        super().__init__(f"{message}\n{said}" if said else message)

    @property
    def lines(self) -> tuple[str, ...]:
        """Message, then the lines of the device's output."""
        return self.message, *self.said.splitlines()


class DeviceNameError(DeviceError, ConfigError):
    """Error for a wrong name of a device: unknown kind, argument or option."""


class DeviceFileError(DeviceNameError, InputError):
    """Error for a file of a device that does not exist: a program, its script, a library, a folder of recordings."""


class NotDelegated(Exception):  # noqa: N818  (an outcome, not an error)
    """Exception of an adapter whose device does not run all of the model. The message names the other operators."""


class NotSupported(Exception):  # noqa: N818  (an outcome, not an error)
    """Exception of an adapter whose device does not have an operator of the model. The message names the operator."""


class TooLargeError(RuntimeError):
    """Error for an output that has many times the bytes of its tensor."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a device: seconds per invocation and for the preparation of a job, and bytes of address space beyond
    the needs of its runtime."""

    seconds: float = 60.0
    memory: int = 4 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Consecutive inferences on an interpreter, which is reset only before the first.

    ``start`` has contents for variable tensors of the model's first subgraph, by number. Variables without an entry
    have their initial contents.
    """

    runs: Sequence[Arrays]
    start: Mapping[int, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)  # no slots, because cached_property needs a dict
class Job:
    """Model to run once for each of ``runs``, with its variables reset before each.

    ``name`` identifies the case and is valid as a file name (``0012-CONV_2D``). ``content`` is the model as a .tflite
    file. Arrays have stored values (int8 as int8) in the model's shapes. ``decoded_model`` is the decoded model, if
    available. With ``lengths``, runs are consecutive series of these lengths, and state persists within each;
    ``starts`` are contents of variables for some series, by number. A job with ``shares`` may run in a process that has
    run earlier jobs, if the adapter allows it.
    """

    name: str
    decoded_model: Model | None
    content: bytes
    runs: Sequence[Arrays]
    lengths: tuple[int, ...] = ()
    starts: Mapping[int, Mapping[int, NDArray[Any]]] = field(default_factory=dict)
    shares: bool = False

    @cached_property
    def model(self) -> Model:
        """Model of the job, decoded on first use. Raises ModelError for invalid content."""
        if self.decoded_model is not None:
            return self.decoded_model
        from litecheck.model.load import model_from

        return model_from(self.content, self.name)

    @property
    def series(self) -> tuple[Series, ...]:
        """Runs as series; without ``lengths``, each run is a series."""
        ends = list(accumulate(self.lengths or (1,) * len(self.runs)))
        parts = zip([0, *ends], ends, strict=False)
        return tuple(Series(self.runs[a:b], self.starts.get(n, {})) for n, (a, b) in enumerate(parts))


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Outputs of a device for each run: stored values, with the shapes and types that the device returned.

    ``delegated`` has a flag per output: True if the device computed the output; None if the device is not a delegate.
    ``ended`` is the abnormal end of its process (``SIGSEGV``) after its answer. ``message`` is text for people.
    ``shared`` is True if its process has run earlier jobs.
    """

    runs: Sequence[Arrays]
    delegated: tuple[bool, ...] | None = None
    ended: str = ""
    message: str = ""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason for a missing answer: REFUSED, CRASHED, TIMED_OUT, OUT_OF_MEMORY, NOT_DELEGATED, NOT_SUPPORTED,
    NO_REFERENCE or NOT_RECORDED, with the last output of the device."""

    outcome: Outcome
    message: str


class Device(Protocol):
    """Runner of models. ``run`` does not raise for failures of the device, and threads may call it.

    ``run`` raises DeviceError if the device is closed before or during the job.
    """

    name: str
    """Name of the device as the user wrote it: ``litert:xnnpack``."""
    described: str
    """Name with versions if they are known: ``litert:xnnpack (ai-edge-litert 2.3.0)``."""
    memory: StateSupport
    """Support for state in jobs with series."""

    def run(self, job: Job) -> Answer | Failure:
        """Run a job within the limits of the device."""
        ...

    def close(self) -> None:
        """Stop all running jobs."""
        ...


class Adapter(Protocol):
    """Driver of a runtime inside the child process: litecheck's, or a plugin's (entry point litecheck.devices).

    An adapter is created for every job, in a separate process. If its class has ``shares = True``, the process may have
    run other jobs that allow sharing, and ends without unloading the runtime. An adapter may raise any exception: its
    message becomes the outcome ``refused``, or ``not delegated`` for NotDelegated and ``not supported`` for NotSupported.
    An adapter may also crash.

    Its attributes (an interpreter, a session) are destroyed after its answer is stored, so that a crash on destruction
    does not lose the answer. Folders that it creates with ``tempfile`` are removed with the job, also after a crash.
    The modules in the class attribute ``runtime`` drive the device; they are loaded once, before the first job. An
    option that is not in the class attribute ``options`` is an error, if the class has one.
    """

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the outputs of each run, in the model's order. Reading a run from ``runs`` starts an invocation and
        its time."""
        ...


class Stateful(Adapter, Protocol):
    """Adapter whose device supports state; ``memory`` states the kind of support (default: KEPT)."""

    memory: StateSupport

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Return the outputs of every run of every series in order; variables are reset before each series."""
        ...


def memory_of(device: object) -> StateSupport:
    """Return the support of a device or an adapter for models with variables.

    Without ``memory`` and ``series``, variables are reset for every run.
    """
    return StateSupport(
        getattr(device, "memory", StateSupport.KEPT if hasattr(device, "series") else StateSupport.NONE)
    )


@dataclass(frozen=True, slots=True, eq=False)
class AdapterAnswer:
    """Answer inside the child process."""

    runs: tuple[Arrays, ...]
    delegated: tuple[bool, ...] | None = None
    message: str = ""


#: Object of an entry point of group ``litecheck.devices``: creates an adapter from the options of ``--device
#: name:argument,key=value``. The argument, if given, is the option ``""``.
Factory = Callable[[Mapping[str, str]], Adapter]


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """Parts of ``kind:argument,key=value,...``: ``delegate:/lib.so,threads=2``, ``litert:xnnpack``, ``tflm``."""

    text: str
    kind: str
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


#: Inputs of an inference, and the contents of variables if it is the first of a series, else None.
Start = tuple[Arrays, Mapping[int, NDArray[Any]] | None]


def single_runs(runs: Sequence[Arrays]) -> Iterator[Start]:
    """Yield each run as the first and only run of a series."""
    return zip(runs, repeat(_INITIAL), strict=False)


def runs_of(series: Iterable[Series]) -> Iterator[Start]:
    """Yield the runs of series in order."""
    for one in series:
        start: Mapping[int, NDArray[Any]] | None = one.start
        for inputs in one.runs:
            yield inputs, start
            start = None


class TimedRuns(Sequence[Arrays]):
    """Runs that report each access. An access to several runs (a slice) is a single invocation."""

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


def take_all(runs: Sequence[Arrays]) -> tuple[Arrays, ...]:
    """Return all runs without starting an invocation, for an adapter that runs them in one program start.

    The adapter calls :func:`begin_next` for each invocation.
    """
    return tuple(runs.all if isinstance(runs, TimedRuns) else runs)


def begin_next(runs: Sequence[Arrays]) -> None:
    """Start the next invocation, and its time, of runs returned by :func:`take_all`."""
    if isinstance(runs, TimedRuns):
        runs.begin()
