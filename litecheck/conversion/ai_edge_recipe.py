"""Recipes of ai-edge-quantizer: its JSON as rules. A rule of the same expression replaces or joins an earlier rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litecheck.conversion.recipe import BLOCK_SIZES, OperatorScheme, OperatorSelector, RecipeRule
from litecheck.documents import decode_json
from litecheck.errors import ConfigError

#: Algorithms, and the choice of weight scales that they mean; None for algorithms without integers.
_ALGORITHMS: Mapping[str, str | None] = {
    "min_max_uniform_quantize": "minmax", "MSE": "mse", "float_casting": None, "no_quantize": None,
}  # fmt: skip
_GRANULARITIES = {"TENSORWISE": "per-tensor", "CHANNELWISE": "per-axis"}
_BLOCKWISE = "BLOCKWISE_"
_ANY = "*"
#: Operations with another name than their opcode.
_OPCODES = {"CONV_2D_TRANSPOSE": "TRANSPOSE_CONV", "CUSTOM_OP": "CUSTOM"}
#: Operations that represent the inputs and outputs of the model, whose types are options of ``convert``.
_ENDS = ("INPUT", "OUTPUT")
#: A repeated group, whose search can take exponential time.
_REPEATED_GROUP = re.compile(r"(?<!\\)\)[*+{]")


def read_ai_edge_recipe(content: bytes | str, file: str) -> tuple[RecipeRule, ...]:
    """Return the rules of a recipe, the last of which has priority. Raises ConfigError with the number of the rule.

    As in ai-edge-quantizer, rules with one regular expression stand together at the place of the first, a rule for all
    operations replaces them, and a rule for an operation replaces an earlier rule for it.
    """
    listed = decode_json(content, file)
    if isinstance(listed, dict) and "litecheck_plan" in listed:
        raise ConfigError(f"{file}: got a conversion plan, expected a recipe. Next step: --plan {file}")
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"{file}: expected a list of rules, at least one")
    groups: dict[str, dict[str, RecipeRule]] = {}
    for number, values in enumerate(listed):
        reader = _RuleReader(f"{file}: rule {number + 1}", values)
        search, operation = reader.expression(), reader.text(reader.values, "operation")
        if operation in _ENDS:
            continue
        group = groups.setdefault(search, {})
        if operation == _ANY:
            group.clear()
        opcodes = () if operation == _ANY else (_OPCODES.get(operation, operation),)
        selector = OperatorSelector(opcodes=opcodes, search=search)
        group[operation] = RecipeRule(reader.scheme(), selector, reader.place, optional=True)
    return tuple(rule for group in groups.values() for rule in group.values())


@dataclass(frozen=True, slots=True)
class _RuleReader:
    """Reader of a rule. Errors name its place."""

    place: str
    values: Any

    def error(self, message: str) -> ConfigError:
        return ConfigError(f"{self.place}: {message}")

    def object(self, values: Any, key: str) -> Mapping[str, Any]:
        if not isinstance(values, dict):
            raise self.error(f"{key}: expected an object")
        return values

    def text(self, values: Any, key: str) -> str:
        found = self.object(values, "rule").get(key)
        if not isinstance(found, str):
            raise self.error(f"{key}: expected text")
        return found

    def expression(self) -> str:
        """Return the regular expression of the rule, "" if it matches everything."""
        search = self.text(self.values, "regex")
        if _REPEATED_GROUP.search(search):
            raise self.error(f"regex {search!r}: a repeated group is not supported")
        try:
            re.compile(search)
        except re.error as error:
            raise self.error(f"regex {search!r}: {error}") from None
        return "" if search == ".*" else search

    def scheme(self) -> OperatorScheme:
        algorithm = self.text(self.values, "algorithm_key")
        if algorithm not in _ALGORITHMS:
            known = ", ".join(_ALGORITHMS)
            raise self.error(f"algorithm {algorithm!r} is not supported; supported: {known}")
        if algorithm == "no_quantize":
            return OperatorScheme("float32")
        if algorithm == "float_casting":
            return OperatorScheme("float16")
        config = self.object(self.values.get("op_config"), "op_config")
        weights = self.object(config.get("weight_tensor_config"), "weight_tensor_config")
        bits = self.bits(weights, (4, 8))
        granularity = weights.get("granularity", "TENSORWISE")
        block = self.block_size(granularity)
        least = config.get("min_weight_elements", 0)
        if type(least) is not int or least < 0:
            raise self.error(f"min_weight_elements: got {least!r}, expected a number of elements")
        word = "blockwise" if block else _GRANULARITIES[granularity]
        to = self.kind(config)
        return OperatorScheme(to, f"int{bits}", word, block, _ALGORITHMS[algorithm] or "minmax", least)

    def kind(self, config: Mapping[str, Any]) -> str:
        """Return the kind of quantization: by the activations, else by the type in which the operator computes."""
        activations = config.get("activation_tensor_config")
        if activations is not None:
            bits = self.bits(self.object(activations, "activation_tensor_config"), (8, 16))
            return "int8" if bits == 8 else "int16x8"
        return "dynamic" if config.get("compute_precision") == "INTEGER" else "weight-only"

    def bits(self, config: Mapping[str, Any], known: tuple[int, int]) -> int:
        bits = config.get("num_bits")
        if config.get("dtype", "INT") != "INT" or bits not in known or type(bits) is not int:
            raise self.error(f"num_bits: got {bits!r}, expected integers of {known[0]} or {known[1]} bits")
        return bits

    def block_size(self, granularity: Any) -> int:
        """Return the size of the blocks that a granularity states, 0 for other granularities."""
        if granularity in _GRANULARITIES:
            return 0
        size = str(granularity).removeprefix(_BLOCKWISE)
        if size not in map(str, BLOCK_SIZES) or not str(granularity).startswith(_BLOCKWISE):
            known = ", ".join((*_GRANULARITIES, *(f"{_BLOCKWISE}{n}" for n in BLOCK_SIZES)))
            raise self.error(f"granularity {granularity!r} is unknown; there are {known}")
        return int(size)
