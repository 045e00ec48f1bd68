"""ONNX's test cases of its quantizing operators only, because building the whole suite takes ten seconds."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import pytest

_SUITE = "onnx.backend.test.case.node"


@cache
def suite() -> tuple[Any, ...]:
    """Return the cases of QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear; importing a module builds its
    cases.
    """
    pytest.importorskip("onnx")
    for name in ("quantizelinear", "dequantizelinear", "dynamicquantizelinear"):
        import_module(f"{_SUITE}.{name}")
    return tuple(import_module(_SUITE)._NodeTestCases)
