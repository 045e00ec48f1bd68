"""``-`` in place of a file reads standard input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app
from litecheck.flatbuffer import containers

FIXTURES = Path(__file__).parents[2] / "fixtures"
MODEL = (FIXTURES / "fc_int8.tflite").read_bytes()
BUNDLE = (FIXTURES / "bundle.task").read_bytes()
Piped = Callable[..., tuple[int, str]]


@pytest.fixture
def piped() -> Iterator[Piped]:
    """Return a function that runs a command with bytes on standard input, and returns exit code and output."""

    def run(content: bytes, *arguments: str) -> tuple[int, str]:
        containers._read_stdin.cache_clear()
        done = CliRunner().invoke(app, list(arguments), input=content)
        return done.exit_code, done.output

    yield run
    containers._read_stdin.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("validate", "-"), "1 model: 1 conforms"),
        (("inspect", "-"), "operators    1: FULLY_CONNECTED 1"),
        (("run", "-", "--seed", "0", "--statistics"), "-: 1 operator by litert-reference"),
        (("verify", "-", "-d", "recorded:.", "--set", "inputs=propagated"), "1 not recorded"),
        (("verify", "-", "-d", "recorded:.", "--dry-run"), "0000-FULLY_CONNECTED"),
    ],
)
def test_a_model_is_read_from_a_pipe(
    piped: Piped, arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = piped(MODEL, *arguments)
    assert words in output
    assert code == (2 if "recorded:." in arguments and "--dry-run" not in arguments else 0)
    code, output = piped(b"", *arguments)
    assert (code, "nothing is piped to the program" in " ".join(output.split())) == (2, True)
    code, output = piped(MODEL[:200], *arguments)
    assert (code, "cut off" in " ".join(output.split())) == (2, True)


def test_a_bundle_may_be_piped_and_a_model_of_it_be_meant(piped: Piped) -> None:
    code, output = piped(BUNDLE, "run", "-", "--seed", "0", "--statistics")
    assert (code, "holds the models conv.tflite, fc.tflite" in output) == (2, True)
    code, output = piped(BUNDLE, "run", "-", "--member", "fc.tflite", "--seed", "0", "--statistics")
    assert (code, "FULLY_CONNECTED" in output) == (0, True)
    assert piped(BUNDLE, "inspect", "-")[1].count("description") == 2


def test_a_pipe_may_be_one_of_several_models(
    piped: Piped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = piped(
        MODEL, "verify", "-", str(FIXTURES / "float.tflite"), "-d", "recorded:.", "--set", "inputs=propagated"
    )
    assert (code, "2 models on recorded:.: 2 not checked" in output) == (2, True)


def test_paths_to_be_explained_are_read_from_a_pipe(piped: Piped) -> None:
    paths = b"SOFTMAX/output/scale\n\nCONV_2D/weight/zero_point\nSOFTMAX/output/scale\n"
    code, output = piped(paths, "explain", "-", "--profile", "litert-int8")
    heads = [line for line in output.splitlines() if line.endswith("(litert-int8)")]
    assert (code, heads) == (
        0,
        ["SOFTMAX/output/scale (litert-int8)", "CONV_2D/weight/zero_point (litert-int8)"],
    )
    assert piped(b"\n", "explain", "-")[0] == 64
    assert piped(b"CONV_2D/weight/zero_pint\n", "explain", "-")[0] == 64
