"""Complete matches of two models: pairs of operators, of tensors, and operators without a partner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from litecheck.model.load import load_model
from litecheck.model.matching import match
from litecheck.model.types import Model
from tests.differential.planted_changes import PLANTERS, shuffled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: Float models with their quantized forms, by TensorFlow.
PAIRS = ("attention", "branches", "comparison", "lstm_unrolled", "mixed_concat", "residual", "transpose_conv")


def lines(title: str, first: Model, second: Model) -> Iterator[str]:
    """Yield the parts of a match."""
    for part in match(first, second).subgraphs:
        yield f"{title}: operators {dict(sorted(part.operators))}"
        yield f"  tensors {dict(sorted(part.tensors.items()))}"
        yield f"  absorbed {dict(sorted(part.absorbed.items()))}"
        yield f"  unmatched {part.unmatched}"


def found() -> Iterator[str]:
    """Yield the matches of pairs, and of a fixture with a planted change in a shuffled order."""
    for name in PAIRS:
        paths = [FIXTURES / "convert" / f"{name}{end}.tflite" for end in ("", "_int8")]
        if all(path.exists() for path in paths):
            yield from lines(name, *map(load_model, paths))
    model = load_model(FIXTURES / "float_detector.tflite")
    for kind, plant in PLANTERS.items():
        planted = plant(model, np.random.default_rng(3))
        if planted is not None:
            yield from lines(kind, model, shuffled(planted.model, np.random.default_rng(4)))


def test_whole_matches(golden: Callable[[str, str], None]) -> None:
    golden("matches.txt", "".join(f"{line}\n" for line in found()))
