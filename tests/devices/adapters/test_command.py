from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices.command_line import version, words
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts"),
    pytest.mark.slow,
]

Running = Callable[..., "Answer | Failure"]


def job(runs: int = 1, dtype: str = "int8") -> Job:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y = (graph.tensor(f"net/{name}", (2, 3), dtype, qparams(0.5)) for name in "xy")
    graph.add("RELU", [x], [y])
    graph.inputs(x)
    graph.outputs(y)
    model = builder.finish()
    given = tuple((np.arange(-n, 6 - n, dtype=np.int8).reshape(2, 3),) for n in range(runs))
    return Job("0000-RELU", model, model_bytes(model), given)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which child processes work and have their folders."""
    return tmp_path_factory.mktemp("folders")


@pytest.fixture
def running(tmp_path: Path, folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """Return ``running(script)``, which runs a job on a shell script; its arguments are model, inputs, outputs."""
    devices: list[Device] = []
    monkeypatch.chdir(folders)

    def run(script: str, wanted: Job | None = None, seconds: float = 30.0) -> Answer | Failure:
        program = tmp_path / "a device.sh"
        program.write_text(f"#!/bin/sh\nmodel=$1 inputs=$2 outputs=$3\n{script}\n")
        program.chmod(0o755)
        devices.append(
            open_device(f"command:'{program}' {{model}} {{inputs}} {{outputs}}", Limits(seconds, 1 << 29))
        )
        return devices[-1].run(wanted or job())

    monkeypatch.setattr(tempfile, "tempdir", str(folders))
    yield run
    for device in devices:
        device.close()
    assert list(folders.glob("*/scratch/*")) == []


@pytest.mark.parametrize(
    "script",
    [
        "cp $inputs/input_0.npy $outputs/output_0.npy",
        "cp $inputs/input_0.bin $outputs/output_0.bin",
        "cp $inputs/input_0.npy $outputs/net_y.npy",
        "mkdir $outputs/net; cp $inputs/input_0.bin $outputs/net/y.raw",
        "cp $inputs/input_0.npy net_y.npy; " + sys.executable
        + " -c 'import zipfile, sys; zipfile.ZipFile(sys.argv[1], \"w\").write(\"net_y.npy\")' $outputs/outputs.npz",
    ],
)  # fmt: skip
def test_outputs_are_read_back(running: Running, script: str) -> None:
    wanted = job(runs=3)
    answer = running(script, wanted)
    assert isinstance(answer, Answer)
    assert (answer.delegated, answer.ended, answer.message) == (None, "", "")
    for sent, got in zip(wanted.runs, answer.runs, strict=True):
        np.testing.assert_array_equal(sent, got)


def test_the_program_receives_the_documented_files(running: Running, folders: Path) -> None:
    script = "pwd > seen; ls $inputs >> seen; cp $model m; cp $inputs/inputs.json j; cp $inputs/*.bin $outputs/output_0.bin"
    wanted = job(dtype="int4")
    answer = running(script, wanted)
    assert isinstance(answer, Answer)
    np.testing.assert_array_equal(answer.runs[0][0], wanted.runs[0][0])
    assert (folders / "seen").read_text().split() == [
        str(folders),
        "input_0.bin",
        "input_0.npy",
        "inputs.json",
    ]
    assert (folders / "m").read_bytes() == wanted.content
    assert json.loads((folders / "j").read_text()) == [{"name": "net/x", "dtype": "int4", "shape": [2, 3]}]


#: Commands of the program -> outcome of the job and words of its message.
FAILURES = {
    "echo no such board >&2; exit 3": (Outcome.REFUSED, "exit status 3\nno such board"),
    "kill -SEGV $$": (Outcome.CRASHED, "SIGSEGV"),
    "kill -ABRT $$": (Outcome.CRASHED, "SIGABRT"),
    "kill -TERM $$": (Outcome.CRASHED, "SIGTERM"),
    "trap '' INT TERM; sleep 1000": (Outcome.TIMED_OUT, "no answer after 1 s"),
    "true": (Outcome.REFUSED, "ended well without output_0 ('net/y'); it left nothing"),
    "touch $outputs/out.bin": (Outcome.REFUSED, "it left out.bin"),
    f"{sys.executable} -c 'bytes(1 << 30)'": (Outcome.OUT_OF_MEMORY, "MemoryError"),
    "echo nonsense > $outputs/output_0.npy": (Outcome.REFUSED, "no .npy file"),
    "echo no RELU here >&2; exit 77": (Outcome.NOT_SUPPORTED, "exit status 77\nno RELU here"),
}


@pytest.mark.parametrize("script", FAILURES)
def test_every_way_to_fail_is_an_outcome(running: Running, script: str) -> None:
    outcome, message = FAILURES[script]
    failure = running(script, seconds=1.0 if "sleep" in script else 30.0)
    assert isinstance(failure, Failure)
    assert failure.outcome is outcome
    assert message in failure.message


def test_bytes_of_the_wrong_size_are_handed_on(running: Running) -> None:
    answer = running("head -c 5 $inputs/input_0.bin > $outputs/output_0.bin")
    assert isinstance(answer, Answer)
    assert (answer.runs[0][0].shape, answer.runs[0][0].dtype) == ((5,), np.int8)


def test_the_environment_is_the_user_s(
    running: Running, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    running('echo "$OPENBLAS_NUM_THREADS:$PYTHONPATH:$MALLOC_PERTURB_" > seen; exit 1')
    assert (folders / "seen").read_text() == "7::\n"


def test_a_command_line_is_split_like_in_a_shell() -> None:
    line = "sh -c 'cp $1/* $2 && echo {x}' {inputs} {outputs}"
    assert words(line) == ["sh", "-c", "cp $1/* $2 && echo {x}", "{inputs}", "{outputs}"]


@pytest.mark.parametrize(
    "script",
    [
        "truncate -s 400M $outputs/output_0.bin",
        sys.executable
        + " -c 'import numpy, sys; numpy.lib.format.open_memmap(sys.argv[1], \"w+\", \"i1\", (400 << 20,))'"
        " $outputs/output_0.npy",
    ],
    ids=["raw", "npy"],
)  # fmt: skip
def test_an_output_far_too_large_is_refused_unread(running: Running, script: str) -> None:
    """The output exceeds the memory limit of 512 MB, so that reading it would fail."""
    answer = running(script)
    assert isinstance(answer, Failure)
    assert answer.outcome is Outcome.WRONG_SHAPE
    assert "bytes; 'net/y' is int8 2x3, it is not read" in answer.message


#: A program with a single start for all runs of a case; each run has 6 bytes and takes a moment.
TOGETHER = """echo started >> starts
[ $1 = --version ] && exit 1
for n in 0 1 2 3 4; do
  sleep 0.8
  dd if=$2/inputs/input_0.bin bs=6 skip=$n count=1 status=none >> $2/outputs/output_0.bin
done"""


@pytest.fixture
def together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """Return ``together(script)``, which runs a job on a shell script; its arguments are the model and a folder of
    runs."""
    devices: list[Device] = []
    monkeypatch.chdir(tmp_path)

    def run(script: str, wanted: Job, seconds: float = 30.0) -> Answer | Failure:
        program = tmp_path / "device.sh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        devices.append(open_device("command:./device.sh {model} {runs}", Limits(seconds, 1 << 29)))
        return devices[-1].run(wanted)

    yield run
    for device in devices:
        device.close()


def test_one_start_does_for_all_runs_and_time_is_counted_for_each(together: Running, tmp_path: Path) -> None:
    wanted = job(runs=5)
    answer = together(TOGETHER, wanted, seconds=3.0)
    assert isinstance(answer, Answer), answer
    for sent, got in zip(wanted.runs, answer.runs, strict=True):
        np.testing.assert_array_equal(sent, got)
    # The additional start requested the program's version.
    assert (tmp_path / "starts").read_text().split() == ["started"] * 2


def test_a_program_that_hangs_is_distinguished_from_a_slow_program(together: Running) -> None:
    stalls = TOGETHER.replace("  sleep 0.8", "  [ $n = 2 ] && sleep 1000")
    failure = together(stalls, job(runs=5), seconds=3.0)
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.TIMED_OUT
    assert failure.message.startswith("no answer after 3 s, in invocation 3 of 5")


def test_the_list_of_runs_states_their_initial_state(together: Running, tmp_path: Path) -> None:
    script = "cp $2/runs.json listed; ls $2/inputs > files; cp $2/inputs/* .; exit 3"
    failure = together(script, job(runs=2, dtype="int4"))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.REFUSED
    listed = json.loads((tmp_path / "listed").read_text())
    assert listed == {
        "runs": 2,
        "reset": [True, True],
        "inputs": [{"name": "net/x", "dtype": "int4", "shape": [2, 3]}],
        "outputs": [{"name": "net/y", "dtype": "int4", "shape": [2, 3]}],
    }
    assert (tmp_path / "files").read_text().split() == ["input_0.bin", "input_0.npy"]
    # In .npy files, each int4 value takes a byte. In raw files, the first value is in the low half of a byte.
    assert np.load(tmp_path / "input_0.npy").tolist() == [[[0, 1, 2], [3, 4, 5]], [[-1, 0, 1], [2, 3, 4]]]
    assert (tmp_path / "input_0.bin").read_bytes() == bytes([0x10, 0x32, 0x54, 0x0F, 0x21, 0x43])


@pytest.mark.parametrize(
    "script",
    [
        "cp $2/inputs/input_0.npy $2/outputs/output_0.npy",
        "cp $2/inputs/input_0.npy $2/outputs/net_y.npy",
        "cp $2/inputs/input_0.bin $2/outputs/net_y.raw",
        "for n in 0 1; do head -c 6 $2/inputs/input_0.bin > $2/outputs/output_0_run_$n.bin; done",
    ],
)
def test_outputs_of_all_runs_are_read_back(together: Running, script: str) -> None:
    sent = job(runs=2)
    answer = together(script, sent)
    assert isinstance(answer, Answer), answer
    same = [sent.runs[0], sent.runs[0] if "run_" in script else sent.runs[1]]
    for (wanted,), (got,) in zip(same, answer.runs, strict=True):
        np.testing.assert_array_equal(wanted, got)


def test_packed_outputs_of_all_runs_are_read_back(together: Running) -> None:
    sent = job(runs=3, dtype="int4")
    answer = together("cp $2/inputs/input_0.bin $2/outputs/output_0.bin", sent)
    assert isinstance(answer, Answer), answer
    for (wanted,), (got,) in zip(sent.runs, answer.runs, strict=True):
        np.testing.assert_array_equal(wanted, got)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("true", "ended well without output_0 ('net/y'); it left nothing"),
        ("head -c 7 $2/inputs/input_0.bin > $2/outputs/output_0.bin", "2 runs of 6 bytes are 12"),
        ("cp one.npy $2/outputs/output_0.npy", "the first dimension should be 2 runs"),
        ("head -c 6 $2/inputs/input_0.bin > $2/outputs/output_0_run_0.bin", "without output_0"),
    ],
)
def test_outputs_of_too_few_runs_are_a_refusal(
    together: Running, tmp_path: Path, script: str, message: str
) -> None:
    np.save(tmp_path / "one.npy", np.zeros((1, 2, 3), np.int8))
    failure = together(script, job(runs=2))
    assert isinstance(failure, Failure)
    assert failure.outcome is Outcome.REFUSED
    assert message in failure.message


def test_runs_of_different_shapes_have_separate_starts(together: Running, tmp_path: Path) -> None:
    wanted = job(runs=2)
    mixed = Job(wanted.name, wanted.model, wanted.content, (*wanted.runs, (np.ones((1, 3), np.int8),)))
    answer = together("cp $2/inputs/input_0.npy $2/outputs/output_0.npy", mixed)
    assert isinstance(answer, Answer), answer
    assert [run[0].shape for run in answer.runs] == [(2, 3), (2, 3), (1, 3)]


def test_the_version_of_a_program_is_read_if_the_command_allows_it(tmp_path: Path) -> None:
    program = tmp_path / "board"
    program.write_text(
        '#!/bin/sh\n[ "$*" = --version ] && echo && echo "board 3.1\033[31m" && exit\ntouch ran\n'
    )
    program.chmod(0o755)
    assert version(f"{program} {{model}} {{runs}}") == "board 3.1[31m"
    assert version(f"sh {program} {{model}} {{runs}}") == "board 3.1[31m"
    # The version is not requested if the command would run further code or arguments.
    assert version(f"sh -c 'touch {tmp_path}/ran' {{model}} {{runs}}") == ""
    assert version(f"{program} board7 {{model}} {{runs}}") == ""
    assert not (tmp_path / "ran").exists()
    opened = open_device(f"command:{program} {{model}} {{runs}}")
    asked = open_device(f"command:{program} {{model}} {{runs}}", build="rev B")
    try:
        assert opened.described.endswith("{runs} (board 3.1[31m)")
        assert asked.described.endswith("{runs} (rev B)")
    finally:
        opened.close()
        asked.close()


@pytest.mark.parametrize("line", ["cat {model}", "cat {runs} {inputs}", "cat {inputs}"])
def test_a_line_without_places_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="runs"):
        words(line)
