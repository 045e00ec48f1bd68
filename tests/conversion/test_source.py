"""Convertible models, and errors for models that cannot be converted."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.detector import float_detector
from fixtures.models import conv_int8, hybrid
from litecheck.conversion.source import check_real
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.quantization import Blockwise, Quantization


def test_a_float_model_may_be() -> None:
    check_real(float_detector(), "int8")


def test_a_quantized_one_may_not() -> None:
    with pytest.raises(ConfigError, match=r"no operator computes in float32: it is quantized already"):
        check_real(conv_int8(), "int8")


def test_quantized_weights_are_named() -> None:
    with pytest.raises(ConfigError, match="FULLY_CONNECTED #0 'output' has int8 weights under float32"):
        check_real(hybrid(), "int8")


def test_blockwise_weights_are_quantized_already() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 64), "float32"), main.tensor("y", (1, 2), "float32")
    scales = main.constant("scales", np.full((2, 2), 0.25, np.float16))
    blocks = Quantization(details=Blockwise(scales, -1, 32))
    weights = main.constant("weights", np.ones((2, 64), np.int8), blocks, "int4")
    main.add("FULLY_CONNECTED", [x, weights], [y])
    main.inputs(x)
    main.outputs(y)
    with pytest.raises(ConfigError, match="FULLY_CONNECTED #0 'y' has int4 weights under float32"):
        check_real(builder.finish(), "int8")


def test_a_constant_that_is_no_number_is_named() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 2), "float32") for name in "xy")
    main.add("ADD", [x, main.constant("bad", np.array([1, np.nan], np.float32))], [y])
    main.inputs(x)
    main.outputs(y)
    with pytest.raises(ConfigError, match=r"constant 'bad' \(tensor 2\) holds a NaN"):
        check_real(builder.finish(), "int8")
