"""Wording of measures for layers: equalized pairs, corrected biases, and sensitivities."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.conversion.equalize import LayerPair
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.sensitivity import OperatorSensitivity
from litecheck.rendering.conversion.snr_wording import decibels
from litecheck.rendering.operator_names import operator_number
from litecheck.summary_text import count_of


def equalization_lines(record: ConversionRecord) -> list[str]:
    """Return the number of equalized pairs of layers, and for each pair the spread of channels or the reason it is
    unchanged."""
    if record.pairs is None:
        return []
    done = [pair for pair in record.pairs if not pair.left]
    left: dict[str, list[LayerPair]] = {}
    for pair in record.pairs:
        if pair.left:
            left.setdefault(pair.left, []).append(pair)
    lines = [f"{len(done):,} of {count_of(len(record.pairs), 'pair')} of layers"]
    lines += [f"{len(some):,} left, {why}: {', '.join(map(_pair, some))}" for why, some in left.items()]
    return lines + [
        f"{_pair(pair)}: {pair.rescaled}, exactly in float32; --no-equalize keeps it"
        if pair.rescaled
        else f"{_pair(pair)}: the largest channel was {pair.before:.3g} times the smallest, is {pair.after:.3g} times"
        for pair in sorted(done, key=lambda pair: -pair.before)
    ]


def correction_lines(record: ConversionRecord) -> list[str]:
    """Return the gain of bias correction, or a note that no bias was corrected."""
    found = record.correction
    if found is None:
        return []
    if not found.biases:
        return [f"none: the outputs' SNR of {decibels(found.before)} was best without"]
    gain = found.after - found.before
    text = f"outputs' SNR {decibels(found.before)} before, {decibels(found.after)} after ({gain:+.1f} dB)"
    return [f"{count_of(found.biases, 'bias', 'biases')}: {text}"]


#: The columns of sensitivities.
SENSITIVITY = (">SNR", ">operator", "kind", "name")


def sensitivity_title(found: Sequence[OperatorSensitivity]) -> str:
    """Return ``3 operators, each quantized alone: SNR of the lowest channel``."""
    return f"{count_of(len(found), 'operator')}, each quantized alone: SNR of the lowest channel"


def sensitive(one: OperatorSensitivity) -> tuple[str, str, str, str]:
    """Return the cells of an operator: SNR, number, kind and name."""
    return decibels(one.snr), operator_number(one.subgraph, one.operator), one.opcode, one.name


def _pair(pair: LayerPair) -> str:
    first, second = (operator_number(pair.subgraph, number) for number in (pair.first, pair.second))
    return f"{first} '{pair.names[0]}' and {second} '{pair.names[1]}'"
