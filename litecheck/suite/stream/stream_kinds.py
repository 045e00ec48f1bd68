"""Kinds of streams: for requantization, and for each operator whose family of probes has a kind of stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from litecheck.cases.probes.elements import PRODUCTS, SUMS
from litecheck.errors import ConfigError
from litecheck.profile.operators import operator_names, traits_of
from litecheck.spelling import suggestion
from litecheck.suite.stream import element_streams, layer_streams
from litecheck.suite.stream.batch import VectorBatch

LEVELS = ("smoke", "standard", "exhaustive")
#: Name of the stream without an operator.
REQUANTIZE = "requantize"
#: (operator, generator, True to enumerate small domains completely) -> infinite batches.
Batches = Callable[[str, np.random.Generator, bool], Iterator[VectorBatch]]


@dataclass(frozen=True, slots=True)
class StreamKind:
    """A kind of stream.

    ``counts`` has the default number of vectors of each level; the first ``designed`` batches detect every mutant that
    the stream can detect. ``without`` are defects of fields that its lines do not have.
    """

    name: str
    batches: Batches
    counts: tuple[int, int, int]
    designed: int = 16
    without: frozenset[str] = frozenset()

    def count(self, level: str) -> int:
        """Return the number of vectors of a level."""
        return self.counts[LEVELS.index(level)]


_BIASES = frozenset(("no-bias", "bias-16", "bias-16-wraps", "bias-apart"))
_REQUANTIZE = StreamKind(
    REQUANTIZE, layer_streams.requantizations, (1 << 12, 1 << 17, 1 << 22), without=_BIASES
)
_DOT = StreamKind("dot", layer_streams.dots, (1 << 10, 1 << 13, 1 << 16))
_PAIRED = (1 << 12, 1 << 16, 1 << 22)


def _table(batches: Batches) -> StreamKind:
    return StreamKind("table", batches, (1 << 12, 1 << 14, 1 << 18))


#: Kinds by the families of probes in rules/operators.yaml.
KINDS: Mapping[str, StreamKind] = MappingProxyType(
    {
        "conv_2d": _DOT,
        "depthwise_conv_2d": _DOT,
        "fully_connected": _DOT,
        "transpose_conv": _DOT,
        "sums_of_two": StreamKind("elementwise", element_streams.sums, _PAIRED, len(SUMS)),
        "products_of_two": StreamKind("elementwise", element_streams.products, _PAIRED, len(PRODUCTS)),
        "rescaling": _table(element_streams.tables),
        "quantize": _table(element_streams.tables),
        "leaky_relu": _table(element_streams.leaky_relu),
        "elu": _table(element_streams.tables),
        "gelu": _table(element_streams.gelu),
        "logistic": _table(element_streams.logistic),
        "tanh": _table(element_streams.tanh),
        "softmax": StreamKind(
            "softmax", element_streams.shares, (1 << 10, 1 << 13, 1 << 16), element_streams.DESIGNED_ROWS
        ),
    }
)
#: Families that need a fused activation: an operator without an activation has different parameters from those in the
#: lines.
_FUSED = ("sums_of_two", "products_of_two")


def stream_names() -> tuple[str, ...]:
    """Return the names of all streams."""
    return (REQUANTIZE, *(name for name in operator_names() if _family(name)))


def _family(opcode: str) -> str:
    facts = traits_of(opcode)
    found = next((family for family in facts.probes if family in KINDS), "")
    return "" if found in _FUSED and not facts.fuses else found


def kind_of(name: str) -> tuple[StreamKind, str]:
    """Return the kind of a stream and its operator. Raise ConfigError for an unknown name."""
    if name == REQUANTIZE:
        first = next(opcode for opcode in operator_names() if traits_of(opcode).over == "window")
        return _REQUANTIZE, first
    family = _family(name)
    if not family:
        names = stream_names()
        hint = suggestion(name, names, "there are")
        raise ConfigError(f"there is no stream {name!r}{hint}")
    return KINDS[family], name
