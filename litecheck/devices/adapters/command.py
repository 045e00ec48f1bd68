"""Programs as devices: simulators, adb, ssh, boards on a serial line.

``command:"run_on_board {model} {runs}"`` starts the program once for all runs of a case, ``command:"run_on_board
{model} {inputs} {outputs}"`` once for each run. The program runs in the folder where litecheck was started, without a
shell (write ``sh -c '...'`` for a shell). docs/devices.md describes its arguments and the files that it must write.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.command_line import INPUTS, MODEL, OUTPUTS, RUNS, files, split_command, version, words
from litecheck.devices.device_kinds import DeviceKind
from litecheck.devices.output_files import count_written_runs, find_output, find_runs, names_of, outputs
from litecheck.devices.port import AdapterAnswer, NotSupported, Series, begin_next, take_all
from litecheck.model.load import load_model
from litecheck.model.stored_values import pack
from litecheck.model.types import Model, Tensor
from litecheck.processes.posix import end_by_signal
from litecheck.quantization import BITS

_Made = TypeVar("_Made")
#: Exit status of a program that does not have an operator of the model.
NOT_SUPPORTED = 77
#: Files that describe all runs of a case, and the inputs of a single run.
LIST, FACTS = "runs.json", "inputs.json"
#: Seconds between two checks of the files that a program has written.
_POLLING = 0.02
#: Placeholder for the folder in which a program that is started for each run keeps its state.
_STATE = "{state}"


def _program(argument: str) -> Mapping[str, str]:
    words(argument)
    return {"command": argument}


KIND = DeviceKind(
    "command",
    "litecheck.devices.adapters.command:Command",
    usage='command:"PROGRAM {model} {runs}"',
    summary="a program: a simulator, or the driver of a board",
    argument=_program,
    whole=True,
    environment={},
    files=lambda spec: files(words(spec.argument)),
    version=lambda spec: version(spec.argument),
    driver=lambda spec: {"runtime": "command", "package": "numpy", "words": split_command(spec.argument)},
)


class Command:
    """Adapter of a program. Option: ``command``, the command line of the user."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._words = words(options["command"])
        self._batch = any(RUNS in word for word in self._words)
        self.memory = StateSupport.KEPT if self._batch or _STATE in options["command"] else StateSupport.NONE

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Run the program and return the outputs that it wrote for each run.

        Raises NotSupported if the program does not have the operator, and RuntimeError if it rejects the model. If a
        signal ends the program, this process ends by the same signal.
        """
        if self._batch:
            return self._run_batch(model, [(run, True) for run in take_all(runs)], runs)
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Run series of inferences: like :meth:`run`, but state persists within each series.

        The program keeps state by ``reset`` in the list of runs, or in the folder ``{state}``.
        """
        if self._batch:
            given = tuple(series)
            flat = [(run, not n) for one in given for n, run in enumerate(take_all(one.runs))]
            return self._run_batch(model, flat, given[0].runs if given else ())
        made: list[Arrays] = []
        with tempfile.TemporaryDirectory(prefix="litecheck-") as folder:
            file = Path(folder, "model.tflite")
            file.write_bytes(model)
            loaded = load_model(file)
            for number, one in enumerate(series):
                state = Path(folder, f"state_{number}")
                state.mkdir()
                for run in one.runs:
                    made.append(self._run_single(loaded, file, run, Path(folder, f"run_{len(made)}"), state))
        return AdapterAnswer(tuple(made))

    def _run_batch(
        self, model: bytes, runs: Sequence[tuple[Arrays, bool]], clock: Sequence[Arrays]
    ) -> AdapterAnswer:
        with tempfile.TemporaryDirectory(prefix="litecheck-") as folder:
            file = Path(folder, "model.tflite")
            file.write_bytes(model)
            return AdapterAnswer(tuple(self._run_groups(load_model(file), file, runs, clock, Path(folder))))

    def _run_single(self, model: Model, file: Path, inputs: Arrays, folder: Path, state: Path) -> Arrays:
        """Run the program for one run and return its outputs."""
        given, output_folder = folder / "inputs", folder / "outputs"
        given.mkdir(parents=True)
        output_folder.mkdir()
        facts = _write_inputs(model, (inputs,), given, stacked=False)
        (given / FACTS).write_text(json.dumps(facts))
        places = {MODEL: str(file), INPUTS: str(given), OUTPUTS: str(output_folder), _STATE: str(state)}
        _check_status(
            subprocess.run([_fill_placeholders(word, places) for word in self._words], check=False).returncode
        )
        return _read_outputs(model, output_folder)

    def _run_groups(
        self,
        model: Model,
        file: Path,
        runs: Sequence[tuple[Arrays, bool]],
        clock: Sequence[Arrays],
        folder: Path,
    ) -> Iterator[Arrays]:
        """Yield the outputs of all runs, each with its reset flag. The program starts once for consecutive runs of
        equal shapes."""
        for number, (_, alike) in enumerate(groupby(runs, lambda run: [values.shape for values in run[0]])):
            some, reset = zip(*alike, strict=True)
            place = folder / f"runs_{number}"
            given, output_folder = place / "inputs", place / "outputs"
            given.mkdir(parents=True)
            output_folder.mkdir()
            facts = {"runs": len(some), "reset": list(reset)}
            inputs = _write_inputs(model, some, given, stacked=True)
            wanted = [_describe(tensor, tensor.shape) for tensor in outputs(model)]
            (place / LIST).write_text(json.dumps({**facts, "inputs": inputs, "outputs": wanted}))
            places = {MODEL: str(file), RUNS: str(place)}
            with subprocess.Popen([_fill_placeholders(word, places) for word in self._words]) as program:
                _watch(program, output_folder, model, clock, len(some))
            _check_status(program.returncode)
            yield from zip(*_read_all_outputs(model, output_folder, len(some)), strict=True)


def _watch(
    program: subprocess.Popen[bytes], output_folder: Path, model: Model, runs: Sequence[Arrays], count: int
) -> None:
    """Wait until the program ends. The next run begins when the outputs of the previous run are written."""
    first, done = next(iter(outputs(model)), None), 0
    begin_next(runs)
    while program.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            program.wait(_POLLING)
        left = 0 if first is None else min(count_written_runs(output_folder, first), count - 1)
        while done < left:
            begin_next(runs)
            done += 1


def _check_status(status: int) -> None:
    if status < 0:
        end_by_signal(-status)
    if status == NOT_SUPPORTED:
        raise NotSupported(f"exit status {NOT_SUPPORTED}")
    if status:
        raise RuntimeError(f"exit status {status}")


def _fill_placeholders(word: str, places: Mapping[str, str]) -> str:
    for name, path in places.items():
        word = word.replace(name, path)
    return word


def _write_inputs(model: Model, runs: Sequence[Arrays], folder: Path, stacked: bool) -> list[dict[str, Any]]:
    """Write the inputs of runs as files (with ``stacked``, all runs in one file) and return their descriptions."""
    main, facts = model.subgraphs[0], []
    for position, (index, given) in enumerate(zip(main.inputs, zip(*runs, strict=True), strict=True)):
        tensor = main.tensors[index]
        plain = [values.astype(values.dtype.newbyteorder("<"), copy=False) for values in given]
        np.save(folder / f"input_{position}.npy", np.stack(plain) if stacked else plain[0])
        with open(folder / f"input_{position}.bin", "wb") as file:
            file.writelines(_raw_bytes(values, tensor) for values in plain)
        facts.append(_describe(tensor, plain[0].shape))
    return facts


def _raw_bytes(values: NDArray[Any], tensor: Tensor) -> bytes:
    if BITS.get(tensor.dtype, 8) < 8:
        return pack(values, tensor.dtype).tobytes()
    return np.ascontiguousarray(values).tobytes()


def _describe(tensor: Tensor, shape: Sequence[int]) -> dict[str, Any]:
    return {"name": tensor.name, "dtype": tensor.dtype, "shape": list(shape)}


def _read_outputs(model: Model, folder: Path) -> Arrays:
    made = [
        find_output(folder, tensor, names_of(tensor, n), runs=1) for n, tensor in enumerate(outputs(model))
    ]
    return tuple(_require_all(model, folder, made))


def _read_all_outputs(model: Model, folder: Path, count: int) -> list[list[NDArray[Any]]]:
    """Return, for each output, the arrays of all runs."""
    try:
        made = [
            find_runs(folder, tensor, names_of(tensor, n), count) for n, tensor in enumerate(outputs(model))
        ]
    except ValueError as error:
        raise RuntimeError(f"the output of the program does not fit: {error}") from None
    return _require_all(model, folder, made)


def _require_all(model: Model, folder: Path, made: Sequence[_Made | None]) -> list[_Made]:
    """Return all outputs. Raises RuntimeError if the program did not write some of them."""
    tensors = outputs(model)
    missing = [f"output_{n} ('{tensors[n].name}')" for n, values in enumerate(made) if values is None]
    if missing:
        there = ", ".join(sorted(p.name for p in folder.iterdir())[:8]) or "nothing"
        raise RuntimeError(f"the program ended well without {', '.join(missing[:8])}; it left {there}")
    return [values for values in made if values is not None]
