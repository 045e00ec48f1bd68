"""Unusual changes of a random operator's tensors: a different type, no quantization, odd scales, different ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from litecheck.model.build import qparams
from litecheck.profile.operator_plan import TensorPlan
from litecheck.quantization import Quantization
from tests.differential.vela_models import FAMILIES, TYPES, Dice, Drawn

_SCALES = (0.0, -0.5, 1e-40, 1e-12, 2.0**31, 2.0**32, 2.0**33, 1e30, float("inf"), float("nan"))
_TYPES = (*TYPES, "int4", "uint16", "uint32", "float16")
Change = Callable[[Dice, TensorPlan], TensorPlan]
#: Probability that no further change is made.
_PLAIN = 0.6


def _typed(dice: Dice, t: TensorPlan) -> TensorPlan:
    dtype = dice.pick(*_TYPES)
    values = None if t.values is None else dice.values(t.shape, dtype)
    if (
        t.values is not None
        and dtype in ("int32", "int64", "int16", "uint32", "uint16")
        and t.values.dtype.kind == "i"
    ):
        values = t.values.astype(dtype)
    return t.but(dtype=dtype, values=values)


def _quantized(dice: Dice, t: TensorPlan) -> TensorPlan:
    zero = t.zero_point[:1].tolist() or [0]
    axis = dice.number(0, max(len(t.shape) - 1, 0))
    return dice.pick(
        t.but(quantization=Quantization()),
        t.but(quantization=qparams(dice.pick(*_SCALES), zero[0])),
        t.but(quantization=qparams(dice.scale(), dice.pick(-129, -1, 1, 128, 255, 256, 32768, 40000))),
        t.but(quantization=qparams([dice.scale() for _ in range(t.shape[axis] if t.shape else 1)], 0, axis)),
    )


def _held(dice: Dice, t: TensorPlan) -> TensorPlan:
    return t.but(values=None) if t.values is not None else t.but(values=dice.values(t.shape, t.dtype))


def _shaped(dice: Dice, t: TensorPlan) -> TensorPlan:
    shape = list(t.shape)
    change = dice.number(0, 2)
    if change == 0 or not shape:
        shape.insert(0, 1)
    elif change == 1:
        shape.pop(dice.number(0, len(shape) - 1))
    else:
        shape[dice.number(0, len(shape) - 1)] += 1
    values = None if t.values is None else np.resize(t.values, shape)
    return t.but(shape=tuple(shape), values=values)


def _odd(dice: Dice, drawn: Drawn, changes: Sequence[Change]) -> Drawn:
    """Return the operator with a single tensor changed, or an input made constant or computed; outputs never become
    constants.
    """
    operand_places = [("inputs", n) for n, t in enumerate(drawn.inputs) if t is not None]
    operand_places += [("outputs", n) for n in range(len(drawn.outputs))]
    side, at = dice.pick(*operand_places)
    tensors = list(getattr(drawn, side))
    tensors[at] = dice.pick(*changes, *([_held] if side == "inputs" else []))(dice, tensors[at])
    if side == "inputs" and at == len(tensors) - 1 and len(tensors) > 1 and dice.chance(0.1):
        tensors = tensors[:-1] if dice.chance(0.5) else [*tensors[:-1], None]
    return replace(drawn, **{side: tuple(tensors)})


def opened(dice: Dice, t: TensorPlan, batch: bool) -> TensorPlan:
    """Return a tensor as converters write it: with an open batch, in 1 % another open dimension, or a scalar without
    shape.
    """
    if not t.shape:
        return t.but(shapeless=dice.chance(0.3))
    if t.values is not None:
        return t
    ends = [at for at in range(len(t.shape)) if (batch and t.shape[0] == 1 if at == 0 else dice.chance(0.01))]
    return t.but(signature=tuple(-1 if at in ends else d for at, d in enumerate(t.shape))) if ends else t


def _opened(dice: Dice, drawn: Drawn) -> Drawn:
    batch = dice.chance(0.3)
    ins = tuple(t and opened(dice, t, batch) for t in drawn.inputs)
    return replace(drawn, inputs=ins, outputs=tuple(opened(dice, t, batch) for t in drawn.outputs))


def _with_oddities(dice: Dice, drawn: Drawn) -> Drawn:
    while not dice.chance(_PLAIN):
        drawn = _odd(dice, drawn, (_typed, _quantized, _quantized, _shaped))
    return drawn


def drawn_operators(seed: int, count: int) -> Iterator[Drawn]:
    """Yield random operators, the same for the same seed."""
    opcodes = sorted(FAMILIES)
    for number in range(count):
        dice = Dice(np.random.default_rng((seed, number)))
        opcode = dice.pick(*opcodes)
        drawn = _with_oddities(dice, FAMILIES[opcode](dice, opcode))
        drawn = _opened(Dice(np.random.default_rng((seed, number, 1))), drawn)
        if any(t is not None and t.values is None for t in drawn.inputs):
            yield drawn
