"""Words of measures for layers: pairs of layers, biases and sensitivities."""

from __future__ import annotations

import math
from types import SimpleNamespace as N

from litecheck.conversion.equalize import LayerPair
from litecheck.conversion.sensitivity import OperatorSensitivity
from litecheck.rendering.conversion import layer_wording as wording


def test_equalized_pairs() -> None:
    pairs = (
        LayerPair(0, 1, 2, ("a", "b"), "", 4.0, 1.5),
        LayerPair(0, 2, 3, ("b", "c"), "a branch"),
        LayerPair(1, 4, 5, ("d", "e"), "", 80.0, 2.0),
        LayerPair(0, 7, 8, ("f", "g"), "a branch"),
    )
    assert wording.equalization_lines(N(pairs=None)) == []  # type: ignore[arg-type]
    assert wording.equalization_lines(N(pairs=pairs)) == [  # type: ignore[arg-type]
        "2 of 4 pairs of layers",
        "2 left, a branch: #2 'b' and #3 'c', #7 'f' and #8 'g'",
        "1/#4 'd' and 1/#5 'e': the largest channel was 80 times the smallest, is 2 times",
        "#1 'a' and #2 'b': the largest channel was 4 times the smallest, is 1.5 times",
    ]


def test_corrected_biases() -> None:
    def told(biases: int, before: float, after: float) -> list[str]:
        return wording.correction_lines(N(correction=N(biases=biases, before=before, after=after)))  # type: ignore[arg-type]

    assert wording.correction_lines(N(correction=None)) == []  # type: ignore[arg-type]
    assert told(0, 30.0, 30.0) == ["none: the outputs' SNR of 30.0 dB was best without"]
    assert told(1, 30.0, 31.5) == ["1 bias: outputs' SNR 30.0 dB before, 31.5 dB after (+1.5 dB)"]
    assert told(2, 30.0, 29.0) == ["2 biases: outputs' SNR 30.0 dB before, 29.0 dB after (-1.0 dB)"]


def test_sensitivities() -> None:
    first, inner = (
        OperatorSensitivity(0, 3, "ADD", "a", 12.0),
        OperatorSensitivity(1, 4, "MUL", "b", math.inf),
    )
    assert wording.sensitivity_title([first]) == "1 operator, each quantized alone: SNR of the lowest channel"
    assert [wording.sensitive(one) for one in (first, inner)] == [
        ("12.0 dB", "#3", "ADD", "a"), ("exact", "1/#4", "MUL", "b"),
    ]  # fmt: skip
