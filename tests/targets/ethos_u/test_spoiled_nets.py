"""Operators with missing or repeated operands in a net are placed or have findings, without an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.types import Model, Operator
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model
from tests.differential.vela_nets import drawn_nets

Spoiler = Callable[[Operator, np.random.Generator, int], Operator]


def _shortened(indexes: tuple[int, ...], dice: np.random.Generator) -> tuple[int, ...]:
    return indexes[: int(dice.integers(0, len(indexes) + 1))]


def _holed(indexes: tuple[int, ...], dice: np.random.Generator) -> tuple[int, ...]:
    return tuple(-1 if dice.random() < 0.5 else i for i in indexes)


def _drawn(indexes: tuple[int, ...], dice: np.random.Generator, count: int) -> tuple[int, ...]:
    return tuple(int(dice.integers(0, count)) if dice.random() < 0.5 else i for i in indexes)


SPOILERS: dict[str, Spoiler] = {
    "fewer inputs": lambda op, dice, n: replace(op, inputs=_shortened(op.inputs, dice)),
    "fewer outputs": lambda op, dice, n: replace(op, outputs=_shortened(op.outputs, dice)),
    "absent inputs": lambda op, dice, n: replace(op, inputs=_holed(op.inputs, dice)),
    "absent outputs": lambda op, dice, n: replace(op, outputs=_holed(op.outputs, dice)),
    "other inputs": lambda op, dice, n: replace(op, inputs=_drawn(op.inputs, dice, n)),
    "other outputs": lambda op, dice, n: replace(op, outputs=_drawn(op.outputs, dice, n)),
    "no options": lambda op, dice, n: replace(op, options=None),
    "another kind": lambda op, dice, n: replace(
        op, opcode=str(dice.choice(["RESHAPE", "CONCATENATION", "PAD", "PACK", "SPLIT", "CONV_2D", "UNPACK"]))
    ),
}


def spoiled(spoil: Spoiler, nets: int) -> Iterator[Model]:
    for seed, net in enumerate(drawn_nets(5, nets)):
        model = net.model()
        dice, (main,) = np.random.default_rng(seed), model.subgraphs
        operators = tuple(
            spoil(op, dice, len(main.tensors)) if dice.random() < 0.5 else op for op in main.operators
        )
        yield replace(model, subgraphs=(replace(main, operators=operators),))


@pytest.mark.parametrize("target", ["ethos-u55", "artpec-9"])
@pytest.mark.parametrize("how", SPOILERS)
def test_a_spoiled_operator_is_placed(target: str, how: str) -> None:
    profile, count = load_profile(target), 0
    for model in spoiled(SPOILERS[how], 60):
        report, _ = place_model(model, profile)
        count += len(report.operators)
    assert count > 120
