"""The request of a conversion: kinds of conversion, operators that stay float32, types of inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from litecheck.conversion.formulas import Generation
from litecheck.conversion.recipe import (
    SMALL,
    OperatorScheme,
    OperatorSelector,
    QuantizationRecipe,
    RecipeRule,
)
from litecheck.errors import ConfigError
from litecheck.spelling import suggestion

#: Type that is quantized. Other types stay unchanged.
REAL = "float32"
#: Kinds of conversion: type of activations, and profile.
KINDS: Mapping[str, tuple[str, str]] = {
    "int8": ("int8", "litert-runtime"),
    "int16x8": ("int16", "litert-int16x8"),
    "uint8": ("uint8", "litert-uint8"),
    "dynamic": (REAL, "litert-hybrid"),
    "float16": (REAL, ""),
}
#: Kinds with float32 activations.
REAL_KINDS = tuple(to for to, (activation, _) in KINDS.items() if activation == REAL)


def check_kind(to: str) -> None:
    """Raise ConfigError for a word that is not in :data:`KINDS`."""
    if to not in KINDS:
        narrow = "; a recipe states weights of 4 bits (--recipe), and --to the activations"
        hint = narrow if to in ("int4", "uint4") else suggestion(to, KINDS, "there are")
        raise ConfigError(f"there is no conversion to {to!r}{hint}")


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a conversion.

    ``to`` is an entry of :data:`KINDS`. ``profile`` is a rule file in place of the default. ``keep`` selects operators
    that stay float32: by number (``#12``), opcode, or name of an output, with wildcards. ``inputs`` and ``outputs`` are
    the types of inputs and outputs that are float32 in the source.
    """

    to: str = "int8"
    profile: str = ""
    keep: tuple[str, ...] = ()
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"
    int16x8: tuple[str, ...] = ()
    """Operators, named as ``keep`` does, that compute with 16-bit activations among the others of 8 bits."""
    runtimes: tuple[str, ...] = ()
    """Runtimes whose known faults are avoided: operators that they compute wrongly stay float32."""
    ties: tuple[tuple[str, str], ...] = ()
    """Names of inputs and outputs of signatures that are one state, in pairs."""
    recipe: QuantizationRecipe | None = None
    """Rules for the operators, before those of ``int16x8`` and ``keep``."""
    budget_rules: tuple[RecipeRule, ...] = ()
    """Rules that a budget chose, between those of ``recipe`` and ``int16x8``."""
    only: tuple[tuple[int, int], ...] = ()
    """Operators that are quantized, by (subgraph, number), while all others stay float32. Empty for all operators."""

    @property
    def rules(self) -> tuple[RecipeRule, ...]:
        """Rules of the whole request, the last of which has priority. Options are short forms of rules.

        Example: ``to="int8", keep=("#3",)`` is a rule to int8 for all operators, and a rule to float32 for ``#3``.
        """
        unselected = f"{self.recipe.file} has no rule for it" if self.recipe else ""
        least = SMALL if self.to == "dynamic" else 0
        base = OperatorScheme(REAL) if self.recipe else OperatorScheme(self.to, min_elements=least)
        return (
            RecipeRule(base, because=unselected),
            *(self.recipe.rules if self.recipe else ()),
            *self.budget_rules,
            *(_option_rule("int16x8", "--int16x8", pattern) for pattern in self.int16x8),
            *(_option_rule(REAL, "--keep-float", pattern) for pattern in self.keep),
        )


def _option_rule(to: str, option: str, pattern: str) -> RecipeRule:
    return RecipeRule(OperatorScheme(to), OperatorSelector((pattern,)), f"{option} {pattern}")


def budget_rules(operators: Mapping[str, Iterable[int]], budget: str) -> tuple[RecipeRule, ...]:
    """Return the rules of a budget for its operators, by number, of each scheme.

    Example: ``{"float32": [3]}`` and ``snr=30`` give a rule to float32 for ``#3``, because "chosen by --budget snr=30".
    """
    by = f"--budget {budget}"
    return tuple(
        RecipeRule(OperatorScheme(to), OperatorSelector((f"#{number}",)), by, because=f"chosen by {by}")
        for to, numbers in operators.items()
        for number in sorted(numbers)
    )
