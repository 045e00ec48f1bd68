"""``litecheck diagnose`` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.devices import registry
from litecheck.devices.function import FunctionDevice
from litecheck.model.save import save_model
from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.verification.inprocess import InProcess
from tests.verification.planted import two_operators

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the device by litecheck's own: ``--device optimized`` is litert-optimized."""
    monkeypatch.setattr(
        registry, "open_device", lambda text, limits=None: InProcess(f"litert-{text}", name=text)
    )


def test_the_arithmetic_is_named_and_written(run: Run) -> None:
    done = run(
        "diagnose", "--device", "optimized", "--select", "CONV_2D", "--select", "ADD", "-o", "acme.yaml"
    )
    assert done.exit_code == 0
    assert "requantize: double-half-up  litert-optimized" in done.stdout
    assert "not requantize: double: 'ties" in done.stdout
    assert done.stderr == "wrote acme.yaml\n"
    found = load_arithmetic(Path("acme.yaml"))
    assert found.name == "found-optimized"
    assert found.variants("ADD")["requantize"] == "vectors"


def test_no_arithmetic_is_written_if_no_operator_is_identified(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = FunctionDevice(lambda model, *inputs: 1 / 0)
    monkeypatch.setattr(registry, "open_device", lambda text, limits=None: failing)
    done = run("diagnose", "-d", "broken", "--select", "ADD", "--repeat", "0", "-o", "acme.yaml")
    assert done.exit_code == 2
    assert "acme.yaml is not written: no operator was identified" in done.stderr
    assert not Path("acme.yaml").exists()


def test_json_holds_every_exclusion(run: Run) -> None:
    done = run("diagnose", "-d", "xnnpack", "--select", "ADD", "-f", "json")
    document = json.loads(done.stdout)
    assert document["litecheck_diagnosis"] == 3
    (add,) = document["operators"]
    assert add["conclusion"] == "identified"
    assert add["fits"] == [
        {"stages": [["requantize", "21-bit"]], "defect": "", "published": ["litert-xnnpack"]}
    ]
    assert len(add["excluded"]) == 10
    assert document["exit_code"] == 0


def test_a_models_operators_are_tried(run: Run) -> None:
    save_model(two_operators(), "two.tflite")
    done = run("diagnose", "two.tflite", "-d", "reference")
    assert "with the operators of two.tflite" in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines() if " int8 " in line] == [
        "ADD", "LEAKY_RELU",
    ]  # fmt: skip


def test_errors_of_the_command_line(run: Run) -> None:
    done = run("diagnose", "-d", "reference", "--select", "CONV2D")
    assert done.exit_code == 64
    assert "there are no probes for 'CONV2D'" in done.stderr
    assert run("diagnose", "-d", "reference", "missing.tflite").exit_code == 2
