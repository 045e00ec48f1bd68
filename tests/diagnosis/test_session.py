"""A complete diagnosis in a single call, on any device that verify accepts."""

from __future__ import annotations

from typing import Any

import litecheck
from litecheck.arrays import Array


def device(model: bytes, *inputs: Array) -> Any:
    return litecheck.run(litecheck.load_model(model), inputs, arithmetic="litert-xnnpack").outputs


def test_a_function_is_diagnosed() -> None:
    found = litecheck.diagnose(device, select=["RELU"], repeat=0, build="7")
    assert [(group.opcode, bool(group.fits)) for group in found.operators] == [("RELU", True)]
    assert (found.exit_code, found.device, found.build) == (0, "python:device", "7")
    assert found.host
    assert found.started
