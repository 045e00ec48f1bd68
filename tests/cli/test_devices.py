"""litecheck devices."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from typer.testing import Result

from litecheck.devices.registry import known_devices

Run = Callable[..., Result]


def test_every_kind_of_device_is_listed(run: Run) -> None:
    text = run("devices").stdout
    rows = json.loads(run("devices", "-f", "json").stdout)["devices"]
    for kind in known_devices():
        assert any(row["device"].startswith(kind) and row["summary"] for row in rows), kind
    assert all(row["device"] in text and row["summary"] in text for row in rows)


@pytest.mark.parametrize(
    "command",
    [
        "verify good.tflite",
        "diagnose",
        "suite run suite -o results",
        "trace float.tflite good.tflite --data random:1",
    ],
)
@pytest.mark.parametrize(
    ("device", "code"),
    [
        ("xnnpack", 64),
        ("litert:xnpack", 64),
        ("cpu", 64),
        ("tflm,size=1", 64),
        ("./absent.so", 2),
        ("recorded:absent", 2),
        ("command:./absent {model} {runs}", 2),
        ("command:python3 absent.py {model} {runs}", 2),
    ],
)
def test_a_wrong_device_is_a_wrong_command_and_a_missing_file_is_no_device(
    run: Run, command: str, device: str, code: int
) -> None:
    if command.startswith("suite"):
        assert (
            run("suite", "make", "-o", "suite", "--select", "TANH", "--level", "smoke", "-q").exit_code == 0
        )
    done = run(*command.split(), "--device", device)
    assert (done.exit_code, done.stdout) == (code, "")
    assert f"--device {device}: " in done.stderr
