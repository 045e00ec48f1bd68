"""Standard streams that are closed, full, without a reader, or without a model."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.kinds.models import content
from tests.fuzz.hostile.mangle import text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.seeds import FIXTURES


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile stdin, stdout or stderr."""
    data = text(rng, content(rng)[1]) if rng.random() < 0.5 else content(rng)[1]
    model = rng.choice(
        (
            "-",
            "-",
            str(FIXTURES / "broken_bias_int8.tflite"),
            str(FIXTURES / "fc_int8.tflite"),
            "missing.tflite",
        )
    )
    form = rng.choice(("text", "json", "html", "github"))
    argv, writes = rng.choice(
        (
            (["validate", model, "-f", form], []),
            (["inspect", model], []),
            (["run", model, "--seed", "0", "-o", "o.npz"], ["o.npz"]),
            (["explain", "-"], []),
            (["suite", "judge", "--stream-results", "-"], []),
            (["rules"], []),
            (["--help"], []),
            (["--version"], []),
            (["verify", model, "-d", "litert:reference", "--set", "inputs=random", "--budget", "3"], []),
            (["nonsense"], []),
            (["suite", "make", "--stream", "TANH"], []),
            (["suite", "judge", str(stock / "suite"), str(stock / "results"), "-f", "json"], []),
        )
    )
    stdout: Any = rng.choices(("file", "full", "broken pipe", "closed"), (3, 2, 2, 2))[0]
    closed = rng.random() < 0.35
    title = f"{' '.join(argv[:2])[:40]}: stdout {stdout}{', stderr closed' if closed else ''}"
    return Case(
        title, tuple(argv), tuple(writes), alone=True, stdin=data, stdout=stdout, closed_stderr=closed
    )
