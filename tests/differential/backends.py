"""Backends that take an operator, on both sides of each condition: ``python -m tests.differential.backends --cases
20``.

A kind is an operator that XNNPACK takes (the same kind of a family), with a single change. The change concerns a
condition of rules/arithmetic/dispatch.yaml or none. Its control computes the operator as if all backends took it: a
difference proves that XNNPACK declines it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

import numpy as np

from litecheck.reference.backends import ALL_BACKENDS, XNNPACK
from litecheck.reference.engine import dispatch
from tests.differential import affine, binary, hybrid, reduce, unary
from tests.differential.one_operator import Score, Trial, against, answers
from tests.differential.operands import (
    Change,
    absent,
    computed,
    only,
    ranked,
    rescaled,
    scale_of,
    scales,
    stated,
    taking_backends,
    unscaled,
    with_options,
)
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.shrink import Make
from tests.differential.sweep import MOST, Family, excused, right, trials

Random = np.random.Generator


@dataclass(frozen=True)
class Side:
    """Trials of a kind that XNNPACK takes, with a single change; ``change`` returns the trial itself if it is not
    applicable.
    """

    base: Make
    change: Change

    def __call__(self, random: Random) -> Trial:
        while True:
            trial = only(self.base, lambda t: XNNPACK in taking_backends(t))(random)
            made = self.change(trial, random)
            if made is not trial:
                return made


def _computed(role: str) -> Change:
    return lambda trial, random: computed(trial, role)


def _fused(activation: int) -> Change:
    """Return a change of the fused activation: a number of the schema's ActivationFunctionType."""
    return lambda trial, random: with_options(trial, fused_activation_function=activation)


#: Fused activations that XNNPACK rejects, and LiteRT's quantized kernels ignore.
REJECTED = (("fused TANH", _fused(4)), ("fused SIGN_BIT", _fused(5)))


def _axis(role: str) -> Change:
    """Return a change that states one scale for dimension 1."""
    return lambda trial, random: stated(ranked(trial, 2), role, axis=1)


def _stated(*roles: str) -> tuple[tuple[str, Change], ...]:
    return tuple((f"axis of {role}", _axis(role)) for role in roles)


def _rank(rank: int) -> Change:
    return lambda trial, random: ranked(trial, rank)


LONG = (("six dimensions", _rank(6)), ("seven dimensions", _rank(7)))


def _absent(role: str) -> Change:
    return lambda trial, random: absent(trial, role)


def _unscaled(role: str) -> Change:
    """Return a change that removes the scale of a tensor. With a single weight scale LiteRT requires the bias's scale."""
    return lambda trial, random: unscaled(trial, role) if scales(trial, "weight") > 1 else trial


def _with_scales(input_: float, output: float, change: Change) -> Change:
    """Return a change with scales that make outputs, or the bound of RELU6, ties."""
    return lambda trial, random: change(rescaled(rescaled(trial, "input", input_), "output", output), random)


def _ratio(over: tuple[str, ...]) -> Change:
    """Return a change to an output scale with a random ratio, mostly near the limits of XNNPACK."""

    def change(trial: Trial, random: Random) -> Trial:
        product = float(np.prod([float(scale_of(trial, role)) for role in over]))
        exponent = random.choice([-17, -16, -10, -9, -8, -7, 6, 7, 8, 9]) + random.uniform(-0.5, 0.5)
        return rescaled(trial, "output", product / 2.0**exponent)

    return change


AFFINE, BINARY, REDUCE, UNARY, HYBRID = (
    affine.MAKERS,
    binary.KINDS,
    reduce.FAMILY.kinds,
    unary.KINDS,
    hybrid.MAKERS,
)
_BYTES = ("int8", "uint8")


def _sums() -> Iterator[tuple[str, Side]]:
    """Yield sums of products: weights, bias and shape computed at run time, no bias, scales stated differently."""
    for opcode in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"):
        for dtype in _BYTES:
            base = AFFINE[f"{opcode} {dtype}"]
            yield f"{opcode} {dtype} computed weights", Side(base, _computed("weight"))
            yield f"{opcode} {dtype} computed bias", Side(base, _computed("bias"))
            if opcode in ("FULLY_CONNECTED", "TRANSPOSE_CONV"):  # further operators require a bias
                yield f"{opcode} {dtype} no bias", Side(base, _absent("bias"))
            if opcode != "FULLY_CONNECTED":  # the kernel rejects them
                yield from ((f"{opcode} {dtype} {name}", Side(base, change)) for name, change in REJECTED)
            if dtype == "int8":
                yield f"{opcode} {dtype} unscaled bias", Side(base, _unscaled("bias"))
            for role in ("input", "weight", "output"):
                yield f"{opcode} {dtype} axis of {role}", Side(base, _axis(role))
    for dtype in _BYTES:
        yield (
            f"TRANSPOSE_CONV {dtype} computed shape",
            Side(AFFINE[f"TRANSPOSE_CONV {dtype}"], _computed("output_shape")),
        )
    for role in ("lhs", "rhs", "output"):
        yield f"BATCH_MATMUL int8 axis of {role}", Side(AFFINE["BATCH_MATMUL int8"], _axis(role))
    yield "BATCH_MATMUL int8 five dimensions", Side(AFFINE["BATCH_MATMUL int8"], _rank(5))
    yield "BATCH_MATMUL int8 computed rhs", Side(AFFINE["BATCH_MATMUL int8"], _computed("rhs"))


def _elementwise() -> Iterator[tuple[str, Side]]:
    """Yield operators of one and two inputs, pools and reductions."""
    for dtype in _BYTES:
        for opcode in ("ADD", "SUB", "MUL"):
            base = BINARY[f"{opcode} {dtype} pairs"]
            for role in ("lhs", "rhs", "output"):
                yield f"{opcode} {dtype} axis of {role}", Side(base, _axis(role))
            over = ("lhs", "rhs") if opcode == "MUL" else ("lhs",)
            yield f"{opcode} {dtype} ratio", Side(base, _ratio(over))
            yield f"{opcode} {dtype} six dimensions", Side(base, _rank(6))
            yield from ((f"{opcode} {dtype} {name}", Side(base, change)) for name, change in REJECTED)
        for opcode in ("MEAN", "SUM"):
            base = REDUCE[f"{opcode} {dtype}"]
            for name, change in (("computed axis", _computed("axis")), *_stated("input", "output")):
                yield f"{opcode} {dtype} {name}", Side(base, _with_scales(0.25, 1.0, change))
        for name, change in _stated("input", "output"):
            pool = Side(REDUCE[f"MAX_POOL_2D {dtype}"], _with_scales(0.8, 0.8, change))
            yield f"MAX_POOL_2D {dtype} {name}", pool
            if dtype == "int8":
                yield (
                    f"ELU int8 {name}",
                    Side(UNARY["ELU int8 to int8 body"], _with_scales(0.25, 0.5, change)),
                )
        for opcode in ("LOGISTIC", "TANH", "LEAKY_RELU", "QUANTIZE"):
            base = UNARY[f"{opcode} {dtype} to {dtype} body"]
            for name, change in (*_stated("input", "output"), *LONG):
                yield f"{opcode} {dtype} {name}", Side(base, change)
            if opcode in ("LEAKY_RELU", "QUANTIZE"):
                yield f"{opcode} {dtype} ratio", Side(base, _ratio(("input",)))
        for name, change in (*_stated("input"), *LONG):
            yield f"DEQUANTIZE {dtype} {name}", Side(UNARY[f"DEQUANTIZE {dtype} to float32 body"], change)
        for name, change in (*_stated("output"), *LONG):
            quantize = Side(UNARY[f"QUANTIZE float32 to {dtype} tail"], change)
            yield f"QUANTIZE float32 to {dtype} {name}", quantize


def _real() -> Iterator[tuple[str, Side]]:
    """Yield operators of float32 activations and integer weights."""
    for opcode in ("CONV_2D", "FULLY_CONNECTED"):
        base = HYBRID[f"{opcode} x int8"]
        yield f"{opcode} x int8 computed weights", Side(base, _computed("weight"))
        yield f"{opcode} x int8 computed bias", Side(base, _computed("bias"))
        if opcode == "CONV_2D":
            yield from ((f"{opcode} x int8 {name}", Side(base, change)) for name, change in REJECTED)
    yield "FULLY_CONNECTED x int4 computed bias", Side(HYBRID["FULLY_CONNECTED x int4"], _computed("bias"))
    yield (
        "FULLY_CONNECTED x blocks of int4 computed bias",
        Side(HYBRID["FULLY_CONNECTED x blocks of int4"], _computed("bias")),
    )


KINDS: dict[str, Make] = {**dict(_sums()), **dict(_elementwise()), **dict(_real())}
#: Kinds with known faults of BUILTIN_REF in rules/arithmetic/known-faults.yaml, or that it does not list.
_FAULTY = ("SUM int8", "ELU", "FULLY_CONNECTED x blocks")
FAMILY = Family(
    KINDS,
    lambda kind, resolver, trial: (
        hybrid.too_far if " x " in kind else reduce.FAMILY.far(kind, resolver, trial)
    ),
    faulty=frozenset((kind, "reference") for kind in KINDS if kind.startswith(_FAULTY)),
)


@contextmanager
def taken_by_all() -> Iterator[None]:
    """Let every backend take every operator: a control that must differ."""
    original_backends, original_conditions = dispatch.backends_of, dispatch.holding_conditions
    dispatch.backends_of = lambda *_: ALL_BACKENDS
    dispatch.holding_conditions = lambda *given: original_conditions(*given) - {"declined", "grouped"}
    dispatch._BOUND_KERNELS.clear()
    try:
        yield
    finally:
        dispatch.backends_of, dispatch.holding_conditions = original_backends, original_conditions
        dispatch._BOUND_KERNELS.clear()


def compared(kind: str, resolver: str, litert: Oracle, count: int, seed: int = 0) -> tuple[Score, int]:
    """Return the score of ``count`` trials outside known faults, and the number of differing elements of the control."""
    total, otherwise, arithmetic = Score(), 0, right(FAMILY, resolver)
    drawn = (trial for trial in trials(FAMILY, kind, MOST * count, seed) if not excused(trial, resolver))
    for trial in islice(drawn, count):
        theirs, far = answers(trial, litert, resolver), FAMILY.far(kind, resolver, trial)
        total.add(against(trial, theirs, arithmetic, far, litert.shows_variables))
        if not isinstance(theirs, Refused):
            with taken_by_all():
                otherwise += against(trial, theirs, arithmetic, far, litert.shows_variables).different
    return total, otherwise


def main() -> int:
    """Print a line for each kind and resolver; return 1 for a difference or if nothing was compared."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=20, help="trials of each kind [default: 20]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the trials [default: 0]")
    parser.add_argument("--only", default="", help="run kinds with this text in their name")
    given, wrong = parser.parse_args(), 0
    with Oracle() as litert:
        for kind in (k for k in KINDS if given.only in k):
            taken = sum(XNNPACK in taking_backends(t) for t in trials(FAMILY, kind, given.cases, given.seed))
            print(f"{kind}: XNNPACK takes {taken} of {given.cases}", flush=True)
            for resolver in (r for r in RESOLVERS if (kind, r) not in FAMILY.faulty):
                score, otherwise = compared(kind, resolver, litert, given.cases, given.seed)
                wrong += score.different + (not score.trials)
                text = f"    {resolver:10} {score.different:,} of {score.compared:,} differ in {score.trials} trials"
                print(f"{text}; control {otherwise:,}; refused {sum(score.refused.values())}", flush=True)
                print("".join(f"        {example}\n" for example in score.examples[:3]), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
