"""``litecheck convert`` as a user runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from fixtures.detector import float_detector, samples
from litecheck.model.save import save_model
from tests.conversion.classifiers import classifier, narrow_and_wide

Run = Callable[..., Result]
OWN = ("--device", "litecheck")
DATA = ("--data", "images.npz", *OWN)


@pytest.fixture(autouse=True)
def _detector(folder: Path) -> None:
    save_model(float_detector(), "detector.tflite")
    Path("images.npz").write_bytes(samples())


def test_a_model_is_made_and_the_starved_tensor_named_first(run: Run) -> None:
    done = run("convert", "detector.tflite", "-o", "out.tflite", *DATA)
    assert (done.exit_code, done.stderr) == (0, "")
    words = (
        "conforms",
        "7 int8, 1 float32",
        "'scores': effective resolution 0.4 of 8 bits",
        "stays float32",
        "Agreement with float on 16",
    )
    places = [done.stdout.index(word) for word in words]
    assert places == sorted(places)
    assert "--keep-float '#6'" in done.stdout
    assert "accuracy" not in done.stdout
    assert Path("out.tflite").exists()


def test_without_data_the_error_lists_all_sources_of_data(run: Run) -> None:
    done = run("convert", "detector.tflite", "-o", "out.tflite")
    assert done.exit_code == 64
    for way in (
        "--data FILE.npz",
        "--data FOLDER",
        "images",
        "--data SCRIPT.py",
        "--calibration-cache FILE",
        "--data random:N",
    ):
        assert way in done.stderr
    assert not Path("out.tflite").exists()


def test_random_samples_are_warned_of_loudly(run: Run) -> None:
    done = run(
        "convert", "detector.tflite", "-o", "out.tflite", "--data", "random:2", "--no-agreement", "-q", *OWN
    )
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: calibrated on 2 RANDOM samples")
    done = run("convert", "detector.tflite", "--dry-run", "--data", "random:2", "--no-agreement", *OWN)
    assert "RANDOM" in done.stdout.splitlines()[1]
    assert "RANDOM" not in done.stderr


def test_a_dry_run_prints_every_tensor_and_writes_none(run: Run) -> None:
    done = run("convert", "detector.tflite", "--dry-run", "--save-plan", "plan.json", *DATA)
    assert done.exit_code == 0
    assert "nothing: this was a dry run" in done.stdout
    assert "logits/bias" in done.stdout
    assert not list(Path().glob("out*"))
    assert json.loads(Path("plan.json").read_text())["litecheck_plan"] == 1
    again = run("convert", "detector.tflite", "-o", "out.tflite", "--plan", "plan.json")
    assert again.exit_code == 0


def test_a_model_with_a_violation_is_not_written(run: Run) -> None:
    run("convert", "detector.tflite", "--dry-run", "--save-plan", "plan.json", "--no-agreement", *DATA)
    plan = Path("plan.json").read_text()
    Path("plan.json").write_text(plan.replace("0.00390625", "0.01"))
    done = run("convert", "detector.tflite", "-o", "out.tflite", "--plan", "plan.json")
    assert done.exit_code == 1
    assert "violation   LOGISTIC/output/scale" in done.stdout
    assert "nothing: the new model would violate" in done.stdout
    assert not Path("out.tflite").exists()


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (("detector.tflite",), "give -o OUT.tflite", 64),
        (("detector.tflite", "-o", "out.tflite", "--dry-run"), "-o out.tflite and --dry-run, which writes no model", 64),
        (("detector.tflite", "-o", "out.tflite", "--preprocessing", "1:0", *DATA), "--preprocessing 1:0 is for images", 64),
        (("good.tflite", "-o", "out.tflite", "--data", "random:1"), "it is quantized already (int8)", 2),
        (("broken.tflite", "-o", "out.tflite", "--data", "random:1"), "cut-off", 2),
        (("detector.tflite", "-o", "out.tflite", "--plan", "p.json", "--to", "int8"), "the plan has decided that", 64),
        (("detector.tflite", "-o", "out.tflite", "--plan", "p.json"), "p.json: cannot be read", 64),
        (("detector.tflite", "-o", "out.tflite", "--match", "tensorfow"), "did you mean 'tensorflow'?", 64),
        (("detector.tflite", "-o", "out.tflite", "--to", "int4", *DATA), "there is no conversion to 'int4'", 64),
        (("detector.tflite", "-o", "out.tflite", "--keep-float", "CONV2D", *DATA), "--keep-float CONV2D: no operator", 64),
        (("detector.tflite", "-o", "out.tflite", "--input-dtype", "int16", *DATA), "--input-dtype int16: expected", 64),
        (("detector.tflite", "-o", "detector.tflite/out.tflite", *DATA), "is not a folder", 64),
        (("detector.tflite", "-o", "images.npz", *DATA), "would overwrite the input images.npz", 64),
        (("detector.tflite", "-o", "out.tflite", "--save-plan", "./out.tflite", *DATA), "two outputs to one file", 64),
        (("detector.tflite", "-o", "out.h5", *DATA), "-o out.h5: got the suffix of Keras, expected .tflite", 64),
        (("detector.tflite", "-o", "out.onnx", "--via", "tensorflow", *DATA), "-o out.onnx: got the suffix of ONNX", 64),
        (("detector.tflite", "-o", "out.tflite", "--data", "none.npz"), "none.npz: no such file", 2),
        (("detector.tflite", "-o", "out.tflite", "--profile", "litert-uint8", *DATA), "is about uint8, not int8", 64),
    ],
)  # fmt: skip
def test_errors_of_the_command_line(run: Run, arguments: tuple[str, ...], message: str, code: int) -> None:
    done = run("convert", *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
    assert not list(Path().glob("out.*"))


def test_reports_go_to_files_in_several_formats(run: Run) -> None:
    formats = [part for name in ("json", "html", "sarif") for part in ("-f", f"{name}:report.{name}")]
    done = run("convert", "detector.tflite", "-o", "out.tflite", "--no-agreement", *DATA, *formats)
    assert (done.exit_code, done.stdout) == (0, "")
    *wrote, verdict = done.stderr.splitlines()
    assert wrote == ["wrote report.json", "wrote report.html", "wrote report.sarif"]
    assert verdict.startswith("conforms")
    assert json.loads(Path("report.json").read_text())["starved"] == 1


def test_help_has_a_purpose_and_examples(run: Run) -> None:
    done = run("convert", "--help")
    assert done.exit_code == 0
    assert "litecheck convert model.tflite -o" in done.stdout.split("Examples")[1]


def test_layers_are_improved_and_operators_ranked(run: Run) -> None:
    options = ("--equalize", "--correct-bias", "--sensitivity", "2", "--int16x8", "LOGISTIC")
    done = run("convert", "detector.tflite", "-o", "out.tflite", *DATA, *options)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "6 int8, 1 int16, 1 float32" in done.stdout
    words = ("equalized", "biases corrected", "Agreement", "sensitivity  2 operators")
    places = [done.stdout.index(word) for word in words]
    assert places == sorted(places)
    assert run("convert", "detector.tflite", "--dry-run", *DATA, "--sensitivity", "0").exit_code == 64
    done = run("convert", "detector.tflite", "-o", "o.tflite", "--plan", "p.json", "--int16x8", "#1")
    assert (done.exit_code, done.stdout) == (64, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--via", "tensorflw", "-o", "o.tflite"), "did you mean 'tensorflow'"),
        (("--via", "tensorflow", "--compare"), "--compare asks all converters"),
        (("--via", "tensorflow",), "give -o OUT.tflite"),
        (("--compare", "-o", "o.tflite"), "--compare writes no model"),
        (("--compare", "--keep-float", "#1"), "--keep-float: other converters do not take this"),
        (("--compare",), "there must be samples"),
        (("--compare", "-f", "sarif"), "unknown format 'sarif'"),
    ],
)  # fmt: skip
def test_options_that_competing_converters_lack_are_errors(
    run: Run, arguments: tuple[str, ...], words: str
) -> None:
    done = run("convert", "detector.tflite", *arguments)
    assert done.exit_code == 64
    assert words in " ".join(done.stderr.split())


def test_logits_that_a_softmax_hides_are_in_the_first_line_and_a_warning(run: Run) -> None:
    narrow, wide = narrow_and_wide()
    save_model(classifier(), "net.tflite")
    np.save("narrow.npy", narrow)
    np.save("wide.npy", wide)
    command = ("convert", "net.tflite", "-o", "int8.tflite", "--data", "narrow.npy", *OWN)
    assert "logits" not in run(*command).stdout.partition("tensors")[0]
    done = run(*command, "--evaluate", "wide.npy")
    first = " ".join(done.stdout.partition("made ")[0].split())
    assert re.search(r"\d\d\.\d dB \(logits \d\.\d dB\) on 32 samples", first)
    warned = " ".join(done.stdout.split())
    assert "warning --evaluate: logits of output 'probabilities' have an SNR of " in warned
