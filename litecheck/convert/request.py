"""What a conversion shall make: the kinds there are, what stays float32, the types of what goes in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litecheck.convert.formulas import Generation
from litecheck.errors import ConfigError
from litecheck.spelling import did_you_mean

#: What is quantized; everything else stays as it is.
REAL = "float32"
#: What can be made: the type of activations, and the profile that it keeps.
KINDS: Mapping[str, tuple[str, str]] = {
    "int8": ("int8", "litert-runtime"),
    "int16x8": ("int16", "litert-int16x8"),
    "uint8": ("uint8", "litert-uint8"),
    "dynamic": (REAL, "litert-hybrid"),
    "float16": (REAL, ""),
}
#: What leaves activations real.
REAL_KINDS = tuple(to for to, (activation, _) in KINDS.items() if activation == REAL)


def check_kind(to: str) -> None:
    """Raise ConfigError for a word that is none of :data:`KINDS`."""
    if to not in KINDS:
        hint = did_you_mean(to, KINDS) or f"; there are {', '.join(KINDS)}"
        raise ConfigError(f"there is no conversion to {to!r}{hint}")


@dataclass(frozen=True, slots=True)
class Request:
    """What a conversion shall make: ``to`` one of :data:`KINDS`; ``profile`` a rule file in place of the customary one;
    ``keep`` what stays float32: operators by number (``#12``), opcode, or the name of a result, with wildcards;
    ``inputs`` and ``outputs`` the types of what goes in and out, where these are float32 in the source."""

    to: str = "int8"
    profile: str = ""
    keep: tuple[str, ...] = ()
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"
    int16x8: tuple[str, ...] = ()
    """Operators, named as ``keep`` does, that compute with 16-bit activations among the others of 8 bits."""
    only: tuple[tuple[int, int], ...] = ()
    """Operators, by (subgraph, number), beside which all others stay float32; all are meant where there is none."""
