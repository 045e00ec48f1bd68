"""The adapter of a program in this process: files that the program gets, and files that it leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.adapters import command
from litecheck.devices.adapters.command import Command
from litecheck.devices.port import NotSupported, Series
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes

X = np.array([[1, 2, 3], [-1, -2, -3]], np.int8)


def model(dtype: str = "int8", outputs: int = 1) -> bytes:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("net/x", (2, 3), dtype, qparams(0.5))
    made = [graph.tensor(f"net/y{n}", (2, 3), dtype, qparams(0.5)) for n in range(outputs)]
    for y in made:
        graph.add("RELU", [x], [y])
    graph.inputs(x)
    graph.outputs(*made)
    return model_bytes(builder.finish())


@pytest.fixture
def program(tmp_path: Path) -> Any:
    """Return ``program(source, arguments)``, the adapter of a Python program."""

    def make(source: str, arguments: str = "{model} {inputs} {outputs}") -> Command:
        file = tmp_path / "program.py"
        file.write_text(f"import json, os, sys\n{source}\n")
        return Command({"command": f"'{sys.executable}' -S '{file}' {arguments} '{tmp_path}'"})

    return make


#: Leaves the input as the output, and a copy of its folder's facts.
COPY = """
_, model, inputs, outputs, place = sys.argv
assert open(model, "rb").read()[4:8] == b"TFL3"
open(outputs + "/output_0.bin", "wb").write(open(inputs + "/input_0.bin", "rb").read())
open(place + "/log", "a").write(open(inputs + "/inputs.json").read() + chr(10))
assert os.path.exists(inputs + "/input_0.npy")
"""


def test_a_program_is_started_for_each_run(program: Any, tmp_path: Path) -> None:
    adapter = program(COPY)
    answer = adapter.run(model(), [(X,), (X + 1,)])
    assert [run[0].tolist() for run in answer.runs] == [X.tolist(), (X + 1).tolist()]
    facts = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert facts == [[{"name": "net/x", "dtype": "int8", "shape": [2, 3]}]] * 2
    assert adapter.memory is StateSupport.NONE


@pytest.mark.parametrize(("dtype", "size"), [("int4", 3), ("int16", 12)])
def test_inputs_are_packed_below_eight_bits(program: Any, dtype: str, size: int) -> None:
    values = X.astype(np.int16 if dtype == "int16" else np.int8)
    (run,) = (
        program(f"{COPY}\nassert os.path.getsize(inputs + '/input_0.bin') == {size}")
        .run(model(dtype), [(values,)])
        .runs
    )
    assert run[0].tolist() == X.tolist()


#: For each inference, adds 1 to a number in the state folder and writes it to all elements.
COUNT = """
_, inputs, outputs, state, place = sys.argv
held = state + "/n"
n = int(open(held).read()) + 1 if os.path.exists(held) else 1
open(held, "w").write(str(n))
open(outputs + "/output_0.bin", "wb").write(bytes([n] * 6))
"""


def test_a_folder_keeps_the_state_of_a_series(program: Any) -> None:
    adapter = program(COUNT, "{inputs} {outputs} {state}")
    assert adapter.memory is StateSupport.KEPT
    answer = adapter.series(model(), [Series(((X,), (X,))), Series(((X,),))])
    assert [int(run[0][0, 0]) for run in answer.runs] == [1, 2, 1]
    assert [int(run[0][0, 0]) for run in adapter.run(model(), [(X,), (X,)]).runs] == [1, 1]


#: Writes the inputs of all runs as outputs, and a copy of the list of runs.
TOGETHER = """
_, model, runs, place = sys.argv
data = open(runs + "/inputs/input_0.bin", "rb").read()
open(runs + "/outputs/output_0.bin", "wb").write(data)
open(place + "/log", "a").write(open(runs + "/runs.json").read() + chr(10))
"""


def test_a_program_is_started_once_for_all_runs_of_a_shape(program: Any, tmp_path: Path) -> None:
    adapter = program(TOGETHER, "{model} {runs}")
    assert adapter.memory is StateSupport.KEPT
    wide = np.arange(12, dtype=np.int8).reshape(4, 3)
    answer = adapter.series(model(), [Series(((X,), (X + 1,))), Series(((wide,),))])
    assert [run[0].reshape(-1).tolist() for run in answer.runs] == [
        X.reshape(-1).tolist(),
        (X + 1).reshape(-1).tolist(),
        list(range(12)),
    ]
    first, second = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    output = [{"name": "net/y0", "dtype": "int8", "shape": [2, 3]}]
    inputs = [{"name": "net/x", "dtype": "int8", "shape": [2, 3]}]
    assert first == {"runs": 2, "reset": [True, False], "inputs": inputs, "outputs": output}
    assert second == {
        "runs": 1,
        "reset": [True],
        "inputs": [{"name": "net/x", "dtype": "int8", "shape": [4, 3]}],
        "outputs": output,
    }
    adapter.run(model(), [(X,), (X,)])
    (*_, last) = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert last["reset"] == [True, True]


BEGUN = """
import time
_, runs, place = sys.argv
size = 0
for size in (6, 12, 18):
    open(runs + "/outputs/output_0.bin", "ab").write(bytes(6))
    while not os.path.exists(place + f"/{size}"):
        time.sleep(0.001)
"""


@pytest.mark.usefixtures("in_time")
def test_the_next_run_begins_when_outputs_are_written(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock starts once for each run, and the last output starts none."""
    starts: list[int] = []

    def begun(_: object) -> None:
        starts.append(len(starts))
        for n in range(1, 4):
            if len(starts) > n or n == len(starts) == 3:
                (tmp_path / str(6 * n)).touch()

    monkeypatch.setattr(command, "begin_next", begun)
    answer = program(BEGUN, "{runs}").run(model(), [(X,)] * 3)
    assert (len(answer.runs), starts) == (3, [0, 1, 2])


@pytest.mark.parametrize(
    ("source", "arguments", "outputs", "error", "message"),
    [
        ("sys.exit(77)", "{inputs} {outputs}", 1, NotSupported, "^exit status 77$"),
        ("sys.exit(3)", "{inputs} {outputs}", 1, RuntimeError, "^exit status 3$"),
        ("sys.exit(3)", "{runs}", 1, RuntimeError, "^exit status 3$"),
        ("", "{inputs} {outputs}", 2, RuntimeError,
         r"^the program ended well without output_0 \('net/y0'\), output_1 \('net/y1'\); it left nothing$"),
        ("for n in range(1, 10): open(f'{sys.argv[2]}/output_{n}.bin', 'w').write('abcdef')", "{inputs} {outputs}", 10,
         RuntimeError,
         r"without output_0 \('net/y0'\); it left output_1.bin, .*, output_8.bin$"),
        ("open(sys.argv[1] + '/outputs/output_0.bin', 'w').write('abc')", "{runs}", 1, RuntimeError,
         "^the output of the program does not fit: output_0.bin has 3 bytes; 2 runs of 6 bytes are 12$"),
    ],
)  # fmt: skip
def test_programs_that_fail(
    program: Any, source: str, arguments: str, outputs: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        program(source, arguments).run(model(outputs=outputs), [(X,), (X,)])


def test_a_program_that_a_signal_ends(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[int] = []
    monkeypatch.setattr(command, "end_by_signal", signals.append)
    with pytest.raises(RuntimeError, match="exit status -6"):
        program("os.abort()", "{runs}").run(model(), [(X,)])
    assert signals == [6]
