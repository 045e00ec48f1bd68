"""Which streams there are: one for requantization, and one for each operator whose family of probes has a kind of stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from litecheck.cases.probes.elements import PRODUCTS, SUMS
from litecheck.errors import ConfigError
from litecheck.profile.operators import facts_of, operator_names
from litecheck.spelling import did_you_mean
from litecheck.suite.stream import elements, layers
from litecheck.suite.stream.batch import VectorBatch

LEVELS = ("smoke", "standard", "exhaustive")
#: The stream that has no operator's name.
REQUANTIZE = "requantize"
#: (operator, generator, whether small domains are gone through as a whole) -> batches without end.
Batches = Callable[[str, np.random.Generator, bool], Iterator[VectorBatch]]


@dataclass(frozen=True, slots=True)
class StreamKind:
    """What streams of a kind are made of.

    ``counts`` are the vectors of each level where nobody says how many; in the first ``designed`` batches every mistake
    is met that the stream can tell. ``without`` are defects of what its lines do not have.
    """

    name: str
    batches: Batches
    counts: tuple[int, int, int]
    designed: int = 16
    without: frozenset[str] = frozenset()

    def count(self, level: str) -> int:
        """The vectors of a level."""
        return self.counts[LEVELS.index(level)]


_BIASES = frozenset(("no-bias", "bias-16", "bias-16-wraps", "bias-apart"))
_REQUANTIZE = StreamKind(REQUANTIZE, layers.requantizations, (1 << 12, 1 << 17, 1 << 22), without=_BIASES)
_DOT = StreamKind("dot", layers.dots, (1 << 10, 1 << 13, 1 << 16))
_PAIRED = (1 << 12, 1 << 16, 1 << 22)


def _table(batches: Batches) -> StreamKind:
    return StreamKind("table", batches, (1 << 12, 1 << 14, 1 << 18))


#: By the families of probes that rules/operators.yaml names.
KINDS: Mapping[str, StreamKind] = MappingProxyType(
    {
        "conv_2d": _DOT,
        "depthwise_conv_2d": _DOT,
        "fully_connected": _DOT,
        "transpose_conv": _DOT,
        "sums_of_two": StreamKind("elementwise", elements.sums, _PAIRED, len(SUMS)),
        "products_of_two": StreamKind("elementwise", elements.products, _PAIRED, len(PRODUCTS)),
        "rescaling": _table(elements.tables),
        "quantize": _table(elements.tables),
        "leaky_relu": _table(elements.leaky_relu),
        "elu": _table(elements.tables),
        "gelu": _table(elements.gelu),
        "logistic": _table(elements.logistic),
        "tanh": _table(elements.tanh),
        "softmax": StreamKind(
            "softmax", elements.shares, (1 << 10, 1 << 13, 1 << 16), elements.DESIGNED_ROWS
        ),
    }
)
#: What sums and products of two are fused with: one without has other parameters than its lines would name.
_FUSED = ("sums_of_two", "products_of_two")


def stream_names() -> tuple[str, ...]:
    """Every name a stream can be asked for by."""
    return (REQUANTIZE, *(name for name in operator_names() if _family(name)))


def _family(opcode: str) -> str:
    facts = facts_of(opcode)
    found = next((family for family in facts.probes if family in KINDS), "")
    return "" if found in _FUSED and not facts.fuses else found


def kind_of(name: str) -> tuple[StreamKind, str]:
    """The kind of a stream by its name, and the operator that computes it. Raises ConfigError for a name of none."""
    if name == REQUANTIZE:
        first = next(opcode for opcode in operator_names() if facts_of(opcode).over == "window")
        return _REQUANTIZE, first
    family = _family(name)
    if not family:
        names = stream_names()
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        raise ConfigError(f"there is no stream {name!r}{hint}")
    return KINDS[family], name
