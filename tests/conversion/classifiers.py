"""Classifiers whose last SOFTMAX or LOGISTIC hides a loss of the logits, and their samples."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model


def classifier(last: str = "SOFTMAX") -> Model:
    """Return a model of logits, four times its input, and their probabilities; without ``last``, of logits alone."""
    builder = ModelBuilder("classifier")
    main = builder.subgraph()
    x, logits = (main.tensor(name, (1, 8), "float32") for name in ("x", "logits"))
    main.add("FULLY_CONNECTED", [x, main.constant("weights", 4 * np.eye(8, dtype=np.float32)), -1], [logits])
    y = logits
    if last:
        y = main.tensor("probabilities", (1, 8), "float32")
        main.add(last, [logits], [y], **({"beta": 1.0} if last == "SOFTMAX" else {}))
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def narrow_and_wide(samples: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """Return samples of a calibration, and samples with lower logits of the wrong classes, which saturate."""
    generator = np.random.default_rng(5)
    top = np.eye(8)[generator.integers(8, size=samples)] * generator.uniform(1.5, 2, (samples, 1))
    others = -generator.uniform(0, 1, (samples, 8))
    return tuple(  # type: ignore[return-value]
        np.where(top > 0, top, width * others).astype(np.float32)[:, np.newaxis] for width in (1, 4)
    )
