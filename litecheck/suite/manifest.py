"""Manifest of a suite (``manifest.json``): every case with its files, their shapes and hashes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays, StackedRuns
from litecheck.errors import ConfigError
from litecheck.files import is_relative, member_path, read_file
from litecheck.finding import Demand
from litecheck.profile.types import Conformance
from litecheck.public_call import shows_call
from litecheck.suite.case import LEVELS
from litecheck.suite.missing_case import MissingCase
from litecheck.typed_json import Length, Only, encode, one_of, read_document

MANIFEST = "manifest.json"
#: Name of the file with a line per case, in a folder of results.
RESULTS = "results.jsonl"
#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 2
_KEY = "litecheck_suite"
#: Largest size of a case's model in bytes.
_MODEL_LIMIT = 1 << 30


def _is_dtype(name: str) -> bool:
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError):
        return False
    return dtype.kind in "biufc" and dtype.name == name


#: Name of a numeric numpy type.
DTypeName = Annotated[str, Only(_is_dtype, "the name of a numeric type of numpy")]


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """All runs of an input or output, stacked along a first dimension, as plain little-endian values.

    ``shape`` includes the runs.
    """

    file: str
    dtype: DTypeName
    shape: tuple[Length, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """Outputs on which some arithmetics agree; each of these arithmetics can be claimed."""

    arithmetics: tuple[str, ...]
    outputs: tuple[ArrayEntry, ...]


@dataclass(frozen=True, slots=True)
class DetectedMutant:
    """A mutant that a case detects (``requantize: single``), the runs that detect it, and the largest difference in
    LSB."""

    mistake: str
    runs: tuple[Length, ...]
    worst: int


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """A case in files: see :class:`litecheck.suite.case.SuiteCase`."""

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
    lengths: tuple[Length, ...] = ()
    broken: str = ""
    effect: str = ""
    flags: tuple[DetectedMutant, ...] = ()
    optional: str = ""
    """Reason that no device fails because of the case; empty for a required case."""
    factors: Mapping[str, str] = field(default_factory=dict)
    """Values of the operator's geometric design; empty for other cases."""

    @property
    def arrays(self) -> tuple[ArrayEntry, ...]:
        """All inputs and expected outputs."""
        return (*self.inputs, *(output for answer in self.answers for output in answer.outputs))

    @property
    def runs(self) -> int:
        """Number of inferences of the case; 1 for a model without inputs."""
        return next((entry.shape[0] if entry.shape else 0 for entry in self.inputs), 1)


@dataclass(frozen=True, slots=True)
class StatedTolerance:
    """The tolerance of a suite's profile for an operator (``*``: all operators without an entry), as in
    :class:`Conformance`."""

    opcode: str
    tolerance: int | None
    reals: float | None
    because: str

    def conformance(self) -> Conformance:
        """Return the tolerance as a profile has it."""
        return Conformance(self.tolerance, self.reals, self.because, Demand("", MANIFEST, 0))


@dataclass(frozen=True, slots=True)
class Manifest:
    """A complete suite.

    ``rules`` is the SHA-256 of the profile's content, independent of its files; ``tolerances`` are those of a profile
    that is not part of litecheck, so that verdicts do not need its file.
    """

    tool: str
    profile: str
    rules: str
    level: Annotated[str, one_of(LEVELS)]
    seed: int
    selected: tuple[str, ...]
    arithmetics: tuple[str, ...]
    cases: tuple[CaseEntry, ...]
    uncovered: tuple[MissingCase, ...] = ()
    tolerances: tuple[StatedTolerance, ...] = ()

    def text(self) -> str:
        """Return the file's content, a case on each line, so that two suites can be compared by line."""
        document = {_KEY: VERSION, **encode(self, Manifest)}
        cases = document.pop("cases")
        if not self.tolerances:
            del document["tolerances"]
        head = json.dumps(document, indent=1)[:-2]
        lines = ",\n".join(f"  {json.dumps(case)}" for case in cases)
        return f'{head},\n "cases": [\n{lines}\n ]\n}}\n'


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """A suite's folder, its manifest, and the SHA-256 of the manifest, which covers all files."""

    folder: Path
    manifest: Manifest
    sha256: str
    parts: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    """By file: the shape in the file and the runs of a part; see :mod:`litecheck.suite.partial_suite`."""

    def model(self, case: CaseEntry) -> bytes:
        """Return a case's model. Raise ConfigError if the model differs from the manifest."""
        return _read_checked(self.folder, case.model, case.sha256, _MODEL_LIMIT)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all cases, which are those of their folders."""
        return tuple(case.name for case in self.manifest.cases)

    def stack(self, entry: ArrayEntry) -> NDArray[Any]:
        """Return all runs of an input or output. Raise ConfigError if they differ from the manifest."""
        dtype = np.dtype(entry.dtype)
        shape, runs = self.parts.get(entry.file, (entry.shape, ()))
        needed = prod(shape) * dtype.itemsize
        data = _read_checked(self.folder, entry.file, entry.sha256, needed)
        if len(data) != needed:
            path = self.folder / entry.file
            raise ConfigError(f"{path}: {len(data)} bytes are no {entry.dtype} of shape {list(shape)}")
        values = np.frombuffer(data, dtype).reshape(shape)
        return values[list(runs)] if runs else values

    def inputs(self, case: CaseEntry) -> Sequence[Arrays]:
        """Return the inputs of each run."""
        stacks = tuple(self.stack(entry) for entry in case.inputs)
        return StackedRuns(stacks)[: case.runs] if stacks else [()] * case.runs

    def expected_outputs(self, answer: AnswerEntry) -> tuple[NDArray[Any], ...]:
        """Return the outputs of an answer, each with all runs stacked."""
        return tuple(self.stack(entry) for entry in answer.outputs)


class OfOperator(Protocol):
    """An object with an operator and a type."""

    @property
    def opcode(self) -> str: ...
    @property
    def kind(self) -> str: ...


Part = TypeVar("Part", bound=OfOperator)


def by_operator(several: Sequence[Part]) -> dict[tuple[str, str], list[Part]]:
    """Group cases or rows by operator and type, in the order of first occurrence."""
    found: dict[tuple[str, str], list[Part]] = {}
    for one in several:
        found.setdefault((one.opcode, one.kind), []).append(one)
    return found


@shows_call("litecheck.read_suite('suite')")
def read_suite(folder: str | Path) -> Suite:
    """Return the suite in a folder. Raise ConfigError for a missing or invalid suite, or another version."""
    path = Path(folder) / MANIFEST
    if not os.path.lexists(path):
        results = os.path.lexists(Path(folder) / RESULTS)
        hint = "; it holds results, which follow the suite" if results else ""
        raise ConfigError(f"{folder}: no suite, {MANIFEST}: {os.strerror(errno.ENOENT)}{hint}")
    manifest: Manifest
    manifest, content = read_document(member_path(folder, MANIFEST), Manifest, _KEY, VERSION, "suite")
    for name in _paths(manifest):
        if not is_relative(name):
            raise ConfigError(f"{path}: {name!r} lies outside the suite's folder")
    numbers = dict[str, int]()
    for number, case in enumerate(manifest.cases):
        place = f"{path}: cases[{number}]"
        if numbers.setdefault(case.name, number) != number:
            raise ConfigError(f"{place}.name: {case.name!r} is also the name of cases[{numbers[case.name]}]")
        _check_runs(place, case)
        _check_answers(place, case, manifest.arithmetics)
    return Suite(Path(folder), manifest, hashlib.sha256(content).hexdigest())


def _check_runs(place: str, case: CaseEntry) -> None:
    """Raise ConfigError if the arrays of a case have different numbers of runs, or its series do not sum to that
    number."""
    outputs = [output for answer in case.answers for output in answer.outputs]
    for entry in (*case.inputs, *outputs):
        if not entry.shape or (case.inputs and entry.shape[0] != case.runs):
            raise ConfigError(
                f"{place}: {entry.file} has shape {list(entry.shape)}, expected {case.runs} runs"
            )
    if case.lengths and sum(case.lengths) != case.runs:
        raise ConfigError(f"{place}.lengths is {list(case.lengths)}, expected a sum of {case.runs} runs")


def _check_answers(place: str, case: CaseEntry, arithmetics: Sequence[str]) -> None:
    """Raise ConfigError if a valid model has no answer, or an answer has an arithmetic that the suite does not list."""
    if not case.broken and not case.answers:
        raise ConfigError(f"{place}.answers is empty, expected the outputs of an arithmetic")
    for number, answer in enumerate(case.answers):
        if not answer.arithmetics or not set(answer.arithmetics) <= set(arithmetics):
            known = ", ".join(arithmetics) or "none"
            raise ConfigError(f"{place}.answers[{number}].arithmetics: expected some of the suite's: {known}")


def _paths(manifest: Manifest) -> Iterator[str]:
    for case in manifest.cases:
        yield from (case.name, case.model)
        for entry in case.arrays:
            yield entry.file


def _read_checked(folder: Path, name: str, sha256: str, limit: int) -> bytes:
    path = member_path(folder, name)
    data = read_file(path, limit)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ConfigError(f"{path}: was changed since the suite was made: another SHA-256 than in {MANIFEST}")
    return data
