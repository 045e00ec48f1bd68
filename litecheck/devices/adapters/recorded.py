"""``recorded:DIR``: outputs recorded earlier as a device, and the recording.

``recorded:DIR`` looks for the case ``0012-CONV_2D`` in the folder ``DIR/0012-CONV_2D``, then in
``DIR/0012-CONV_2D.npz``, then in ``DIR`` itself. The name of an output is ``output_0`` or its tensor's name. In ``DIR``
itself only the tensor's name counts, unless the job is the whole model: so a dump of all tensors of a network serves
every operator.

An output is a .npy file, raw bytes, or an array in a .npz file of any name. Outputs of run 1 are in the folder
``run_1/``, or their keys start with ``run_1/``; for run 0 this prefix is optional. A run with the same inputs as an
earlier run may use its outputs; in a series, the inputs of all runs before count as well. Float values stay float.
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
from litecheck.devices.output_files import names_of, output_files, outputs
from litecheck.devices.port import Answer, DeviceNameError, Failure, Job, TooLargeError
from litecheck.documents import decode_json
from litecheck.errors import ConfigError, LitecheckError
from litecheck.files import atomic_write, is_inside, make_folder, member_path, read_file
from litecheck.model.types import Tensor
from litecheck.quantizer.array_files import read, write
from litecheck.typed_json import Length, decoded, one_of

#: Beside recorded outputs: what they were made from, and how the device ended.
FACTS = "job.json"
#: What the name of a job for the whole model begins with.
WHOLE = "whole"


class Recorded:
    """Folder of recorded outputs. ``memory`` is the largest support for state that any recording used."""

    def __init__(self, name: str, folder: str) -> None:
        """Raise DeviceNameError if the folder does not exist."""
        if not folder or not os.path.isdir(folder):
            raise DeviceNameError(f"--device {name}: there is no folder {folder!r}")
        self.name = name
        self.described = name
        self._folder = Path(folder)
        self.memory = _recorded_memory(self._folder)

    def run(self, job: Job) -> Answer | Failure:
        """Return the recorded outputs of the job, or a failure with NOT_RECORDED."""
        try:
            return self._found(job)
        except TooLargeError as error:
            return Failure(Outcome.WRONG_SHAPE, str(error))
        except (LitecheckError, OSError) as error:
            return Failure(Outcome.NOT_RECORDED, f"the recording cannot be read: {error}")

    def close(self) -> None:
        """Do nothing: no process runs."""

    def _found(self, job: Job) -> Answer | Failure:
        case = self._folder / job.name
        if os.path.lexists(case / FACTS):
            return _replayed(member_path(self._folder, job.name), job)
        runs: list[Arrays] = []
        seen: dict[str, int] = {}
        for number, digest in enumerate(_digests(job)):
            # A network computed once answers for every time that it is fed the same.
            first = seen.setdefault(digest, number)
            arrays: list[NDArray[Any]] = []
            for position, tensor in enumerate(outputs(job.model)):
                values = self._output(job, (number, first), tensor, position)
                if values is None:
                    what = f"output {position} ('{tensor.name}') of {job.name}, run {number}"
                    return Failure(Outcome.NOT_RECORDED, f"nothing recorded for {what}")
                arrays.append(values)
            runs.append(tuple(arrays))
        return Answer(tuple(runs))

    def _output(
        self, job: Job, numbers: tuple[int, int], tensor: Tensor, position: int
    ) -> NDArray[Any] | None:
        """Return an output of the first run that has a recording."""
        case = self._folder / job.name
        of_case = next((p for p in (case, case.with_name(f"{job.name}.npz")) if os.path.exists(p)), None)
        # output_0 in DIR itself is the network's, not this operator's.
        by_position = of_case is not None or job.name.startswith(WHOLE)
        for prefix in (*(f"run_{number}/" for number in numbers), *([""] if 0 in numbers else [])):
            names = names_of(tensor, position if by_position else None)
            values = output_files(of_case or self._folder, tensor, names, prefix, runs=1, within=self._folder)
            if values is not None:
                return values
        return None


@dataclass(frozen=True, slots=True)
class RecordedFacts:
    """The description of a recorded case, as ``job.json`` holds it. ``outputs`` counts the outputs of each run."""

    model: str
    runs: tuple[str, ...]
    outcome: Annotated[str, one_of(("", *(outcome.value for outcome in Outcome)))]
    outputs: tuple[Length, ...]
    delegated: tuple[bool, ...] | None
    ended: str
    message: str
    memory: Annotated[str, one_of(tuple(memory.value for memory in StateSupport))] = StateSupport.NONE.value


def _replayed(case: Path, job: Job) -> Answer | Failure:
    """Return the outputs that ``record`` wrote; each run is found by the digest of its inputs."""
    facts = _facts(member_path(case, FACTS))
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
            read(str(member_path(case, f"run_{n}/output_{k}.npy"))).values
            for k in range(facts.outputs[n or 0])
        )
        for n in numbers
    )
    return Answer(runs, facts.delegated, facts.ended, facts.message)


def _facts(file: Path) -> RecordedFacts:
    """Return the description of a recorded case. Raises ConfigError."""
    document = decode_json(read_file(file), str(file))
    try:
        facts: RecordedFacts = decoded(document, RecordedFacts, "description of a recorded case")
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    if not facts.outcome and len(facts.outputs) != len(facts.runs):
        count = len(facts.outputs)
        raise ConfigError(
            f"{file}: outputs has {count} entries, expected one for each of {len(facts.runs)} runs"
        )
    return facts


def record(folder: str | Path, job: Job, answer: Answer | Failure) -> None:
    """Write a device's outputs so that ``recorded:FOLDER`` can replay them. Raises ConfigError.

    ``FOLDER/<case>/run_0/output_0.npy`` and so on, and ``job.json`` with the digests of model and inputs.
    """
    case = member_path(folder, job.name)
    runs: Sequence[Arrays] = () if isinstance(answer, Failure) else answer.runs
    facts = {
        "case": job.name,
        "model": hashlib.sha256(job.content).hexdigest(),
        "runs": list(_digests(job)),
        "memory": _asked(job).value,
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


def _asked(job: Job) -> StateSupport:
    """Return the kind of memory that a job needs."""
    if job.starts:
        return StateSupport.SET
    return StateSupport.KEPT if any(n > 1 for n in job.lengths) else StateSupport.NONE


def _recorded_memory(folder: Path) -> StateSupport:
    """Return the largest support for state that a recorded case used; NONE for other dumps."""
    output_files = {StateSupport.NONE}
    for file in folder.glob(f"*/{FACTS}"):
        with suppress(ConfigError):  # the case that is read is named when it is asked for
            output_files.add(
                StateSupport(_facts(file).memory) if is_inside(file, folder) else StateSupport.NONE
            )
    return next(
        memory
        for memory in (StateSupport.SET, StateSupport.KEPT, StateSupport.NONE)
        if memory in output_files
    )


def _digests(job: Job) -> Iterator[str]:
    """Yield a digest per run: of its inputs and, in a series, of all runs before it."""
    for series in job.series:
        digest = hashlib.sha256()
        for index, contents in sorted(series.start.items()):
            digest.update(f"variable {index} ".encode())
            _add(digest, (contents,))
        for number, run in enumerate(series.runs):
            digest.update(b"then " if number else b"")
            _add(digest, run)
            yield digest.hexdigest()


def _add(digest: Any, arrays: Arrays) -> None:
    for values in arrays:
        digest.update(f"{values.dtype.name} {values.shape} ".encode())
        digest.update(np.ascontiguousarray(values).data if values.size else b"")


KIND = DeviceKind(
    "recorded",
    usage="recorded:DIR",
    summary="outputs that were saved before",
    opened=lambda spec: Recorded(spec.text, spec.argument),
    whole=True,
)
