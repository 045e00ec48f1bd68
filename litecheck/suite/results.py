"""What a device gave for a suite: a folder of outputs, and a line for each case in ``results.jsonl``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError
from litecheck.files import reason
from litecheck.quantizer.arrays import read
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.typed_json import decoded

RESULTS = "results.jsonl"
#: How a case ends whose outputs are there to be compared; all other endings are an Outcome's word.
ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The first line: which suite ran on which device, within which limits for a case."""

    tool: str
    suite: str
    device: str
    described: str
    program: str
    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class OutputEntry:
    """An output with all runs stacked along a first dimension; ``sha256`` is that of its little-endian values."""

    file: str
    dtype: str
    shape: tuple[int, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How a case ended. ``delegated`` says of each output whether the device itself computed it, where that is known."""

    case: str
    outcome: str
    message: str = ""
    seconds: float = 0.0
    delegated: tuple[bool, ...] | None = None
    outputs: tuple[OutputEntry, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SuiteResults:
    """A folder of results. ``sha256`` is that of ``results.jsonl``, empty where a device wrote outputs alone."""

    folder: Path
    facts: RunFacts
    cases: Mapping[str, CaseResult]
    sha256: str = ""

    def outputs(self, result: CaseResult) -> tuple[NDArray[Any], ...]:
        """The outputs of a case. Raises ConfigError where they are not those that were noted."""
        return tuple(self._output(entry) for entry in result.outputs)

    def _output(self, entry: OutputEntry) -> NDArray[Any]:
        path = self.folder / entry.file
        values = _values(path, entry.dtype, entry.shape)
        plain = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
        if hashlib.sha256(plain.tobytes()).hexdigest() != entry.sha256 or values.shape != entry.shape:
            raise ConfigError(
                f"{path}: was changed since the device gave it: another SHA-256 than in {RESULTS}"
            )
        return values


def read_results(folder: str | Path, suite: Suite) -> SuiteResults:
    """Results by their folder: of ``litecheck suite run``, or outputs that something else wrote.

    The latter are ``outputs/NAME/output-0.npy`` or ``.bin`` for a case called NAME, with all runs stacked. Raises
    ConfigError where there is neither, and for results of another suite.
    """
    path = Path(folder) / RESULTS
    if not path.exists():
        return _foreign(Path(folder), suite)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read, {reason(error)}") from error
    facts, cases = _lines(path, content)
    if facts.suite != suite.sha256:
        raise ConfigError(f"{path}: holds the results of another suite than {suite.folder}")
    return SuiteResults(Path(folder), facts, cases, hashlib.sha256(content).hexdigest())


def _lines(path: Path, content: bytes) -> tuple[RunFacts, dict[str, CaseResult]]:
    lines = content.splitlines()
    try:
        facts: RunFacts = decoded(json.loads(lines[0]), RunFacts, "run of a suite")
    except (ValueError, IndexError, ConfigError) as error:
        raise ConfigError(f"{path}:1: {error}") from None
    cases: dict[str, CaseResult] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            result: CaseResult = decoded(json.loads(line), CaseResult, "result")
        except (ValueError, ConfigError) as error:
            raise ConfigError(f"{path}:{number}: {error}") from None
        if any(Path(entry.file).is_absolute() or ".." in Path(entry.file).parts for entry in result.outputs):
            raise ConfigError(f"{path}:{number}: a file lies outside the folder")
        cases[result.case] = result
    return facts, cases


def _foreign(folder: Path, suite: Suite) -> SuiteResults:
    """Outputs that were written without litecheck."""
    if not (folder / "outputs").is_dir():
        raise ConfigError(f"{folder}: no results: there is neither {RESULTS} nor a folder outputs")
    facts = RunFacts("", suite.sha256, str(folder), f"outputs in {folder}", "", 0.0, 0)
    cases = {}
    for case in suite.manifest.cases:
        entries = tuple(_found(folder, case))
        if entries:
            cases[case.name] = CaseResult(case.name, ANSWERED, outputs=entries)
    return SuiteResults(folder, facts, cases)


def _found(folder: Path, case: CaseEntry) -> Iterator[OutputEntry]:
    for number, wanted in enumerate(case.answers[0].outputs if case.answers else ()):
        for suffix in (".npy", ".bin"):
            name = f"outputs/{case.name}/output-{number}{suffix}"
            if (folder / name).is_file():
                values = _values(folder / name, wanted.dtype, wanted.shape)
                plain = values.astype(values.dtype.newbyteorder("<"), copy=False)
                digest = hashlib.sha256(plain.tobytes()).hexdigest()
                yield OutputEntry(name, values.dtype.name, values.shape, digest)
                break


def _values(path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    if path.suffix == ".npy":
        return read(str(path)).values
    return read(str(path), dtype, shape).values
