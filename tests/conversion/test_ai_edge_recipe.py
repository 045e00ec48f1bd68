"""Recipes of ai-edge-quantizer: their schemes, their order, and errors with the number of the rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from litecheck.conversion.ai_edge_recipe import read_ai_edge_recipe
from litecheck.conversion.recipe import OperatorScheme
from litecheck.errors import ConfigError


def tensor(bits: int, granularity: str = "CHANNELWISE") -> dict[str, Any]:
    return {"num_bits": bits, "symmetric": True, "granularity": granularity, "dtype": "INT"}


def rule(
    operation: str = "*", regex: str = ".*", algorithm: str = "min_max_uniform_quantize", **config: Any
) -> dict[str, Any]:
    return {"regex": regex, "operation": operation, "algorithm_key": algorithm, "op_config": config}


def weights(bits: int, precision: str = "INTEGER", granularity: str = "CHANNELWISE", **more: Any) -> Any:
    return {"weight_tensor_config": tensor(bits, granularity), "compute_precision": precision, **more}


@pytest.mark.parametrize(
    ("values", "scheme"),
    [
        (rule(**weights(8)), OperatorScheme("dynamic", "int8", "per-axis")),
        (rule(**weights(4, "FLOAT")), OperatorScheme("weight-only", "int4", "per-axis")),
        (rule(**weights(4, granularity="BLOCKWISE_64")), OperatorScheme("dynamic", "int4", "blockwise", 64)),
        (rule(**weights(8, granularity="TENSORWISE")), OperatorScheme("dynamic", "int8", "per-tensor")),
        (rule(algorithm="MSE", **weights(4)), OperatorScheme("dynamic", "int4", "per-axis", 0, "mse")),
        (rule(**weights(8, min_weight_elements=9)), OperatorScheme("dynamic", "int8", "per-axis", 0, "minmax", 9)),
        (rule(activation_tensor_config=tensor(8), **weights(8)), OperatorScheme("int8", "int8", "per-axis")),
        (rule(activation_tensor_config=tensor(16), **weights(4)), OperatorScheme("int16x8", "int4", "per-axis")),
        (rule(algorithm="float_casting"), OperatorScheme("float16")),
        (rule(algorithm="no_quantize"), OperatorScheme("float32")),
    ],
)  # fmt: skip
def test_schemes(values: dict[str, Any], scheme: OperatorScheme) -> None:
    (found,) = read_ai_edge_recipe(json.dumps([values]), "r.json")
    assert found.scheme == scheme
    assert found.optional


def test_rules_of_one_expression_are_consecutive() -> None:
    listed = [
        rule(regex="a", **weights(8)),
        rule("ADD", **weights(8)),
        rule("CONV_2D", regex="a", algorithm="no_quantize"),
        rule("ADD", **weights(4)),
        rule("OUTPUT", **weights(8)),
        rule("CONV_2D_TRANSPOSE", regex="b", **weights(8)),
    ]
    found = read_ai_edge_recipe(json.dumps(listed), "r.json")
    assert [(r.selector.search, r.selector.opcodes, r.scheme.to, r.scheme.weights) for r in found] == [
        ("a", (), "dynamic", "int8"),
        ("a", ("CONV_2D",), "float32", ""),
        ("", ("ADD",), "dynamic", "int4"),
        ("b", ("TRANSPOSE_CONV",), "dynamic", "int8"),
    ]
    again = read_ai_edge_recipe(json.dumps([*listed, rule(regex="a", algorithm="no_quantize")]), "r.json")
    assert [r.scheme.to for r in again] == ["float32", "dynamic", "dynamic"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "rule 2: regex: expected text"),
        ([], "rule 2: rule: expected an object"),
        (rule(regex="(", **weights(8)), r"rule 2: regex '\(': "),
        (rule(regex="(a+)+b", **weights(8)), "a repeated group is not supported"),
        (rule(algorithm="GPTQ", **weights(8)), "rule 2: algorithm 'GPTQ' is not supported"),
        (rule(**weights(2)), "rule 2: num_bits: got 2, expected integers of 4 or 8 bits"),
        (rule(**weights(8, granularity="BLOCKWISE_8")), "granularity 'BLOCKWISE_8' is unknown"),
        (rule(**weights(8, granularity=3)), "granularity 3 is unknown"),
        (rule(**weights(8, min_weight_elements="x")), "min_weight_elements: got 'x'"),
        (rule(), "weight_tensor_config: expected an object"),
    ],
)
def test_errors(values: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^r.json: {message}" if message.startswith("rule") else message):
        read_ai_edge_recipe(json.dumps([rule(**weights(8)), values]), "r.json")
