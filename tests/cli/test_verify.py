"""``litecheck verify`` as a user runs it: formats, exit codes, errors, and a run that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app
from litecheck.model.save import save_model
from tests.verification.networks import convolutional

#: Device that takes 0.3 s per inference and computes with litecheck, so that it needs no installation.
SLOW = """
import sys, time
from pathlib import Path
import numpy as np
from litecheck.model.load import load_model
from litecheck.reference.engine.interpreter import ReferenceInterpreter
model, inputs, outputs = map(Path, sys.argv[1:])
time.sleep(0.3)
loaded = load_model(model)
main = loaded.subgraphs[0]
arrays = tuple(np.load(inputs / f"input_{n}.npy") for n in range(len(main.inputs)))
tensors = ReferenceInterpreter(loaded, "litert-xnnpack").run(main, arrays)
for n, index in enumerate(main.outputs):
    np.save(outputs / f"output_{n}.npy", tensors[index])
open(sys.argv[0] + ".count", "a").write(".")
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    save_model(convolutional(), tmp_path / "network.tflite")
    return tmp_path / "network.tflite"


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path / "slow.py"


def command(network: Path, slow: Path, *more: str) -> list[str]:
    device = f"command:{sys.executable} {slow} {{model}} {{inputs}} {{outputs}}"
    fixed = [
        "--set",
        "inputs=propagated",
        "--set",
        "repeat=1",
        "--arithmetic",
        "litert-reference",
        "-f",
        "json",
    ]
    return [sys.executable, "-m", "litecheck", "verify", str(network), "--device", device, *fixed, *more]


def timeless(text: str) -> str:
    report = json.loads(text)
    assert report.pop("started")
    return json.dumps(report)


def environment(tmp_path: Path) -> dict[str, str]:
    here = str(Path(__file__).parents[2])
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": here}


@pytest.mark.slow
def test_a_killed_run_goes_on_and_reports_the_same(network: Path, slow: Path, tmp_path: Path) -> None:
    env, count = environment(tmp_path), Path(f"{slow}.count")
    whole = subprocess.run(command(network, slow), env=env, capture_output=True, text=True, check=False)
    assert whole.returncode == 1, whole.stderr
    assert count.read_text() == "." * 7
    count.unlink()

    running = subprocess.Popen(
        command(network, slow), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    journals = tmp_path / "cache" / "litecheck" / "verify"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        noted = sum(p.read_bytes().count(b"\n") - 1 for p in journals.glob("*.jsonl"))
        if noted >= 2:
            break
        time.sleep(0.02)
    running.send_signal(signal.SIGKILL)
    running.wait()
    noted = sum(p.read_bytes().count(b"\n") - 1 for p in journals.glob("*.jsonl"))
    assert 2 <= noted < 7

    time.sleep(1.0)  # the device may still finish its current job
    count.unlink()
    again = subprocess.run(
        command(network, slow, "--resume"), env=env, capture_output=True, text=True, check=False
    )
    assert again.returncode == 1, again.stderr
    assert count.read_text() == "." * (7 - noted)
    assert timeless(again.stdout) == timeless(whole.stdout)
    assert not list(journals.glob("*.jsonl"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupted_run_states_its_progress_and_the_next_command(
    network: Path, slow: Path, tmp_path: Path
) -> None:
    """The third case takes a minute. Until then, a second run finds the checkpoint in use."""
    count = "Path(sys.argv[0] + '.count')"
    slow.write_text(
        SLOW.replace("time.sleep(0.3)", f"time.sleep(60 * ({count}.exists() and {count}.stat().st_size > 1))")
    )
    env, book = environment(tmp_path), tmp_path / "journal.jsonl"
    asked = command(network, slow, "--set", f"checkpoint={book!s}")
    with subprocess.Popen(asked, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        while first.poll() is None and not (book.exists() and book.read_bytes().count(b"\n") == 3):
            time.sleep(0.02)
        second = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=60)
    assert (second.returncode, second.stdout) == (64, "")
    assert f"{book}: another run of litecheck is writing this journal" in second.stderr
    assert (first.returncode, out) == (130, "")
    assert f"interrupted: 2 cases are done, their results are kept in {book}; the same command" in err


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["verify", *arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--device", "litert:fast"], "unknown kernels 'fast'", 64),
        (["--device", "litret:reference"], "did you mean", 64),
        (["--device", "delegate:/nowhere.so"], "no such file", 2),
        (["--device", "command:./nowhere {model} {runs}"], "there is no program './nowhere'", 2),
        (
            ["--device", "command:python3 nowhere.py {model} {runs}"],
            "there is no file 'nowhere.py' for python3",
            2,
        ),
        (["--device", "recorded:/nowhere"], "/nowhere", 2),
        (
            ["--device", "recorded:.", "--arithmetic", "litert-refrence"],
            "did you mean 'litert-reference'",
            64,
        ),
        (["--device", "recorded:.", "--set", "inputs=radnom"], "did you mean 'random'", 64),
        (["--device", "recorded:.", "--format", "jsn"], "did you mean json", 64),
        (["--device", "recorded:.", "--unit", "a..b"], "there is no tensor 'a'", 64),
        (["--device", "recorded:.", "--input", "x=y.npy", "--data", "z"], "got --input and --data", 64),
        (["--device", "recorded:.", "--select", "adddd"], "did you mean 'ADD'", 64),
        (["--device", "recorded:.", "--unit", "0"], "expected operator, model, a number", 64),
    ],
)
def test_errors_are_a_single_line(network: Path, arguments: list[str], message: str, code: int) -> None:
    status, output = run(str(network), *arguments)
    assert status == code
    assert message in " ".join(output.split())
    assert "Traceback" not in output


def test_every_format_comes_from_one_run(network: Path, tmp_path: Path) -> None:
    formats = ("json", "junit", "sarif", "gitlab", "github", "markdown", "model-explorer", "html", "text")
    files = [f"{name}:{tmp_path / name}" for name in formats]
    status, output = run(
        str(network), "--device", f"recorded:{tmp_path}", *(a for f in files for a in ("-f", f))
    )
    assert status == 2, output  # no case was recorded
    for name in formats:
        assert (tmp_path / name).stat().st_size, name


def test_a_missing_device_is_an_error() -> None:
    status, output = run("model.tflite")
    assert status == 64
    assert "--device" in output


def test_an_equal_element_is_explained_on_request(network: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    arguments = ["--device", "litert:reference", "--select", "CONV_2D", "--set", "element=0,3,4,5"]
    status, output = run(str(network), *arguments)
    assert status == 0
    assert "element (0, 3, 4, 5)" in " ".join(output.split())


def test_an_element_is_named_by_numbers(network: Path) -> None:
    status, output = run(str(network), "--device", "recorded:.", "--set", "element=0,x")
    assert status == 64
    assert "expected coordinates from 0" in " ".join(output.split())


def models(folder: Path, *names: str) -> list[str]:
    """Write copies of a small model and return their paths."""
    content = (Path(__file__).parents[2] / "fixtures/fc_int8.tflite").read_bytes()
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(content)
    return [str(folder / name) for name in names]


def several(slow: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    slow.write_text(SLOW.replace("time.sleep(0.3)", ""))
    device = f"command:{sys.executable} {slow} {{model}} {{inputs}} {{outputs}}"
    fixed = ["-d", device, "--set", "inputs=propagated", "--set", "repeat=1"]
    command = [sys.executable, "-m", "litecheck", "verify", *arguments, *fixed]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_several_models_make_one_report(slow: Path, tmp_path: Path) -> None:
    env, report = environment(tmp_path), tmp_path / "out" / "report.json"
    named = models(tmp_path / "models", "a.tflite", "b.tflite")
    (tmp_path / "models" / "c.tflite").write_bytes(b"nothing")
    kept = tmp_path / "kept"
    done = several(
        slow, env, str(tmp_path / "models"), "gone.tflite", "-f", f"json:{report}", "-f", "text",
        "--set", f"record={kept!s}", "--arithmetic", "litert-xnnpack",
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    document = json.loads(report.read_text())
    assert [one["model"] for one in document["models"]] == [
        *named,
        str(tmp_path / "models/c.tflite"),
        "gone.tflite",
    ]
    assert document["counts"] == {"conforms": 2, "not checked": 2}
    assert "4 models on command:" in done.stdout
    assert sorted(path.name for path in kept.iterdir()) == ["a", "b"]
    journals = tmp_path / "cache" / "litecheck" / "verify"
    assert not list(journals.glob("*.jsonl"))


def test_a_folder_has_a_report_of_several_models_for_any_number_of_models(slow: Path, tmp_path: Path) -> None:
    env = environment(tmp_path)
    (alone,) = models(tmp_path / "models", "a.tflite")
    told = {
        path: json.loads(several(slow, env, path, "-f", "json").stdout)
        for path in (alone, str(tmp_path / "models"))
    }
    assert [next(iter(document)) for document in told.values()] == [
        "litecheck_verification", "litecheck_verifications",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_resumed_run_does_not_repeat_completed_models(slow: Path, tmp_path: Path) -> None:
    """The device kills the program as soon as it receives the second model."""
    env, count = environment(tmp_path), Path(f"{slow}.count")
    first, second = models(tmp_path / "models", "a.tflite", "b.tflite")
    with open(second, "ab") as file:
        file.write(b"another file, the same model")
    kill = "import os; PID and COUNT.exists() and os.kill(int(PID), 9)"
    kill = kill.replace("COUNT", f"Path({str(count)!r})").replace("PID", "os.environ.get('ASKING')")
    slow.write_text(SLOW.replace("time.sleep(0.3)", kill))
    device = f"command:{sys.executable} {slow} {{model}} {{inputs}} {{outputs}}"
    asked = [
        "verify",
        first,
        second,
        "-d",
        device,
        "--set",
        "inputs=propagated",
        "--set",
        "repeat=1",
        "-f",
        "json",
    ]
    start = "import os; os.environ['ASKING'] = str(os.getpid()); from litecheck.cli import main; main()"
    killed = subprocess.run([sys.executable, "-c", start, *asked], env=env, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    time.sleep(0.5)  # the device may still finish its current job
    count.write_text("")
    again = subprocess.run(
        [sys.executable, "-m", "litecheck", *asked, "--resume"], env=env, capture_output=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert count.read_text() == "."
    assert not list((tmp_path / "cache" / "litecheck" / "verify").glob("*.jsonl"))


@pytest.mark.parametrize(
    "arguments",
    [["--set", "checkpoint=book.jsonl"], ["-f", "model-explorer"]],
)
def test_options_of_a_single_model_are_errors_with_several(arguments: list[str], tmp_path: Path) -> None:
    named = models(tmp_path / "models", "a.tflite", "b.tflite")
    status, output = run(*named, "--device", "recorded:.", *arguments)
    assert status == 64
    assert "one" in output


def test_an_option_that_suits_no_model_is_a_wrong_command(tmp_path: Path) -> None:
    named = models(tmp_path / "models", "a.tflite", "b.tflite")
    status, output = run(*named, "--device", "recorded:.", "--select", "CONV2D")
    assert (status, "no such operator" in " ".join(output.split())) == (64, True)


def test_the_cost_of_several_models_is_estimated(tmp_path: Path) -> None:
    named = models(tmp_path / "models", "a.tflite", "b.tflite")
    status, output = run(*named, "--device", "recorded:.", "--dry-run", "--set", "inputs=propagated")
    assert status == 0
    assert output.count("nothing was verified") == 2


def test_models_of_equal_file_names_have_separate_folders(tmp_path: Path) -> None:
    from litecheck.cli.verify_models import _folders

    assert _folders(["x/a.tflite", "y/a.tflite", "z/a.tflite", "b.tflite"]) == {
        "x/a.tflite": "a", "y/a.tflite": "a-2", "z/a.tflite": "a-3", "b.tflite": "b",
    }  # fmt: skip
