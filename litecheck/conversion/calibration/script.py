"""Calibration data from a Python file that defines ``get_calibration_data()``, run in its own process.

The function returns or yields samples: a dict of arrays by input name, a list or tuple in order, or an array. A dict
of lists has samples by signature. With sequences, each item is a list of samples.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.conversion.calibration.samples import Chain, sample_of
from litecheck.conversion.calibration.script_child import LENGTH
from litecheck.errors import InputError
from litecheck.model.types import Model
from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.python import python_command

#: Maximum seconds for the next sample of a script.
PATIENCE = 600.0


def script_data(script: Path, model: Model, options: DataOptions) -> CalibrationData:
    """Return the samples of a script, which runs in each iteration. The iteration raises ConfigError."""

    def chains() -> Iterator[Chain]:
        with _run_script(script, options) as process:
            number = 0
            while (content := _next_item(script, process, number)) is not None:
                yield _chain(f"{script}, sample {number}", model, options, content)
                number += 1

    return CalibrationData(chains, f"get_calibration_data() of {script}")


@contextmanager
def _run_script(script: Path, options: DataOptions) -> Iterator[tuple[ChildProcess, IO[bytes]]]:
    """Run the script. Yield its process, and the file of its error output."""
    arguments = str(script), options.signature or "", str(int(options.sequences))
    command = python_command("litecheck.conversion.calibration.script_child:main", *arguments)
    with (
        tempfile.TemporaryFile() as error_output,
        ChildProcess(command, stdout=subprocess.PIPE, stderr=error_output) as child,
    ):
        yield child, error_output


def _next_item(script: Path, running: tuple[ChildProcess, IO[bytes]], number: int) -> bytes | None:
    """Return the next item, or None at the end. Raises ConfigError if the script fails or takes too long."""
    child, error_output = running
    with child.time_limit(PATIENCE) as limit:
        head = child.stdout.read(LENGTH)
        length = int.from_bytes(head, "little")
        content = child.stdout.read(length) if len(head) == LENGTH else b""
    if limit.exceeded:
        raise InputError(f"{script}: gave no sample within {PATIENCE:.0f} s")
    if len(head) == LENGTH and len(content) == length:
        return content
    status = child.process.wait()
    if status or head:
        error_output.seek(0)
        lines = error_output.read().decode("utf-8", "replace").strip().splitlines()
        last = lines[-1] if lines else f"ended with {exit_name(status)}"
        raise InputError(f"{script}: gave no sample {number}: {last}")
    return None


def _chain(source: str, model: Model, options: DataOptions, content: bytes) -> Chain:
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            facts = json.loads(archive["facts"].tobytes())
            arrays = [archive[f"arr_{n}"] for n in range(len(facts))]
    except ValueError as error:
        raise InputError(f"{source}: is not an array of numbers, {error}") from error
    steps: dict[tuple[int, str | None], dict[str, NDArray[Any]]] = {}
    for (step, signature, name), values in zip(facts, arrays, strict=True):
        steps.setdefault((step, signature or options.signature), {})[name] = values
    chains = (
        sample_of(source, model, signature, inputs, options.scaling)
        for (_, signature), inputs in steps.items()
    )
    return tuple(sample for several in chains for sample in several)
