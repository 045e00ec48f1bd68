"""Recipes: rules that choose the quantization of operators. The last rule that selects an operator applies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from litecheck.errors import ConfigError
from litecheck.model.graph import name_of
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.spelling import did_you_mean

#: Kinds of a recipe's rules, and the type of such an operator in reports and plans.
SCHEMES: Mapping[str, str] = {
    "int8": "int8", "int16x8": "int16", "uint8": "uint8", "dynamic": "hybrid", "weight-only": "weight-only",
    "float16": "float16", "float32": "float32",
}  # fmt: skip
#: Weights with fewer elements stay float32 if activations are float: the kernels gain nothing.
SMALL = 1024
#: Algorithm that chooses the integers of weights by second moments of the layer's inputs.
GPTQ = "gptq"
#: Sizes of blocks of weights that share a scale.
BLOCK_SIZES = (32, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class OperatorScheme:
    """The quantization of an operator.

    ``to`` is a key of :data:`SCHEMES`. ``weights`` is the type of 8-bit weights (``int8`` or ``int4``), and ``granularity``
    the granularity of their scales (``per-tensor``, ``per-axis`` or ``blockwise`` with ``block_size``). An empty value is
    the first that the operator's rule allows. ``algorithm`` is empty for rounding to the nearest, or ``gptq``.
    ``weight_range`` is ``minmax``, or ``mse`` for scales with the smallest squared error of the weights. Weights with
    fewer than ``min_elements`` elements stay float32.
    """

    to: str
    weights: str = ""
    granularity: str = ""
    block_size: int = 0
    weight_range: str = "minmax"
    min_elements: int = 0
    algorithm: str = ""


@dataclass(frozen=True, slots=True)
class OperatorSelector:
    """A selection of operators. An operator must match every part that is not empty.

    ``patterns`` match as ``--keep-float``: number, opcode or name. ``opcodes`` and ``names`` of outputs have wildcards.
    ``search`` is a regular expression that is found in the joined names of the outputs. ``numbers`` and ``depths`` are
    ranges with both ends; negative depths count from the end.
    """

    patterns: tuple[str, ...] = ()
    opcodes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    search: str = ""
    numbers: tuple[tuple[int, int], ...] = ()
    depths: tuple[tuple[int, int], ...] = ()

    def selects(self, subgraph: Subgraph, operator: Operator, depths: tuple[int, int]) -> bool:
        """Return True if an operator is selected. ``depths`` is its depth from the start and from the end."""
        kinds, outputs = (operator.kind, operator.opcode), _output_names(subgraph, operator)
        words = (*kinds, name_of(subgraph, operator), f"#{operator.index}")
        return (
            _any_matches(self.patterns, words)
            and _any_matches(self.opcodes, kinds)
            and _any_matches(self.names, outputs)
            and (
                not self.search or re.search(self.search, "".join(f"{name};" for name in outputs)) is not None
            )
            and _any_contains(self.numbers, (operator.index,))
            and _any_contains(self.depths, depths)
        )


@dataclass(frozen=True, slots=True)
class RecipeRule:
    """A scheme for the selected operators. ``place`` is the file and line or the option that states the rule.

    ``calibrate`` is the method that chooses the ranges of the operators' outputs, or empty. An ``optional`` rule may select
    no operator. ``because`` is a reason for float32 beside the place.
    """

    scheme: OperatorScheme
    selector: OperatorSelector = field(default_factory=OperatorSelector)
    place: str = ""
    calibrate: str = ""
    optional: bool = False
    because: str = ""

    @property
    def reason(self) -> str:
        """Reason why an operator stays float32 by this rule."""
        return self.because or f"kept by {self.place}"


@dataclass(frozen=True, slots=True)
class QuantizationRecipe:
    """The rules of a recipe file, in order. Operators that no rule selects stay float32."""

    file: str
    rules: tuple[RecipeRule, ...]

    @property
    def to(self) -> str:
        """Kind of conversion with the same type of activations: the first of int8, int16x8 and dynamic that rules have."""
        kinds = {rule.scheme.to for rule in self.rules}
        return next((to for to in ("int8", "int16x8") if to in kinds), "dynamic")

    @property
    def needs_moments(self) -> bool:
        """True if a rule chooses weights by second moments, which need data."""
        return any(rule.scheme.algorithm == GPTQ for rule in self.rules)


def rules_by_operator(
    model: Model, rules: tuple[RecipeRule, ...]
) -> Mapping[tuple[int, int], tuple[RecipeRule, ...]]:
    """Return the rules that select each operator by (subgraph, number), the last rule first.

    Raises ConfigError for a rule that selects no operator and is not optional.
    """
    found: dict[tuple[int, int], tuple[RecipeRule, ...]] = {}
    used: set[int] = set()
    for subgraph in model.subgraphs:
        depths = operator_depths(subgraph)
        end = max(depths, default=0) + 1
        for operator, depth in zip(subgraph.operators, depths, strict=True):
            numbers = [
                n for n, r in enumerate(rules) if r.selector.selects(subgraph, operator, (depth, depth - end))
            ]
            used.update(numbers)
            found[subgraph.index, operator.index] = tuple(rules[n] for n in reversed(numbers))
    for number, rule in enumerate(rules):
        if number not in used and not rule.optional and rule.selector != OperatorSelector():
            hint = _hint(model, rule.selector)
            raise ConfigError(f"{rule.place}: no operator has this {_selection_words(rule.selector)}{hint}")
    return found


def operator_depths(subgraph: Subgraph) -> tuple[int, ...]:
    """Return the number of operators on the longest path from an input to each operator. Example: a chain has (0, 1, 2)."""
    written: dict[int, int] = {}
    depths = []
    for operator in subgraph.operators:
        depth = max((written.get(index, -1) for index in operator.inputs), default=-1) + 1
        written.update(dict.fromkeys(operator.outputs, depth))
        depths.append(depth)
    return tuple(depths)


def _selection_words(selector: OperatorSelector) -> str:
    if selector.patterns:
        return "number, opcode or name"
    parts = {
        "opcode": selector.opcodes, "name": selector.names or selector.search, "number": selector.numbers,
        "depth": selector.depths,
    }  # fmt: skip
    return " and ".join(part for part, stated in parts.items() if stated)


def _hint(model: Model, selector: OperatorSelector) -> str:
    """Return the numbers that exist, or a similar opcode or name. Example: ``; there are #0 to #15``."""
    named = (*selector.patterns, *selector.opcodes, *selector.names)
    numbers = selector.numbers or any(p.removeprefix("#").isdecimal() for p in selector.patterns)
    operators = [(subgraph, op) for subgraph in model.subgraphs for op in subgraph.operators]
    last = max((op.index for _, op in operators), default=-1)
    if numbered := next((p for p in selector.patterns if p.isdecimal() and int(p) <= last), ""):
        return f"; did you mean '#{numbered}'?"
    if numbers and operators:
        return f"; there are #0 to #{last}"
    names = [name for subgraph, op in operators for name in (op.opcode, *_output_names(subgraph, op))]
    return next(filter(None, (did_you_mean(name, names) for name in named if name not in names)), "")


def _output_names(subgraph: Subgraph, operator: Operator) -> tuple[str, ...]:
    indexes = [i for i in operator.outputs if i >= 0] or [i for i in operator.inputs if i >= 0]
    return tuple(subgraph.tensors[index].name for index in indexes)


def _any_matches(patterns: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(word, pattern) for pattern in patterns for word in words)


def _any_contains(ranges: tuple[tuple[int, int], ...], values: tuple[int, ...]) -> bool:
    return not ranges or any(low <= value <= high for low, high in ranges for value in values)
