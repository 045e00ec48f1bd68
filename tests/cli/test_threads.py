"""BLAS uses a single thread, unless the user sets a number."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from litecheck.cli import OWN, SHARED, one_thread


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return an environment without a number of threads."""
    made = {name: value for name, value in os.environ.items() if name not in (*OWN, SHARED)}
    monkeypatch.setattr(os, "environ", made)
    return made


def test_every_library_is_limited_to_one_thread(environment: dict[str, str]) -> None:
    one_thread()
    assert [environment.get(name) for name in (*OWN, SHARED)] == ["1", "1", "1", None]


@pytest.mark.parametrize("name", [*OWN, SHARED])
def test_a_number_the_user_has_set_stays_the_only_one(environment: dict[str, str], name: str) -> None:
    environment[name] = "2"
    before = dict(environment)
    one_thread()
    assert environment == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "missing.tflite", "--statistics"], ["verify", "missing.tflite", "-d", "litert:xnnpack"],
        ["diagnose", "missing.tflite", "-d", "litert:xnnpack"], ["suite", "make", "-o", "x", "--profile", "missing.yaml"],
        ["suite", "prove", "missing"], ["convert", "missing.tflite", "--dry-run"], ["validate", "missing.tflite"],
        ["compare", "a.npy", "b.npy"], ["inspect", "missing.tflite"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)  # fmt: skip
def test_every_command_limits_threads_before_numpy_is_loaded(
    environment: dict[str, str], arguments: list[str]
) -> None:
    code = (
        "import os, sys\n"
        "import litecheck.cli as threads\n"
        "ask = threads.one_thread\n"
        "def asked():\n"
        "    ask()\n"
        "    print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])\n"
        "threads.one_thread = asked\n"
        f"sys.argv = ['litecheck', *{arguments!r}]\n"
        "threads.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (2, 64)
    assert done.stdout.splitlines()[0] == "False 1", done.stderr
