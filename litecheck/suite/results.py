"""Results of a device on a suite: a folder of outputs, and a line per case in ``results.jsonl``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.devices.outcome import Outcome
from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.files import file_digest, is_relative, member_path, read_file
from litecheck.public_call import shows_call
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import ArrayError
from litecheck.suite.manifest import RESULTS, ArrayEntry, CaseEntry, Suite
from litecheck.summary_text import count_of
from litecheck.typed_json import Length, decode, one_of

#: Outcome of a case with outputs that did not change when it was repeated; the remaining outcomes are values of Outcome.
ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """First line of the results: the suite, the device, and the limits per case."""

    tool: str
    suite: str
    device: str
    described: str
    program: str
    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """An output with all runs stacked along a first dimension; ``sha256`` is the hash of its little-endian values."""

    file: str
    dtype: str
    shape: tuple[Length, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The outcome of a case. ``delegated`` is True for each output that the device itself computed, if that is known."""

    case: str
    outcome: Annotated[str, one_of((ANSWERED, *(outcome.value for outcome in Outcome)))]
    message: str = ""
    seconds: float = 0.0
    delegated: tuple[bool, ...] | None = None
    outputs: tuple[OutputEntry, ...] = ()
    runs: tuple[Length, ...] = ()
    """Numbers of the runs that were made; empty for all runs of the case."""

    @property
    def answered(self) -> bool:
        """True if there are outputs to compare."""
        return self.outcome in (ANSWERED, Outcome.FLAKY.value)


@dataclass(frozen=True, slots=True, eq=False)
class SuiteResults:
    """A folder of results. ``sha256`` is that of ``results.jsonl``, empty if a device wrote only outputs."""

    folder: Path
    facts: RunFacts
    cases: Mapping[str, CaseResult]
    sha256: str = ""

    def outputs(self, result: CaseResult) -> tuple[NDArray[Any], ...]:
        """Return the outputs of a case. Raise ConfigError if they differ from the noted hashes."""
        return tuple(self._output(entry) for entry in result.outputs)

    def _output(self, entry: OutputEntry) -> NDArray[Any]:
        path = member_path(self.folder, entry.file)
        values = _values(path, entry.dtype, entry.shape)
        plain = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
        if hashlib.sha256(plain.tobytes()).hexdigest() != entry.sha256 or values.shape != entry.shape:
            raise ConfigError(
                f"{path}: was changed since the device gave it: another SHA-256 than in {RESULTS}"
            )
        return values


@shows_call("litecheck.read_results('results', suite)")
def read_results(folder: str | Path, suite: Suite) -> SuiteResults:
    """Read a folder of results of ``litecheck suite run``, or of outputs that another program wrote.

    Such outputs are ``outputs/NAME/output-0.npy`` or ``.bin`` for a case called NAME, with all runs stacked. Raise
    ConfigError if the folder has neither, and for results of another suite.
    """
    path = Path(folder) / RESULTS
    if not os.path.lexists(path):
        return _read_foreign(Path(folder), suite)
    content = read_file(member_path(folder, RESULTS))
    facts, cases = _lines(path, content)
    if facts.suite != suite.sha256:
        raise ConfigError(f"{path}: holds the results of another suite than {suite.folder}")
    return SuiteResults(Path(folder), facts, cases, hashlib.sha256(content).hexdigest())


def _lines(path: Path, content: bytes) -> tuple[RunFacts, dict[str, CaseResult]]:
    lines = BytesIO(content)  # a list of all lines would take more memory than the file
    facts: RunFacts = _decode(next(lines, b""), RunFacts, "run of a suite", path, 1)
    cases: dict[str, CaseResult] = {}
    for number, line in enumerate(lines, 2):
        result: CaseResult = _decode(line, CaseResult, "result", path, number)
        if not all(is_relative(entry.file) for entry in result.outputs):
            raise ConfigError(f"{path}:{number}: a file lies outside the folder")
        cases[result.case] = result
    return facts, cases


def _decode(line: bytes, kind: Any, what: str, path: Path, number: int) -> Any:
    """Return the decoded object of a line. Raise ConfigError with the place."""
    document = decode_json(line, str(path), line=number)
    try:
        return decode(document, kind, what)
    except ConfigError as error:
        raise ConfigError(f"{path}:{number}: {error}") from None


def _read_foreign(folder: Path, suite: Suite) -> SuiteResults:
    """Read outputs that were written without litecheck."""
    if not os.path.isdir(folder / "outputs"):
        raise ConfigError(f"{folder}: no results: there is neither {RESULTS} nor a folder outputs")
    _check_cases(folder, suite)
    facts = RunFacts("", suite.sha256, str(folder), f"outputs in {folder}", "", 0.0, 0)
    found = (_written_outputs(folder, case) for case in suite.manifest.cases)
    return SuiteResults(folder, facts, {result.case: result for result in found if result is not None})


def _check_cases(folder: Path, suite: Suite) -> None:
    """Raise ConfigError if most outputs are of cases that the suite does not have."""
    files = (path for path in (folder / "outputs").rglob("output-*") if path.suffix in (".npy", ".bin"))
    names = {path.parent.relative_to(folder / "outputs").as_posix() for path in files}
    foreign = names - set(suite.names)
    if len(foreign) > len(names) / 2:
        number = count_of(len(foreign), "case", "cases")
        told = f"{folder}: outputs of {number} that {suite.folder} does not have, as {min(foreign)}"
        raise ConfigError(f"{told}; results of another suite?")


def _written_outputs(folder: Path, case: CaseEntry) -> CaseResult | None:
    """Return the outputs of a case that a device wrote; files of another size are a wrong shape. None without files."""
    wanted = case.answers[0].outputs if case.answers else ()
    files = [tuple(_files(folder, f"outputs/{case.name}/output-{n}")) for n in range(len(wanted))]
    try:
        entries = tuple(_entries(folder, files, wanted))
    except ArrayError as error:
        named = (_bytes(folder, several[0]) for several in files if several)
        return CaseResult(case.name, Outcome.WRONG_SHAPE.value, str(error), outputs=tuple(named))
    return CaseResult(case.name, ANSWERED, outputs=entries) if entries else None


def _files(folder: Path, stem: str) -> Iterator[str]:
    return (f"{stem}{end}" for end in (".npy", ".bin") if os.path.isfile(folder / f"{stem}{end}"))


def _entries(
    folder: Path, files: Sequence[tuple[str, ...]], outputs: Sequence[ArrayEntry]
) -> Iterator[OutputEntry]:
    for names, wanted in zip(files, outputs, strict=True):
        entries = [_entry(folder, name, wanted) for name in names]
        if len({(one.dtype, one.shape, one.sha256) for one in entries}) > 1:
            raise ConfigError(
                f"{folder / names[0]}: .npy and .bin hold different values; keep the device's own"
            )
        yield from entries[:1]


def _entry(folder: Path, name: str, wanted: ArrayEntry) -> OutputEntry:
    values = _values(member_path(folder, name), wanted.dtype, wanted.shape)
    plain = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return OutputEntry(name, values.dtype.name, values.shape, hashlib.sha256(plain.tobytes()).hexdigest())


def _bytes(folder: Path, name: str) -> OutputEntry:
    """Return a file as the bytes that it has."""
    path = member_path(folder, name)
    return OutputEntry(name, "uint8", (path.stat().st_size,), file_digest(path))


def _values(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    if path.suffix == ".npy":
        return read_tensor(str(path)).values
    return read_tensor(str(path), dtype, shape).values
