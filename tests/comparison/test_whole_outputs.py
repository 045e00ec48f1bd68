"""Outputs of a wrong type or shape, described by the type or shape that they resemble."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.comparison.whole_outputs import similarity
from litecheck.comparison.wording import likeness_sentence
from litecheck.devices.isolated_device import IsolatedDevice
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job, Limits
from litecheck.devices.process import WorkerSetup
from litecheck.errors import ConfigError
from litecheck.model.build import qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Tensor
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional

PLAIN = Tensor(0, "y", "int8", (2, 3))
SCALED = replace(PLAIN, quantization=qparams(0.5))
REAL = np.array([[0.5, -1, 2], [3, 0, 100]], np.float32)
WANTED = np.zeros((2, 3), np.int8)


@pytest.mark.parametrize(
    ("tensor", "given", "wanted", "words"),
    [
        (SCALED, REAL.reshape(-1).view(np.int8), WANTED, "the bytes have the size of float32 values"),
        (PLAIN, REAL, WANTED, "integers that have no scale"),
        (replace(PLAIN, dtype="float32"), WANTED, REAL, "got stored integers, expected real values"),
        (SCALED, WANTED.T, WANTED, "the same number of elements in a different shape"),
        (SCALED, WANTED.view(np.uint8), WANTED, "the bytes have the size of type int8"),
        (SCALED, np.full(24, -1, np.int8), WANTED, ""),  # as float32 these were NaN
        (SCALED, np.zeros(7, np.int8), WANTED, ""),
        (SCALED, np.zeros((2, 3), np.int32), WANTED, ""),
    ],
)
def test_each_has_its_words(tensor: Tensor, given: np.ndarray, wanted: np.ndarray, words: str) -> None:
    guess = similarity(tensor, given, wanted)
    told = likeness_sentence(guess, str(wanted.dtype)) if guess else ""
    assert words in told
    assert bool(told) == bool(words)


def test_outputs_that_are_float32_bytes_are_recognized() -> None:
    def reals(job: Job, number: int, outputs):
        return tuple(o.astype(np.float32).reshape(-1).view(o.dtype) for o in outputs)

    report = verify(
        convolutional(), InProcess(change=reals), Settings(kinds=("random",), select=("CONV_2D",))
    )
    (verdict,) = report.verdicts
    assert verdict.outcome is Outcome.WRONG_SHAPE
    assert "it should be int8 of shape" in verdict.message
    assert (
        "the bytes have the size of float32 values; raw bytes are read in the tensor's type"
        in verdict.message
    )


def convolutional_job() -> Job:
    model = convolutional()
    return Job("0000-CONV_2D", model, model_bytes(model), ((WANTED,),))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_full_disk_of_the_host_is_no_failure_of_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    device = IsolatedDevice(
        "full", "full", WorkerSetup("tests.verification.overflowing:Adapter", {}, {}), Limits(30, 1 << 29)
    )
    with pytest.raises(ConfigError, match=rf"{tmp_path}: cannot be written, the disk is full"):
        device.run(convolutional_job())
    device.close()
