"""Calibration data from a Python file that exposes ``get_calibration_data()``, run in a process of its own.

The function returns or yields samples: a dict of arrays by input name, a list or tuple of them in order, or one array.
A dict of lists has samples by signature. With sequences, each item is a list of samples.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.calibration.dataset import CalibrationData, DataOptions
from litecheck.convert.calibration.samples import Chain, sample_of
from litecheck.errors import ConfigError
from litecheck.model.types import Model

#: Seconds that a script may take for its next sample.
PATIENCE = 600.0
_LENGTH = 8
#: Sends each item as its length and an .npz file: the arrays, and what they are in ``facts``. What the script itself
#: prints goes elsewhere.
_CHILD = """
import io, json, os, runpy, sys
import numpy as np
script, chosen, sequences = sys.argv[1:]
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
defined = runpy.run_path(script)
if "get_calibration_data" not in defined:
    sys.exit("it defines no get_calibration_data()")
data = defined["get_calibration_data"]()
if isinstance(data, dict) and data and not hasattr(next(iter(data.values())), "shape"):
    groups = [(key, data[key]) for key in data if not chosen or key == chosen]
else:
    groups = [(None, [data] if isinstance(data, dict) else data)]
for signature, items in groups:
    for item in items:
        facts, arrays = [], []
        for step, sample in enumerate(item if sequences == "1" else [item]):
            if not isinstance(sample, dict):
                sample = dict(enumerate(sample if isinstance(sample, (list, tuple)) else [sample]))
            for name, values in sample.items():
                facts.append([step, signature, str(name)])
                arrays.append(np.asarray(values))
        file = io.BytesIO()
        np.savez(file, *arrays, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8))
        out.write(len(file.getbuffer()).to_bytes(8, "little"))
        out.write(file.getbuffer())
        out.flush()
"""


def script_data(script: Path, model: Model, options: DataOptions) -> CalibrationData:
    """What a script gives; it is run each time the samples are gone through. Raises ConfigError then."""

    def chains() -> Iterator[Chain]:
        with _running(script, options) as process:
            number = 0
            while (content := _next(script, process, number)) is not None:
                yield _chain(f"{script}, sample {number}", model, options, content)
                number += 1

    return CalibrationData(chains, f"get_calibration_data() of {script}")


@contextmanager
def _running(script: Path, options: DataOptions) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    arguments = [str(script), options.signature or "", str(int(options.sequences))]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        try:
            yield process, said
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout:
                process.stdout.close()


def _next(script: Path, running: tuple[subprocess.Popen[bytes], IO[bytes]], number: int) -> bytes | None:
    """The next item, None behind the last. Raises ConfigError where the script fails or takes too long."""
    process, said = running
    until = time.monotonic() + PATIENCE
    head = _read(script, process, _LENGTH, until)
    if len(head) == _LENGTH:
        length = int.from_bytes(head, "little")
        content = _read(script, process, length, until)
        if len(content) == length:
            return content
    status = process.wait()
    if status or head:
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").strip().splitlines()
        last = lines[-1] if lines else f"ended with status {status}"
        raise ConfigError(f"{script}: gave no sample {number}: {last}")
    return None


def _read(script: Path, process: subprocess.Popen[bytes], length: int, until: float) -> bytes:
    """So many bytes, or as many as come before the end."""
    assert process.stdout
    pieces = bytearray()
    while len(pieces) < length:
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise ConfigError(f"{script}: gave no sample within {PATIENCE:.0f} s")
        piece = os.read(process.stdout.fileno(), min(1 << 20, length - len(pieces)))
        if not piece:
            break
        pieces += piece
    return bytes(pieces)


def _chain(source: str, model: Model, options: DataOptions, content: bytes) -> Chain:
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            facts = json.loads(archive["facts"].tobytes())
            arrays = [archive[f"arr_{n}"] for n in range(len(facts))]
    except ValueError as error:
        raise ConfigError(f"{source}: is no array of numbers, {error}") from error
    steps: dict[tuple[int, str | None], dict[str, NDArray[Any]]] = {}
    for (step, signature, name), values in zip(facts, arrays, strict=True):
        steps.setdefault((step, signature or options.signature), {})[name] = values
    made = (sample_of(source, model, signature, inputs) for (_, signature), inputs in steps.items())
    return tuple(sample for several in made for sample in several)
