"""Random nets for compilers: operators of the blind generator, connected if type and shape agree.

The first tensor of an operator is drawn like an existing tensor. A draw that does not use it is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.profile.operator_plan import TensorPlan
from litecheck.quantization import Quantization
from tests.differential.vela_models import FAMILIES, Dice, Drawn
from tests.differential.vela_oddities import opened
from tests.differential.vela_patterns import pattern

#: Number of draws for an operator that uses an existing tensor.
_TRIES = 30
#: Share of nets that begin with an image or a row and a pattern, and share of patterns among further operators.
_IMAGES, _PATTERNS = 0.4, 0.15
#: Share of outputs that are neither read nor outputs of the net, and share of nets with open batches.
_UNREAD, _BATCHES = 0.15, 0.4


class ConnectedDice(Dice):
    """Source of random numbers whose first tensor is like an existing tensor."""

    def __init__(self, dice: Dice, tensor: TensorPlan) -> None:
        super().__init__(dice.random)
        self._shape: tuple[int, ...] | None = tensor.shape
        self._quantization: Quantization | None = tensor.quantization
        self._tensor = tensor

    def dtype(self) -> str:
        return self._tensor.dtype

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        shape, self._shape = self._shape, None
        return shape if shape is not None and rank in (None, len(shape)) else super().shape(rank)

    def quantization(self, dtype: str) -> Quantization:
        q, self._quantization = self._quantization, None
        return q if q is not None and dtype == self._tensor.dtype else super().quantization(dtype)


class QuantizedDice(Dice):
    """Source of random numbers with the types that models are quantized to."""

    def dtype(self) -> str:
        return str(self.pick("int8", "int8", "int8", "int16"))


def drawn_operator(dice: Dice, opcode: str, tensors: Sequence[TensorPlan]) -> Drawn | None:
    """Return an operator that reads the last tensor, and further fitting tensors; None if the draws fail."""
    last = tensors[-1]
    for _ in range(_TRIES):
        drawn = FAMILIES[opcode](ConnectedDice(dice, last), opcode)
        places = [n for n, t in enumerate(drawn.inputs) if t is not None and _alike(t, last)]
        if not places:
            continue
        inputs, first = list(drawn.inputs), dice.pick(*places)
        inputs[first] = last
        for n in places:
            others = [t for t in tensors if _alike(t, inputs[n])]
            if n != first and others and dice.chance(0.5):
                inputs[n] = dice.pick(*others)
        return replace(drawn, inputs=tuple(inputs))
    return None


def _alike(tensor: TensorPlan | None, other: TensorPlan | None) -> bool:
    return (
        tensor is not None and other is not None and tensor.values is None and not tensor.variable
        and (tensor.dtype, tensor.shape) == (other.dtype, other.shape)
    )  # fmt: skip


@dataclass(frozen=True)
class Net:
    """Operators in their order, connected by shared tensors, and the outputs of the net."""

    operators: tuple[Drawn, ...]
    outputs: tuple[TensorPlan, ...]

    def model(self) -> Model:
        """Return the model. Tensors that no operator writes are its inputs, except constants."""
        builder = ModelBuilder()
        main = builder.subgraph()
        indexes: dict[TensorPlan, int] = {}

        def index(t: TensorPlan | None) -> int:
            if t is None:
                return -1
            if t not in indexes:
                name = f"t{len(indexes)}"
                options: dict[str, Any] = {"is_variable": t.variable, "shapeless": t.shapeless}
                indexes[t] = (
                    main.tensor(
                        name, t.shape, t.dtype, t.quantization, shape_signature=t.signature, **options
                    )
                    if t.values is None
                    else main.constant(name, t.values, t.quantization, t.dtype, **options)
                )
            return indexes[t]

        for op in self.operators:
            sides = [[index(t) for t in side] for side in (op.inputs, op.outputs)]
            inner = [index(t) for t in op.intermediates]
            main.add(op.opcode, *sides, version=op.version, intermediates=inner, **op.options)
        made = {t for op in self.operators for t in op.outputs}
        main.inputs(*(n for t, n in indexes.items() if t.values is None and not t.variable and t not in made))
        main.outputs(*(indexes[t] for t in self.outputs))
        return builder.finish()


def drawn_nets(seed: int, count: int, longest: int = 5) -> Iterator[Net]:
    """Yield at most ``count`` random nets, the same for the same seed."""
    opcodes = sorted(FAMILIES)
    for number in range(count):
        dice = QuantizedDice(np.random.default_rng((seed, number)))
        if dice.chance(_IMAGES):
            operators, tensors = (
                list[Drawn](),
                [dice.tensor(dice.shape(4 if number % 4 else 3), dice.dtype())],
            )
        else:
            drawn = FAMILIES[opcode := dice.pick(*opcodes)](dice, opcode)
            given = (*drawn.inputs, *drawn.outputs)
            operators, tensors = [drawn], [t for t in given if t is not None and t.values is None]
        for _ in range(dice.number(1, longest - 1)):
            made = pattern(dice, tensors[-1]) if not operators or dice.chance(_PATTERNS) else ()
            following = made or (drawn_operator(dice, dice.pick(*opcodes), tensors),)
            operators += [op for op in following if op is not None]
            tensors += [t for op in following if op is not None for t in op.outputs]
        read = {t for op in operators for t in op.inputs}
        results = [t for op in operators for t in op.outputs]
        if operators:
            given = [t for t in results if t.dtype != "resource" and (t not in read or dice.chance(0.1))]
            kept = [t for t in given if not dice.chance(_UNREAD)] or given[-1:]
            yield _opened(dice, Net(tuple(operators), tuple(kept)))


def _opened(dice: Dice, net: Net) -> Net:
    """Return a net as converters write it, in 40 % of the draws with an open batch."""
    batch, known = dice.chance(_BATCHES), dict[TensorPlan, TensorPlan]()

    def as_written(t: TensorPlan | None) -> TensorPlan | None:
        if t is not None and t not in known:
            known[t] = opened(dice, t, batch)
        return t and known[t]

    def operator(op: Drawn) -> Drawn:
        sides = (tuple(map(as_written, side)) for side in (op.inputs, op.outputs, op.intermediates))
        return replace(op, **dict(zip(("inputs", "outputs", "intermediates"), sides, strict=True)))

    return Net(tuple(map(operator, net.operators)), tuple(known[t] for t in net.outputs))
