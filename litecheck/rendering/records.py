"""What compare and run have to report: their results, and what was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litecheck.quantizer.comparison import Comparison
    from litecheck.reference.engine.interpreter import Run
    from litecheck.reference.engine.statistics import Recorder


@dataclass(frozen=True, slots=True)
class ComparedTensors:
    """A comparison, and the names of both tensors as people gave them."""

    comparison: Comparison
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run of the reference, and what was asked for: file, arithmetic, sources of inputs, where arrays went."""

    file: str
    arithmetic: str
    signature: str | None
    sources: Mapping[str, str]
    target: str | None
    run: Run
    recorder: Recorder
