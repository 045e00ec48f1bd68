"""ONNX's own cases of its quantizing operators: those alone, because the whole suite takes ten seconds to be made."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import pytest

_SUITE = "onnx.backend.test.case.node"


@cache
def suite() -> tuple[Any, ...]:
    """The cases of QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear; a module makes its own as it is loaded."""
    pytest.importorskip("onnx")
    for name in ("quantizelinear", "dequantizelinear", "dynamicquantizelinear"):
        import_module(f"{_SUITE}.{name}")
    return tuple(import_module(_SUITE)._NodeTestCases)
