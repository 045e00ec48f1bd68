"""The program of a reproducer: the outcomes that it reports, without a device."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from litecheck.verification.reproducers import reproducer_program as program

FACTS: dict[str, Any] = {
    "outcome": "mismatch", "inputs": 1, "outputs": 1, "times": 2, "before": 0, "starts": [], "tolerance": 0.0,
    "seconds": 1.5,
}  # fmt: skip
EXPECTED = np.array([[1, 2], [3, 4]], np.int8)
OTHER = np.array([[1, 2], [3, 5]], np.int8)
REAL = np.array([4.0, 0.0], np.float32)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the reproducer, with the expected output and an input."""
    monkeypatch.setattr(program, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reproduce.py"])
    np.save(tmp_path / "expected_0.npy", EXPECTED)
    np.save(tmp_path / "input_0.npy", EXPECTED)
    return tmp_path


@pytest.mark.parametrize(
    ("facts", "expected", "runs", "status", "message"),
    [
        ({}, EXPECTED, [EXPECTED], 1, "exact: every output is as expected"),
        ({}, EXPECTED, [OTHER], 0, "mismatch: 1 of 4 differ; output 0 at (1, 1): expected 4, the device gives 5"),
        ({"tolerance": 9.0}, EXPECTED, [OTHER - 1], 0,
         "mismatch: 3 of 4 differ; output 0 at (0, 0): expected 1, the device gives 0"),
        ({"tolerance": 0.5}, REAL, [REAL - 2], 1, "exact: every output is as expected"),
        ({"tolerance": 0.5}, REAL, [REAL + np.float32([0, 3])], 0,
         "mismatch: 1 of 2 differ; output 0 at (1,): expected 0.0, the device gives 3.0"),
        ({"tolerance": 0.5}, REAL[:0], [REAL[:0]], 1, "exact: every output is as expected"),
        ({}, EXPECTED, [EXPECTED, OTHER], 1, "exact: every output is as expected"),
        ({"outcome": "flaky"}, EXPECTED, [OTHER, EXPECTED], 0, "flaky: inference 1 differs from the first"),
        ({"outcome": "flaky"}, EXPECTED, [EXPECTED, EXPECTED], 1, "exact: every output is as expected"),
        ({}, EXPECTED, [EXPECTED[0]], 1, "wrong shape or type: int8(2,), not int8(2, 2)"),
        ({}, EXPECTED, [EXPECTED.astype(np.uint8)], 1, "wrong shape or type: uint8(2, 2), not int8(2, 2)"),
    ],
)  # fmt: skip
def test_outputs_are_compared(
    facts: dict[str, Any],
    expected: Any,
    runs: Sequence[Any],
    status: int,
    message: str,
    here: Path,
    capsys: Any,
) -> None:
    np.save(here / "expected_0.npy", expected)
    arrays = {f"{number}_0": run for number, run in enumerate(runs)}
    known = {**FACTS, **facts}
    assert program.judge(known, arrays) == status
    second = "reproduced" if status == 0 else f"not reproduced: {known['outcome']} was expected"
    assert capsys.readouterr().out.splitlines() == [message, second]


@pytest.mark.parametrize(
    ("code", "stderr", "message"),
    [
        (-11, "", "crashed: ended by signal 11"),
        (0, "", "crashed: ended with status 0"),
        (1, "Traceback\nRuntimeError: not \x1bsupported ##[x]", "refused: RuntimeError: not \\x1bsupported #\\x23[x]"),
        (1, "first\nMemoryError", "out of memory: MemoryError"),
        (1, "std::bad_alloc", "out of memory: std::bad_alloc"),
        (3, "", "refused: ended with status 3"),
        (1, "first\nModuleNotFoundError: No module named 'x'", "not run: ModuleNotFoundError: No module named 'x'"),
    ],
)  # fmt: skip
def test_endings_of_the_child_process(
    code: int, stderr: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    done = SimpleNamespace(returncode=code, stderr=stderr)
    monkeypatch.setattr(program.subprocess, "run", lambda *_, **__: done)
    assert program.main(FACTS) == (2 if message.startswith("not run") else 1)
    assert capsys.readouterr().out.splitlines()[0] == message


def test_a_child_process_that_does_not_end(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def run(words: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(words, timeout)

    monkeypatch.setattr(program.subprocess, "run", run)
    assert program.main({**FACTS, "outcome": "timed out"}) == 0
    assert capsys.readouterr().out == "timed out: no answer after 1.5 s\nreproduced\n"


#: Programs in the place of a device: the output is the sum of this inference's input and of those since the last reset.
ALONE = """
import os, sys, numpy as np
inputs, outputs, state = sys.argv[1:]
value, kept = np.load(inputs + "/input_0.npy"), state + "/kept.npy"
value = value + np.load(kept) if os.path.exists(kept) else value
np.save(kept, value)
open(outputs + "/output_0.bin", "wb").write(value.tobytes())
"""
TOGETHER = """
import json, sys, numpy as np
inputs, outputs, runs = sys.argv[1:]
raw = np.fromfile(inputs + "/input_0.bin", np.int8).reshape(-1, 2, 2)
listed = json.load(open(runs + "/runs.json"))
assert (listed["runs"], listed["inputs"], listed["outputs"]) == (len(raw), [{}], [{}])
total, sums = 0, []
for values, reset in zip(raw, listed["reset"], strict=True):
    total = values if reset else total + values
    sums.append(total)
np.save(outputs + "/output_0.npy", np.stack(sums))
"""


@pytest.mark.parametrize(("source", "last"), [(ALONE, "{state}"), (TOGETHER, "{runs}")])
def test_a_command_runs_every_series_from_its_initial_state(source: str, last: str) -> None:
    words = [sys.executable, "-c", source, "{inputs}", "{outputs}", last]
    facts = {**FACTS, "driver": {"runtime": "command", "words": words}}
    found = program.infer(facts, [[EXPECTED], [OTHER]])
    assert [[output.tolist() for output in run] for run in found] == [[[[2, 4], [6, 9]]]] * 2


class Counter:
    """Interpreter with a variable, tensor 7: the output is the input plus the variable, which counts inferences."""

    def __init__(self) -> None:
        self.shape, self.held, self.input = (1,), 50, np.zeros(0)
        self.sizes: list[tuple[int, ...]] = []

    def get_input_details(self) -> list[dict[str, Any]]:
        return [{"index": 3, "shape": np.array(self.shape)}]

    def get_output_details(self) -> list[dict[str, Any]]:
        return [{"index": 5}]

    def resize_tensor_input(self, index: int, shape: tuple[int, ...]) -> None:
        assert index == 3
        self.shape = shape

    def allocate_tensors(self) -> None:
        self.sizes.append(self.shape)

    def reset_all_variables(self) -> None:
        self.held = 0

    def set_tensor(self, index: int, values: Any) -> None:
        if index == 7:
            self.held = int(values)
        else:
            assert index == 3
            self.input = values

    def invoke(self) -> None:
        self.held += 1

    def get_tensor(self, index: int) -> Any:
        assert index == 5
        return self.input + self.held


@pytest.mark.parametrize(("starts", "held"), [([], 2), ([7], 42)])
def test_inferences_in_a_row_begin_with_the_given_variables(starts: list[int], held: int, here: Path) -> None:
    np.save(here / "start_7.npy", np.int32(40))
    interpreter = Counter()
    series = [[np.array([9, 9])], [np.array([0, 1])]]
    for _ in range(2):
        (output,) = program.in_a_row({**FACTS, "starts": starts}, interpreter, series)
        assert output.tolist() == [held, held + 1]
    assert interpreter.sizes == [(2,)]


def test_the_child_process_keeps_every_output(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inputs of earlier inferences come first; outputs have the names ``inference_output``."""
    np.save(here / "before_0_0.npy", OTHER)
    monkeypatch.setattr(program, "infer", lambda _, series: [[inputs[0] for inputs in series]] * 2)
    program.child({**FACTS, "before": 1}, str(here / "made.npz"))
    with np.load(here / "made.npz") as made:
        assert {name: made[name].tolist() for name in made} == {
            name: array.tolist()
            for name, array in {"0_0": OTHER, "0_1": EXPECTED, "1_0": OTHER, "1_1": EXPECTED}.items()
        }
