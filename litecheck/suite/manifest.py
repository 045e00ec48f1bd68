"""What a suite's folder holds, as ``manifest.json`` says it: every case with its files, their sizes and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError
from litecheck.files import reason
from litecheck.finding import Demand
from litecheck.profile.types import Conformance
from litecheck.suite.gap import Gap
from litecheck.typed_json import encoded, read_document

MANIFEST = "manifest.json"
#: Raised when a key changes its meaning or goes away.
VERSION = 1
_KEY = "litecheck_suite"


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """All runs of one input or output, stacked along a first dimension: a .npy file, and the same little-endian bytes
    without a header; ``shape`` and ``sha256`` are those of the stack's values, which both files hold."""

    file: str
    raw: str
    dtype: str
    shape: tuple[int, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """The outputs that some arithmetics agree on; all of them may be claimed."""

    arithmetics: tuple[str, ...]
    outputs: tuple[ArrayEntry, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """A mistake that a case catches (``requantize: single``): in which runs it shows, and by how many LSB at most."""

    mistake: str
    runs: tuple[int, ...]
    worst: int


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """A case on disk: see :class:`litecheck.suite.case.SuiteCase`."""

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    level: str
    model: str
    sha256: str
    inputs: tuple[ArrayEntry, ...]
    answers: tuple[AnswerEntry, ...]
    lengths: tuple[int, ...] = ()
    broken: str = ""
    effect: str = ""
    flags: tuple[Flag, ...] = ()

    @property
    def runs(self) -> int:
        """How many inferences it asks for."""
        return self.inputs[0].shape[0] if self.inputs else 0


@dataclass(frozen=True, slots=True)
class StatedTolerance:
    """What the profile of a suite tolerates of an operator (``*``: of all others), as :class:`Conformance` has it."""

    opcode: str
    tolerance: int | None
    reals: float | None
    because: str

    def conformance(self) -> Conformance:
        """As the profile has it."""
        return Conformance(self.tolerance, self.reals, self.because, Demand("", MANIFEST, 0))


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole suite. ``rules`` is the SHA-256 of what the profile says, however it is spread over files; ``tolerances``
    are those of a profile that does not come with litecheck, so that whoever judges need not have its file."""

    tool: str
    profile: str
    rules: str
    level: str
    seed: int
    selected: tuple[str, ...]
    arithmetics: tuple[str, ...]
    cases: tuple[CaseEntry, ...]
    uncovered: tuple[Gap, ...] = ()
    tolerances: tuple[StatedTolerance, ...] = ()

    def text(self) -> str:
        """The file's content: a case a line, so that two suites can be compared by line."""
        document = {_KEY: VERSION, **encoded(self, Manifest)}
        cases = document.pop("cases")
        if not self.tolerances:
            del document["tolerances"]
        head = json.dumps(document, indent=1)[:-2]
        lines = ",\n".join(f"  {json.dumps(case)}" for case in cases)
        return f'{head},\n "cases": [\n{lines}\n ]\n}}\n'


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A suite's folder: its manifest, and the SHA-256 of that file, which stands for everything in it."""

    folder: Path
    manifest: Manifest
    sha256: str

    def model(self, case: CaseEntry) -> bytes:
        """A case's model. Raises ConfigError where it is not what the manifest says."""
        return _checked(self.folder / case.model, case.sha256)

    def stack(self, entry: ArrayEntry) -> NDArray[Any]:
        """All runs of one input or output. Raises ConfigError where they are not what the manifest says."""
        path = self.folder / entry.raw
        data = _checked(path, entry.sha256)
        dtype = np.dtype(entry.dtype)
        if len(data) != int(np.prod(entry.shape)) * dtype.itemsize:
            raise ConfigError(f"{path}: {len(data)} bytes are no {entry.dtype} of shape {list(entry.shape)}")
        return np.frombuffer(data, dtype).reshape(entry.shape)

    def inputs(self, case: CaseEntry) -> list[tuple[NDArray[Any], ...]]:
        """What each run is given."""
        stacks = [self.stack(entry) for entry in case.inputs]
        return [tuple(stack[run] for stack in stacks) for run in range(case.runs)]

    def expected(self, answer: AnswerEntry) -> tuple[NDArray[Any], ...]:
        """The outputs of an answer, each with all runs stacked."""
        return tuple(self.stack(entry) for entry in answer.outputs)


class OfOperator(Protocol):
    """What is of one operator on one type."""

    @property
    def opcode(self) -> str: ...
    @property
    def kind(self) -> str: ...


Part = TypeVar("Part", bound=OfOperator)


def by_operator(several: Sequence[Part]) -> dict[tuple[str, str], list[Part]]:
    """Cases or rows by operator and type, in the order of the first of each."""
    found: dict[tuple[str, str], list[Part]] = {}
    for one in several:
        found.setdefault((one.opcode, one.kind), []).append(one)
    return found


def read_suite(folder: str | Path) -> Suite:
    """A suite by its folder. Raises ConfigError where there is none, or one of another version."""
    path = Path(folder) / MANIFEST
    manifest: Manifest
    try:
        manifest, content = read_document(path, Manifest, _KEY, VERSION, "suite")
    except OSError as error:
        raise ConfigError(f"{folder}: no suite, {path.name}: {reason(error)}") from error
    for name in _paths(manifest):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ConfigError(f"{path}: {name!r} lies outside the suite's folder")
    return Suite(Path(folder), manifest, hashlib.sha256(content).hexdigest())


def _paths(manifest: Manifest) -> Iterator[str]:
    for case in manifest.cases:
        yield from (case.name, case.model)
        for entry in (*case.inputs, *(output for answer in case.answers for output in answer.outputs)):
            yield from (entry.file, entry.raw)


def _checked(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read, {reason(error)}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ConfigError(f"{path}: was changed since the suite was made: another SHA-256 than in {MANIFEST}")
    return data
