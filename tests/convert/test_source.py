"""What may be converted, and what is said of what may not."""

from __future__ import annotations

import pytest

from fixtures.detector import float_detector
from fixtures.models import conv_int8, hybrid
from litecheck.convert.source import check_real
from litecheck.errors import ConfigError


def test_a_float_model_may_be() -> None:
    check_real(float_detector(), "int8")


def test_a_quantized_one_may_not() -> None:
    with pytest.raises(ConfigError, match=r"no operator computes in float32: it is quantized already"):
        check_real(conv_int8(), "int8")


def test_quantized_weights_are_named() -> None:
    with pytest.raises(ConfigError, match="FULLY_CONNECTED #0 'output' has int8 weights under float32"):
        check_real(hybrid(), "int8")
