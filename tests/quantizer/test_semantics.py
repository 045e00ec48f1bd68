from __future__ import annotations

import subprocess
import sys

import pytest

from litecheck.errors import ConfigError
from litecheck.quantizer.semantics import semantics
from litecheck.quantizer.types import QuantizerError


@pytest.mark.parametrize(
    "name",
    [
        "litert",
        "litert:reference",
        "litert:optimized",
        "litert:xnnpack",
        "onnx:21",
        "onnx:10",
        "onnx-dynamic",
        "onednn",
    ],
)
def test_each_name_has_its_semantics(name: str) -> None:
    chosen = semantics(name)
    assert chosen.name.startswith(name.partition(":")[0])
    assert callable(chosen.quantize)
    assert callable(chosen.dequantize)


def test_onnx_alone_is_the_latest_version() -> None:
    assert semantics("onnx").name == "onnx:25"


@pytest.mark.parametrize(
    "name", ["", "tflite", "litert:", "onnx:", "onnx:x", "onnx-dynamic:11", "onednn:", "ONNX"]
)
def test_the_error_of_an_unknown_semantics_lists_the_semantics(name: str) -> None:
    with pytest.raises(ConfigError, match=r"litert\[:RESOLVER\], onnx"):
        semantics(name)


def test_the_error_of_an_unknown_resolver_lists_the_resolvers() -> None:
    with pytest.raises(
        QuantizerError, match="litert:tflm: resolver: is none of reference, optimized, xnnpack"
    ):
        semantics("litert:tflm")


def test_litert_imports_no_other_document() -> None:
    code = (
        "import sys; from litecheck.quantizer.semantics import semantics; semantics('litert');"
        "print([m for m in ('ml_dtypes', 'onnx', 'litecheck.quantizer.onnx') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
