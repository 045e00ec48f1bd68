"""Recipe files: YAML with file and line in every error, or the JSON of ai-edge-quantizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from litecheck.conversion.ai_edge_recipe import read_ai_edge_recipe
from litecheck.conversion.calibration.ranges import range_method
from litecheck.conversion.recipe import (
    BLOCK_SIZES,
    GPTQ,
    SMALL,
    OperatorScheme,
    OperatorSelector,
    QuantizationRecipe,
    RecipeRule,
)
from litecheck.errors import ConfigError, ProfileError
from litecheck.files import read_file
from litecheck.profile.rule_file import read_document
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, text, texts
from litecheck.spelling import suggestion

KINDS = ("int8", "int16x8", "dynamic", "weight-only", "float16", "float32")
WEIGHTS = ("int8", "int4")
GRANULARITIES = ("per-tensor", "per-axis", "blockwise")
_BLOCK_SIZES = tuple(map(str, BLOCK_SIZES))
WEIGHT_RANGES = ("minmax", "mse")
ALGORITHMS = ("nearest", GPTQ)
_SELECTORS = ("operator", "opcode", "name", "index", "depth")
_KEYS = (
    "to", *_SELECTORS, "weights", "granularity", "block_size", "weight_range", "algorithm", "calibrate", "min_elements",
)  # fmt: skip
#: Keys that a kind of rule does not take.
_WITHOUT: dict[str, tuple[str, ...]] = {
    "int8": ("min_elements",),
    "int16x8": ("min_elements",),
    "dynamic": ("calibrate",),
    "weight-only": ("calibrate",),
    "float16": ("weights", "granularity", "block_size", "weight_range", "algorithm", "calibrate"),
    "float32": (
        "weights",
        "granularity",
        "block_size",
        "weight_range",
        "algorithm",
        "calibrate",
        "min_elements",
    ),
}
_LARGEST = 1 << 31


def read_recipe(file: str) -> QuantizationRecipe:
    """Return the recipe of a file: ``.json`` as ai-edge-quantizer writes it, YAML otherwise.

    Raises ProfileError with the line of a problem in YAML, ConfigError with the number of the rule in JSON.
    """
    if file.lower().endswith(".json"):
        return QuantizationRecipe(file, read_ai_edge_recipe(read_file(file), file))
    top = read_document(Path(file), file, ("rules",), "recipe")
    listed = top.get("rules")
    if not isinstance(listed, SequenceNode) or not listed.values:
        raise ProfileError(file, top.line, "rules: expected a list of rules, at least one")
    return QuantizationRecipe(file, tuple(_rule(node) for node in listed))


def _rule(node: Node) -> RecipeRule:
    if not isinstance(node, MappingNode):
        raise ProfileError(node.file, node.line, "expected a rule: a mapping with the key 'to'")
    node.only(_KEYS)
    to = _word(node, "to", KINDS)
    if not to:
        raise ProfileError(node.file, node.line, f"a rule needs 'to': one of {', '.join(KINDS)}")
    for key in _WITHOUT[to]:
        if key in node:
            raise ProfileError(node.file, node.lines[key], f"a rule for {to} does not take {key!r}")
    least = _number(node, "min_elements", SMALL if to in ("dynamic", "weight-only") else 0)
    scheme = OperatorScheme(
        to,
        _word(node, "weights", WEIGHTS),
        _word(node, "granularity", GRANULARITIES),
        int(_word(node, "block_size", _BLOCK_SIZES) or 0),
        _word(node, "weight_range", WEIGHT_RANGES) or "minmax",
        least,
        _word(node, "algorithm", ALGORITHMS).removeprefix("nearest"),
    )
    _check_blocks(node, scheme)
    calibrate = _parse_value(node, "calibrate", lambda value: str(range_method(value)))
    return RecipeRule(scheme, _selector(node), f"{node.file}:{node.line}", calibrate)


def _selector(node: MappingNode) -> OperatorSelector:
    for key in _SELECTORS:
        if key in node and not all(texts(node.get(key))):
            raise ProfileError(node.file, node.lines[key], f"{key}: expected a value")
    return OperatorSelector(
        texts(node.get("operator")),
        texts(node.get("opcode")),
        texts(node.get("name")),
        numbers=tuple(_ranges(node, "index", 0)),
        depths=tuple(_ranges(node, "depth", -_LARGEST)),
    )


def _check_blocks(node: MappingNode, scheme: OperatorScheme) -> None:
    """Raise ProfileError for blocks without a size or with another type than int4, and for a size without blocks."""
    blockwise = scheme.granularity == "blockwise"
    if blockwise != bool(scheme.block_size):
        sizes = ", ".join(_BLOCK_SIZES)
        key = "granularity" if blockwise else "block_size"
        message = f"'granularity: blockwise' and 'block_size' ({sizes}) belong together"
        raise ProfileError(node.file, node.lines[key], message)
    if blockwise and (scheme.weights, scheme.to) != ("int4", "dynamic"):
        line = node.lines["granularity"]
        raise ProfileError(
            node.file, line, "LiteRT has blockwise kernels only for 'to: dynamic' with 'weights: int4'"
        )


def _word(node: MappingNode, key: str, known: tuple[str, ...]) -> str:
    """Return the word under a key, or "" if the key is absent."""
    word = text(node.get(key))
    if key in node and word not in known:
        hint = suggestion(word, known, "there are")
        raise ProfileError(node.file, node.lines[key], f"{key}: {word!r} is unknown{hint}")
    return word


def _parse_value(node: MappingNode, key: str, parse: Callable[[str], str]) -> str:
    if key not in node:
        return ""
    try:
        return parse(text(node.get(key)))
    except ConfigError as error:
        raise ProfileError(node.file, node.lines[key], str(error)) from None


def _number(node: MappingNode, key: str, default: int) -> int:
    word = text(node.get(key))
    if key not in node:
        return default
    if not (word.isascii() and word.isdigit() and int(word) < _LARGEST):
        raise ProfileError(node.file, node.lines[key], f"{key}: got {word!r}, expected a number of elements")
    return int(word)


def _ranges(node: MappingNode, key: str, least: int) -> Iterator[tuple[int, int]]:
    """Yield ranges with both ends. Example: ``[2, 5..7]`` gives (2, 2) and (5, 7)."""
    for word in texts(node.get(key)):
        first, dots, last = word.partition("..")
        try:
            low, high = int(first), int(last if dots else first)
        except ValueError:
            low, high = 0, least - 1
        if not least <= low <= high < _LARGEST:
            message = f"{key}: got {word!r}, expected numbers or ranges, as in 3 or 5..7"
            raise ProfileError(node.file, node.lines[key], message)
        yield low, high
