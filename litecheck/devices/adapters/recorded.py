"""Recorded outputs as a device (``recorded:DIR``), and their recording.

``recorded:DIR`` searches the case ``0012-CONV_2D`` in the folder ``DIR/0012-CONV_2D``, then in ``DIR/0012-CONV_2D.npz``,
then in ``DIR``. The name of an output is ``output_0`` or its tensor's name. In ``DIR`` only the tensor's name counts, unless
the job is the whole model, so that a dump of all tensors of a network serves every operator.

An output is a .npy file, raw bytes, or an array in a .npz file of any name. Outputs of run 1 are in the folder
``run_1/``, or their keys start with ``run_1/``; for run 0 this prefix is optional. A run with the same inputs as an
earlier run may use its outputs; in a series, the inputs of all earlier runs count as well. Float values stay float.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.device_kinds import DeviceKind
from litecheck.devices.outcome import Outcome
from litecheck.devices.output_files import find_output, names_of, outputs
from litecheck.devices.port import Answer, DeviceFileError, Failure, Job, TooLargeError
from litecheck.documents import decode_json
from litecheck.errors import ConfigError, LitecheckError
from litecheck.files import atomic_write, is_inside, make_folder, member_path, read_file
from litecheck.model.types import Tensor
from litecheck.quantizer.array_files import read_tensor, write
from litecheck.typed_json import Length, decode, one_of

#: File with the origin of recorded outputs and the outcome of the device.
FACTS = "job.json"
#: Prefix of the name of a job for the whole model.
WHOLE = "whole"


class RecordedDevice:
    """Folder of recorded outputs. ``memory`` is the largest support for state in any recording."""

    def __init__(self, name: str, folder: str) -> None:
        """Open a folder of recordings. Raises DeviceFileError if the folder does not exist."""
        if not folder or not os.path.isdir(folder):
            raise DeviceFileError(f"--device {name}: there is no folder {folder!r}")
        self.name = name
        self.described = name
        self._folder = Path(folder)
        self.memory = _recorded_memory(self._folder)

    def run(self, job: Job) -> Answer | Failure:
        """Return the recorded outputs of the job, or a failure with NOT_RECORDED."""
        try:
            return self._find(job)
        except TooLargeError as error:
            return Failure(Outcome.WRONG_SHAPE, str(error))
        except (LitecheckError, OSError) as error:
            return Failure(Outcome.NOT_RECORDED, f"the recording cannot be read: {error}")

    def close(self) -> None:
        """Do nothing, because no process runs."""

    def _find(self, job: Job) -> Answer | Failure:
        case = self._folder / job.name
        if os.path.lexists(case / FACTS):
            return _replay(member_path(self._folder, job.name), job)
        runs: list[Arrays] = []
        seen: dict[str, int] = {}
        for number, digest in enumerate(_digests(job)):
            # A run with equal inputs may use the outputs of an earlier run.
            first = seen.setdefault(digest, number)
            arrays: list[NDArray[Any]] = []
            for position, tensor in enumerate(outputs(job.model)):
                values = self._find_output(job, (number, first), tensor, position)
                if values is None:
                    what = f"output {position} ('{tensor.name}') of {job.name}, run {number}"
                    return Failure(Outcome.NOT_RECORDED, f"nothing recorded for {what}")
                arrays.append(values)
            runs.append(tuple(arrays))
        return Answer(tuple(runs))

    def _find_output(
        self, job: Job, numbers: tuple[int, int], tensor: Tensor, position: int
    ) -> NDArray[Any] | None:
        """Return an output of the first run that has a recording."""
        case = self._folder / job.name
        of_case = next((p for p in (case, case.with_name(f"{job.name}.npz")) if os.path.exists(p)), None)
        # output_0 in DIR is an output of the network, not of this operator.
        by_position = of_case is not None or job.name.startswith(WHOLE)
        for prefix in (*(f"run_{number}/" for number in numbers), *([""] if 0 in numbers else [])):
            names = names_of(tensor, position if by_position else None)
            values = find_output(of_case or self._folder, tensor, names, prefix, runs=1, within=self._folder)
            if values is not None:
                return values
        return None


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """Description of a recorded case in ``job.json``. ``outputs`` has the number of outputs of each run."""

    model: str
    runs: tuple[str, ...]
    outcome: Annotated[str, one_of(("", *(outcome.value for outcome in Outcome)))]
    outputs: tuple[Length, ...]
    delegated: tuple[bool, ...] | None
    ended: str
    message: str
    memory: Annotated[str, one_of(tuple(memory.value for memory in StateSupport))] = StateSupport.NONE.value


def _replay(case: Path, job: Job) -> Answer | Failure:
    """Return the outputs that ``record`` wrote. The digest of the inputs identifies each run."""
    facts = _read_facts(member_path(case, FACTS))
    if facts.model != hashlib.sha256(job.content).hexdigest():
        return Failure(Outcome.NOT_RECORDED, f"the recording of {job.name} is of a different model")
    known = {digest: number for number, digest in reversed(list(enumerate(facts.runs)))}
    numbers = [known.get(digest) for digest in _digests(job)]
    if None in numbers:
        number = numbers.index(None)
        message = (
            f"nothing recorded for these inputs of {job.name}, run {number}: "
            "give the first --arithmetic, --seed and --set inputs= of the recording"
        )
        return Failure(Outcome.NOT_RECORDED, message)
    if facts.outcome:
        return Failure(Outcome(facts.outcome), facts.message)
    runs = tuple(
        tuple(
            read_tensor(str(member_path(case, f"run_{n}/output_{k}.npy"))).values
            for k in range(facts.outputs[n or 0])
        )
        for n in numbers
    )
    return Answer(runs, facts.delegated, facts.ended, facts.message)


def _read_facts(file: Path) -> RecordedFacts:
    """Return the description of a recorded case. Raises ConfigError."""
    document = decode_json(read_file(file), str(file))
    try:
        facts: RecordedFacts = decode(document, RecordedFacts, "description of a recorded case")
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    if not facts.outcome and len(facts.outputs) != len(facts.runs):
        count = len(facts.outputs)
        raise ConfigError(
            f"{file}: outputs has {count} entries, expected one for each of {len(facts.runs)} runs"
        )
    return facts


def record(folder: str | Path, job: Job, answer: Answer | Failure) -> None:
    """Write a device's outputs for a replay by ``recorded:FOLDER``. Raises ConfigError.

    The files are ``FOLDER/<case>/run_0/output_0.npy`` and so on, and ``job.json`` with the digests of model and inputs.
    """
    case = member_path(folder, job.name)
    runs: Sequence[Arrays] = () if isinstance(answer, Failure) else answer.runs
    facts = {
        "case": job.name,
        "model": hashlib.sha256(job.content).hexdigest(),
        "runs": list(_digests(job)),
        "memory": _needed_memory(job).value,
        "outcome": answer.outcome.value if isinstance(answer, Failure) else "",
        "outputs": list(map(len, runs)),
        "delegated": None if isinstance(answer, Failure) else answer.delegated,
        "ended": "" if isinstance(answer, Failure) else answer.ended,
        "message": answer.message,
    }
    make_folder(case)
    for number, arrays in enumerate(runs):
        make_folder(member_path(case, f"run_{number}"))
        for position, values in enumerate(arrays):
            path = member_path(case, f"run_{number}/output_{position}.npy")
            write(str(path), values, str(values.dtype))
    atomic_write(member_path(case, FACTS), json.dumps(facts, indent=1) + "\n")


def _needed_memory(job: Job) -> StateSupport:
    """Return the support for state that a job needs."""
    if job.starts:
        return StateSupport.SET
    return StateSupport.KEPT if any(n > 1 for n in job.lengths) else StateSupport.NONE


def _recorded_memory(folder: Path) -> StateSupport:
    """Return the largest support for state in the recorded cases; NONE for other dumps."""
    used_memory = {StateSupport.NONE}
    for file in folder.glob(f"*/{FACTS}"):
        with suppress(ConfigError):  # reading the case reports the error
            used_memory.add(
                StateSupport(_read_facts(file).memory) if is_inside(file, folder) else StateSupport.NONE
            )
    return next(
        memory for memory in (StateSupport.SET, StateSupport.KEPT, StateSupport.NONE) if memory in used_memory
    )


def _digests(job: Job) -> Iterator[str]:
    """Yield a digest per run: of its inputs and, in a series, of all earlier runs."""
    for series in job.series:
        digest = hashlib.sha256()
        for index, contents in sorted(series.start.items()):
            digest.update(f"variable {index} ".encode())
            _add_arrays(digest, (contents,))
        for number, run in enumerate(series.runs):
            digest.update(b"then " if number else b"")
            _add_arrays(digest, run)
            yield digest.hexdigest()


def _add_arrays(digest: Any, arrays: Arrays) -> None:
    for values in arrays:
        digest.update(f"{values.dtype.name} {values.shape} ".encode())
        digest.update(np.ascontiguousarray(values).data if values.size else b"")


KIND = DeviceKind(
    "recorded",
    usage="recorded:DIR",
    summary="outputs that were saved before",
    open_device=lambda spec: RecordedDevice(spec.text, spec.argument),
    whole=True,
)
