"""Test case of a suite in memory: a one-operator model with inputs, or an invalid model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from litecheck.arrays import Arrays
from litecheck.model.types import Model

#: Levels of suites; each includes the cases of the levels before it.
LEVELS = ("smoke", "standard", "exhaustive")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteCase:
    """A test case: a one-operator model and its inputs, or an invalid model that a device must reject.

    ``name`` is unique in a suite and a valid folder name (``CONV_2D/int8/ties``). ``kind`` is the activations' type;
    ``granularity`` that of the weights (``per-axis``, ``per-tensor``), empty without weights. ``level`` is the lowest
    level with this case. ``runs`` are stored values in the order of the model's inputs; ``lengths`` divides them into
    series of inferences with state. ``broken`` is the path of the requirement that an invalid model violates,
    ``effect`` the impact that the rule states. ``expected`` are the outputs of each run under
    :data:`litecheck.suite.stimuli.ARITHMETIC`, if they are known. ``factors`` are the values of a geometric design.
    """

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    level: str
    model: Model
    runs: Sequence[Arrays] = ()
    lengths: tuple[int, ...] = ()
    broken: str = ""
    effect: str = ""
    expected: Sequence[Arrays] = ()
    factors: Mapping[str, str] = field(default_factory=dict)
