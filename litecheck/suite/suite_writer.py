"""Writer of suites: a folder of plain files with models, inputs, and the outputs of each arithmetic."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.comparison.admitted_arithmetics import PUBLISHED
from litecheck.errors import ConfigError
from litecheck.files import file_digest, make_folder
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Tensor
from litecheck.processes.worker_pool import ProcessPool
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.types import Profile
from litecheck.public_call import shows_call
from litecheck.reference.compute_limits import limits_in_force, set_limits
from litecheck.reference.engine.arithmetic import arithmetic_files, load_arithmetic
from litecheck.reference.engine.equivalence import active_variants
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import (
    MANIFEST,
    AnswerEntry,
    ArrayEntry,
    CaseEntry,
    Manifest,
    StatedTolerance,
)
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.mutants import columns_of, compute_outputs, detected_mutants, even
from litecheck.suite.optional_cases import optional_because
from litecheck.suite.repetition import with_repetition
from litecheck.suite.stimuli import ARITHMETIC
from litecheck.suite.suite_cases import is_selected, plan_operator_cases, select_operators, with_types
from litecheck.suite.suite_checkpoint import CompleteOperator, UnfinishedSuite, open_unfinished_suite
from litecheck.typed_json import encode
from litecheck.version import __version__

#: Largest number of elements of an input that is filled with zeros.
_LARGEST = 1 << 20
#: Largest number of dimensions of a numpy array.
_RANKS = 64


@dataclass(frozen=True, slots=True)
class Scope:
    """Settings of a suite: everything that its bytes depend on, except litecheck's version."""

    profile: str = "litert-int8"
    level: str = "standard"
    select: tuple[str, ...] = ()
    seed: int = 0
    arithmetics: tuple[str, ...] = PUBLISHED
    flags: bool = True
    """True to run every mutant on every case, which takes the most time."""


@shows_call("litecheck.make_suite(litecheck.SuiteScope(profile), 'suite')")
def make(
    scope: Scope,
    folder: str | Path,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
    resume: bool = False,
) -> Manifest:
    """Write a suite atomically: the folder appears when all files are complete.

    ``progress`` is called with each operator's name once its cases are written. With ``resume``, an interrupted call
    keeps the complete operators, and the next call with the same scope continues. Raise ConfigError for a folder that
    is not empty or cannot be written, and for an interrupted suite of another scope; ProfileError.
    """
    target = Path(folder)
    if os.path.exists(target) and (not os.path.isdir(target) or any(target.iterdir())):
        raise ConfigError(f"{folder}: is there already; a suite is written to a new folder")
    profile = load_profile(scope.profile)
    if profile.judges == "placement":
        raise ConfigError(
            f"{profile.name} is a profile of placement, without rules of computation: expected a profile of a runtime"
        )
    with_types(profile)
    with open_unfinished_suite(target, _identity(scope, profile), resume) as suite:
        manifest = _write_suite(scope, profile, suite, jobs, progress or (lambda name: None))
        (suite.folder / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    return manifest


def _identity(scope: Scope, profile: Profile) -> dict[str, Any]:
    """Return everything that the bytes of a suite depend on."""
    files = (path for name in scope.arithmetics for _, path in arithmetic_files(name))
    return {
        "litecheck": __version__,
        **encode(scope, Scope),
        "rules": digest_of_rules(profile),
        "files": [file_digest(path) for path in files],
    }


def _write_suite(
    scope: Scope, profile: Profile, suite: UnfinishedSuite, jobs: int, progress: Callable[[str], None]
) -> Manifest:
    names = select_operators(profile, scope.select)
    for name in scope.arithmetics:
        load_arithmetic(name)
    for name in suite.made:
        progress(name)
    with _process_map(jobs) as every:
        for made in every(partial(_operator, scope, suite.folder), [n for n in names if n not in suite.made]):
            suite.note(made)
            progress(made.opcode)
    return Manifest(
        tool=f"litecheck {__version__}",
        profile=profile.name,
        rules=digest_of_rules(profile),
        level=scope.level,
        seed=scope.seed,
        selected=scope.select,
        arithmetics=scope.arithmetics,
        cases=tuple(case for name in names for case in suite.made[name].cases),
        uncovered=tuple(gap for name in names for gap in suite.made[name].uncovered),
        tolerances=_tolerances(profile),
    )


def _tolerances(profile: Profile) -> tuple[StatedTolerance, ...]:
    """Return the tolerances of a profile that is not part of litecheck, so that verdicts do not need its file."""
    own = () if profile.name in profile_names() else sorted(profile.conformance.items())
    return tuple(StatedTolerance(name, one.tolerance, one.reals, one.because) for name, one in own)


@contextmanager
def _process_map(jobs: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Provide ``map`` over processes, or within this process for one job."""
    if jobs < 2:
        yield map
        return
    with ProcessPool(jobs, set_limits, limits_in_force()) as pool:
        yield pool.map


def _operator(scope: Scope, folder: Path, opcode: str) -> CompleteOperator:
    """Write all cases of an operator, which depend on this operator alone."""
    entries: list[CaseEntry] = []
    gaps: list[MissingCase] = []
    for made in plan_operator_cases(
        load_profile(scope.profile), opcode, scope.level, scope.select, scope.seed
    ):
        if isinstance(made, MissingCase):
            gaps.append(made)
        elif is_selected(made, scope.select) and (entry := write_case(made, folder, scope)) is not None:
            entries.append(entry)
    return CompleteOperator(opcode, tuple(entries), tuple(gaps))


def write_case(case: SuiteCase, folder: Path, scope: Scope) -> CaseEntry | None:
    """Write the files of a case below ``folder``; return None if no arithmetic can compute the case. Raise
    ConfigError.

    An invalid model gets zeros as inputs, to detect a device that accepts and computes it.
    """
    case = with_repetition(case)
    answers = _answers(case, scope.arithmetics)
    if case.runs and not answers:
        case = _keep_equal_shapes(case, scope.arithmetics)
        answers = _answers(case, scope.arithmetics)
    if case.runs and not answers:
        return None
    runs = case.runs or zeros(case.model)
    place = f"cases/{case.name}"
    make_folder(folder / place)
    content = model_bytes(case.model)
    (folder / place / "model.tflite").write_bytes(content)
    inputs = [_array(folder, f"{place}/input-{n}.bin", stack) for n, stack in enumerate(columns_of(runs))]
    written = [
        AnswerEntry(
            names,
            tuple(_array(folder, f"{place}/output-{n}.{at}.bin", array) for n, array in enumerate(outputs)),
        )
        for at, (names, outputs) in enumerate(answers)
    ]
    mistakes = (
        detected_mutants(case, load_arithmetic(answers[0][0][0]), answers[0][1])
        if answers and scope.flags
        else ()
    )
    return CaseEntry(
        name=case.name,
        opcode=case.opcode,
        kind=case.kind,
        granularity=case.granularity,
        title=case.title,
        level=case.level,
        model=f"{place}/model.tflite",
        sha256=hashlib.sha256(content).hexdigest(),
        inputs=tuple(inputs),
        answers=tuple(written),
        lengths=case.lengths,
        broken=case.broken,
        effect=case.effect,
        flags=tuple(mistakes),
        optional="" if case.broken else optional_because(case.name),
        factors=case.factors,
    )


def zeros(model: Model) -> tuple[Arrays, ...]:
    """Return a run of zeros; none if an input has an unsupported type or shape."""
    main = model.subgraphs[0]
    given = [main.tensors[i] for i in main.inputs]
    if not all(_is_storable(t) for t in given):
        return ()
    return (tuple(np.zeros(t.shape, NUMPY_TYPES[t.dtype]) for t in given),) if given else ()


def _is_storable(tensor: Tensor) -> bool:
    """Return True if numpy can hold a tensor's values with an additional dimension, and there are not too many."""
    shape = tensor.shape
    sized = len(shape) < _RANKS and min(shape, default=1) >= 0 and math.prod(shape) <= _LARGEST
    return sized and tensor.dtype in NUMPY_TYPES


def digest_of_rules(profile: Profile) -> str:
    """Return the SHA-256 of all requirements and tolerances of a profile, independent of its files' paths."""
    digest = hashlib.sha256(profile.name.encode())
    for r in profile.requirements():
        digest.update(
            f"\n{r.path}\t{r.value}\t{r.level}\t{r.effect}\t{r.relaxation and r.relaxation.value}".encode()
        )
    for opcode, tolerated in sorted(profile.conformance.items()):
        digest.update(f"\n{opcode}\t{tolerated.tolerance}\t{tolerated.reals}\t{tolerated.because}".encode())
    return digest.hexdigest()


def _keep_equal_shapes(case: SuiteCase, arithmetics: Sequence[str]) -> SuiteCase:
    """Keep the runs whose outputs have the same shape, if shapes depend on values; else return the case unchanged."""
    for name in arithmetics:
        with suppress(RunError):
            return even(case, ReferenceInterpreter(case.model, load_arithmetic(name)))
    return case


def _answers(
    case: SuiteCase, arithmetics: Sequence[str]
) -> list[tuple[tuple[str, ...], tuple[NDArray[Any], ...]]]:
    """Return the outputs of the arithmetics, grouped by equal outputs; arithmetics that cannot compute the case are
    omitted."""
    found: dict[bytes, tuple[list[str], tuple[NDArray[Any], ...]]] = {}
    usual = active_variants(case.model, load_arithmetic(ARITHMETIC)) if case.expected else None
    known: dict[object, tuple[NDArray[Any], ...] | None] = {}
    for name in arithmetics if case.runs else ():
        arithmetic = load_arithmetic(name)
        variants = active_variants(case.model, arithmetic)
        if variants not in known:
            known[variants] = None
            with suppress(RunError):
                known[variants] = (
                    columns_of(case.expected)
                    if variants == usual
                    else compute_outputs(case, ReferenceInterpreter(case.model, arithmetic))
                )
        outputs = known[variants]
        if outputs is not None:
            key = b"".join(array.tobytes() for array in outputs)
            found.setdefault(key, ([], outputs))[0].append(name)
    return [(tuple(names), outputs) for names, outputs in found.values()]


def _array(folder: Path, name: str, values: NDArray[Any]) -> ArrayEntry:
    """Write the plain values of an array, little-endian."""
    content = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    # These writes need not be atomic: the folder appears only when all files are complete.
    (folder / name).write_bytes(content)
    return ArrayEntry(name, values.dtype.name, values.shape, hashlib.sha256(content).hexdigest())
