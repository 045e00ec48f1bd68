"""A case of a suite before there is any file: a model of one operator with the inputs that decide, or one to be refused."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.arrays import Arrays
from litecheck.model.types import Model

#: Each holds what those before it hold.
LEVELS = ("smoke", "standard", "exhaustive")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteCase:
    """One thing a device is asked: a model of one operator and its inputs, or a model it must refuse.

    ``name`` is unique in a suite and fit for a folder (``CONV_2D/int8/ties``). ``kind`` is the activations' type;
    ``granularity`` that of the weights (``per-axis``, ``per-tensor``), empty where there are none. ``level`` is the
    lowest that has it. ``runs`` are stored values in the order of the model's inputs; where ``lengths`` are given they
    are series of so many inferences, and state is handed on within each. ``broken`` is the path of the one requirement
    that a model breaks which must be refused, ``effect`` what the rule says becomes of it. ``expected`` are the outputs of
    each run under :data:`litecheck.suite.feeds.ARITHMETIC`, where they are known already.
    """

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    level: str
    model: Model
    runs: tuple[Arrays, ...] = ()
    lengths: tuple[int, ...] = ()
    broken: str = ""
    effect: str = ""
    expected: tuple[Arrays, ...] = ()
