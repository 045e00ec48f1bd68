"""The same runtime behind different ports gives the same verdicts."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.devices.port import Limits
from litecheck.devices.registry import open_device
from litecheck.verification.device_run import verify
from litecheck.verification.result import Verdict, Verification
from litecheck.verification.settings import Settings
from tests.verification.networks import convolutional

#: Strict form: a single arithmetic for every device.
REFERENCE = ("litert-reference",)


pytestmark = [pytest.mark.runtime, pytest.mark.slow]

#: A vendor's own program: it uses LiteRT and .npy files, and not litecheck.
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from ai_edge_litert.interpreter import Interpreter
model, inputs, outputs = map(Path, sys.argv[1:])
interpreter = Interpreter(str(model), num_threads=1)
interpreter.allocate_tensors()
for n, detail in enumerate(interpreter.get_input_details()):
    raw = np.fromfile(inputs / f"input_{n}.bin", detail["dtype"])
    interpreter.set_tensor(detail["index"], raw.reshape(detail["shape"]))
interpreter.invoke()
for n, detail in enumerate(interpreter.get_output_details()):
    interpreter.get_tensor(detail["index"]).tofile(outputs / f"output_{n}.bin")
"""


@pytest.fixture(scope="module")
def xnnpack(tmp_path_factory: pytest.TempPathFactory) -> tuple[Verification, Path]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    folder = tmp_path_factory.mktemp("recorded")
    return verified("litert:xnnpack", Settings(REFERENCE, record=str(folder))), folder


def verified(device: str, settings: Settings | None = None) -> Verification:
    opened = open_device(device, Limits())
    try:
        return verify(convolutional(), opened, settings or Settings(REFERENCE))
    finally:
        opened.close()


def verdicts(report: Verification) -> list[Verdict]:
    return [replace(v, fault="") for v in report.verdicts]


def test_a_recording_gives_the_recorded_verdicts(xnnpack: tuple[Verification, Path]) -> None:
    report, folder = xnnpack
    assert report.verdict == "fails"
    again = verified(f"recorded:{folder}")
    assert verdicts(again) == verdicts(report)
    assert again.fits == report.fits
    assert "litert-xnnpack" in report.fits


def test_a_shell_script_gives_the_verdicts_of_its_runtime(
    xnnpack: tuple[Verification, Path], tmp_path: Path
) -> None:
    program, script = tmp_path / "infer.py", tmp_path / "run_on_board"
    program.write_text(PROGRAM)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$1" "$2" "$3"\n')
    script.chmod(0o755)
    settings = Settings(REFERENCE, select=("CONV_2D", "ADD", "SOFTMAX"), kinds=("propagated",), repeat=1)
    report = verified(f"command:{script} {{model}} {{inputs}} {{outputs}}", settings)
    direct = verified("litert:xnnpack", settings)
    assert verdicts(report) == verdicts(direct)


def test_cases_without_a_recording_are_not_checked(
    xnnpack: tuple[Verification, Path], tmp_path: Path
) -> None:
    report = verified(f"recorded:{tmp_path}")
    assert report.exit_code == 2
    assert {v.outcome.value for v in report.verdicts} == {"not recorded"}
