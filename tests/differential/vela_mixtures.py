"""Random graphs of operators that a compiler splits or removes, for its order of reads."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model

#: A square input, so that matrix products have the same shape.
_IMAGE, _FLAT = (1, 4, 8, 8), (1, 32, 8)
#: Number of previous tensors that an operator may read.
_REACH = 5
#: Kind -> operators, kinds of their inputs, kind of their output. SQRT stays on the CPU for every type.
_Signature = tuple[Sequence[str], str, str]
_NUMBERS = ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "PRELU")
_SIGNATURES: Mapping[str, _Signature] = {
    "one": (("TANH", "LOGISTIC", "SQRT", "CEIL", "SQRT"), "n", "n"),
    "cpu": (("SQRT",), "n", "n"),
    "two": ((*_NUMBERS, "FLOOR_DIV"), "nn", "n"),
    "squared": (("SQUARED_DIFFERENCE", "PRELU"), "nn", "n"),
    "product": (("BATCH_MATMUL",), "nn", "n"),
    "chosen": (("SELECT", "SELECT_V2"), "tnn", "n"),
    "compared": (("GREATER", "LESS_EQUAL", "EQUAL"), "nn", "t"),
    "truths": (("LOGICAL_AND", "LOGICAL_OR"), "tt", "t"),
    "truth": (("LOGICAL_NOT", "LOGICAL_NOT", "SQRT", "SIN", "COS", "FLOOR"), "t", "t"),
    "joined": (("CONCATENATION",), "nn", "n"),
    "flat": (("TANH", "SQRT"), "n", "n"),
    "there and back": (("TRANSPOSE", "RESHAPE"), "n", "n"),
}

#: Kinds that a target's compiler supports: kinds with bool for the U85 only.
KINDS: Mapping[str, Sequence[str]] = {
    "ethos-u55": [kind for kind, (_, reads, makes) in _SIGNATURES.items() if "t" not in reads + makes],
    "ethos-u85": list(_SIGNATURES),
}


def mixed(seed: int, kinds: Sequence[str]) -> Model:
    """Return a graph of up to 15 operators on 8- or 16-bit tensors and bool."""
    draw = random.Random(seed)
    builder = ModelBuilder()
    mixture = _Mixture(draw, builder.subgraph(), draw.choice(("int8", "int8", "int16")))
    drawn = sorted({letter for kind in kinds for letter in _SIGNATURES[kind][1]})
    pools = {letter: [mixture.tensor(letter) for _ in range(draw.randint(1, 2))] for letter in drawn}
    inputs, read, made = [t for pool in pools.values() for t in pool], set[int](), list[int]()
    for _ in range(draw.randint(4, 15)):
        kind = draw.choice(kinds)
        _, reads, makes = _SIGNATURES[kind]
        operands = [draw.choice(pools[letter][-_REACH:]) for letter in reads]
        read.update(operands)
        made.append(mixture.operator(kind, operands))
        pools[makes].append(made[-1])
    unread = [t for t in made if t not in read]
    kept = [t for t in made if draw.random() < (0.9 if t in unread else 0.1)]
    mixture.main.inputs(*(t for t in inputs if t in read))
    mixture.main.outputs(*(kept or unread[-1:]))
    return builder.finish()


class _Mixture:
    """Builder of a graph with a single type of numbers."""

    def __init__(self, draw: random.Random, main: SubgraphBuilder, dtype: str) -> None:
        self._draw, self.main, self._count = draw, main, 0
        self._types = {"n": dtype, "t": "bool"}
        self._order = main.constant("order", np.array((0, 1, 3, 2), np.int32))
        self._shapes = [main.constant(f"shape{len(s)}", np.array(s, np.int32)) for s in (_FLAT, _IMAGE)]

    def tensor(self, letter: str, shape: tuple[int, ...] = _IMAGE) -> int:
        self._count += 1
        parameters = qparams(0.5) if letter == "n" else None
        return self.main.tensor(f"t{self._count}", shape, self._types[letter], parameters)

    def operator(self, kind: str, operands: Sequence[int]) -> int:
        """Add an operator of this kind, or several, and return an output of the inputs' shape."""
        opcodes, _, makes = _SIGNATURES[kind]
        opcode, result = self._draw.choice(opcodes), self.tensor(makes)
        if kind == "product":
            adj_x, adj_y = (self._draw.random() < 0.5 for _ in range(2))
            self.main.add(opcode, operands, [result], adj_x=adj_x, adj_y=adj_y)
        elif kind == "flat":
            flat, other = self.tensor("n", _FLAT), self.tensor("n", _FLAT)
            self.main.add("RESHAPE", [*operands, self._shapes[0]], [flat])
            self.main.add(opcode, [flat], [other])
            self.main.add("RESHAPE", [other, self._shapes[1]], [result])
        elif kind == "there and back":
            flat = opcode == "RESHAPE"
            between = self.tensor("n", _FLAT if flat else _IMAGE)
            ways = self._shapes if flat else (self._order, self._order)
            self.main.add(opcode, [*operands, ways[0]], [between])
            self.main.add(opcode, [between, ways[1]], [result])
        elif kind == "joined":
            whole = self.tensor("n", (1, 2 * _IMAGE[1], *_IMAGE[2:]))
            self.main.add(opcode, operands, [whole], axis=1)
            self.main.add(
                "MAX_POOL_2D", [whole], [result], filter_height=2, filter_width=1, stride_h=2, stride_w=1
            )
        else:
            self.main.add(opcode, operands, [result])
        return result
