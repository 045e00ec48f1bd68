"""Streams of elementwise operators: pairs of stored values, tables of all 256 values, and rows of SOFTMAX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.elements import PRODUCTS, SHARE, SIGNED_SHARE, SUMS, Scale, approximations, slopes
from litecheck.cases.probes.probe import Probe, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.cases.probes.probe import ProbeExtras as ProbeOptions
from litecheck.model.build import Option, qparams
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.dispatch import output_spec
from litecheck.reference.kernels.binary import product_scale
from litecheck.reference.kernels.sums import LEFT_SHIFT, sum_multipliers
from litecheck.reference.numerics.fixedpoint import quantize_multiplier
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.runtime_tensors import OutputSpec
from litecheck.suite.stream.batch import Column, VectorBatch, column, real_column, tensors_of
from litecheck.suite.stream.computations import Candidates, distinguishing
from litecheck.suite.stream.exact_random import ZERO_POINTS, draw_activation, pick, reals

#: Number of pairs in batches chosen from all pairs, and in random batches.
CHOSEN, DRAWN = 512, 2048
#: Number of batches with chosen rows, of rows to choose from, and of rows of a batch.
DESIGNED_ROWS, POOL, ROWS = 8, 4096, 128
_VALUES = np.arange(-128, 128).astype(np.int8)
#: All pairs of stored values.
_PAIRS = np.repeat(_VALUES, 256), np.tile(_VALUES, 256)
Triple = tuple[Scale, Scale, Scale]
#: (lhs, rhs, output) -> the operator's multipliers, by field.
Parameters = Callable[[OutputSpec, OutputSpec, OutputSpec], Mapping[str, int]]


def _sum_fields(lhs: OutputSpec, rhs: OutputSpec, output: OutputSpec) -> Mapping[str, int]:
    numbers = [n for pair in sum_multipliers(lhs, rhs, output, LEFT_SHIFT) for n in pair]
    return {"left": LEFT_SHIFT, **dict(zip(("m1", "s1", "m2", "s2", "m3", "s3"), numbers, strict=True))}


def _product_fields(lhs: OutputSpec, rhs: OutputSpec, output: OutputSpec) -> Mapping[str, int]:
    return dict(
        zip(("m", "shift"), quantize_multiplier(product_scale(lhs, rhs, output, "float32")), strict=True)
    )


def _random_scales(rng: np.random.Generator, products: bool) -> Iterator[Triple]:
    """Yield scales with which sums, or products, reach both limits of the output, with zero points at the limits."""
    for turn in count():
        left, right, share = (float(v) for v in reals(rng, (-7, -1), 3))
        reach = 64 * left * right if products else left + right
        # ``share`` is below 1: some outputs usually exceed the range.
        output = float(np.float32(reach * (share + 0.25)))
        points = (
            pick(ZERO_POINTS, turn), pick(ZERO_POINTS, turn // 3 + 1), int(rng.choice([-128, 127, 0, -9, 40])),
        )  # fmt: skip
        yield tuple(zip((left, right, output), points, strict=True))  # type: ignore[misc]


def _binary(
    opcode: str, rng: np.random.Generator, exhaustive: bool, *, designed: Sequence[Triple], of: Parameters
) -> Iterator[VectorBatch]:
    """Yield pairs under designed scales that detect mutants, then under random scales; all pairs if ``exhaustive``."""
    for turn, scales in enumerate(chain(designed, _random_scales(rng, of is _product_fields))):
        options = draw_activation(turn, *scales[2]) if traits_of(opcode).fuses else {}
        everything = _pair_probe(opcode, turn, _PAIRS, scales, options)
        if turn < len(designed):
            chosen = distinguishing(Candidates.of(everything), 1 << 16, CHOSEN, rng)
        elif exhaustive:
            chosen = np.arange(1 << 16)
        else:
            chosen = rng.integers(0, 1 << 16, DRAWN)
        yield _pair_batch(_pair_probe(opcode, turn, tuple(p[chosen] for p in _PAIRS), scales, options), of)


def _pair_probe(
    opcode: str,
    turn: int,
    pairs: Sequence[Array],
    scales: Triple,
    options: Mapping[str, Option],
) -> Probe:
    operands = [ProbeOperand(v[None], qparams(*s)) for v, s in zip(pairs, scales[:2], strict=True)]
    more = ProbeOptions(options=options)
    return probe(f"batch {turn}", opcode, operands, ProbeOutput(qparams(*scales[2])), more)


def _pair_batch(made: Probe, of: Parameters) -> VectorBatch:
    tensors, values = tensors_of(made)
    lhs, rhs, output = (output_spec(tensors[role]) for role in ("lhs", "rhs", "output"))
    low, high = stored_bounds(made.subgraph.operators[0].options, output)
    lines = values["lhs"].size
    points = {"zl": lhs.zero_point, "zr": rhs.zero_point, "zo": output.zero_point, "low": low, "high": high}
    numbers = {**points, **of(lhs, rhs, output)}
    columns = (
        *(column(role, values[role].reshape(-1), lines) for role in ("lhs", "rhs")),
        *(column(name, number, lines) for name, number in numbers.items()),
        *(real_column(name, end.scale, lines) for name, end in (("sl", lhs), ("sr", rhs), ("so", output))),
    )
    return VectorBatch(made, columns)


sums = partial(_binary, designed=SUMS, of=_sum_fields)
products = partial(_binary, designed=PRODUCTS, of=_product_fields)

#: Quantization of (input, output) in the first tables; the last two have powers of two as scales.
_TABLES: tuple[tuple[Scale, Scale], ...] = (
    ((0.1, 3), (0.2, -7)),
    ((0.0371, -128), (0.0457, -11)),
    ((0.0471, 4), (0.0471, 4)),
    ((0.0823, 17), (0.0311, -40)),
    ((0.013, -42), (0.0104, -8)),
    ((0.0775, 127), (0.0372, -128)),
    ((0.5, 0), (1.0, 0)),
    ((0.25, -5), (1.0, 7)),
)


def tables(
    opcode: str,
    rng: np.random.Generator,
    exhaustive: bool,
    fixed: Scale | None = None,
    options_of: Callable[[int], dict[str, Option]] = lambda _: {},
) -> Iterator[VectorBatch]:
    """Yield all 256 stored values under each quantization in turn; ``fixed`` is the only valid output
    quantization."""
    for turn in count():
        if turn < len(_TABLES):
            given, wanted = _TABLES[turn]
        else:
            scales = [float(v) for v in reals(rng, (-8, -2), 2)]
            given, wanted = (
                (scales[0], pick(ZERO_POINTS, turn)),
                (scales[1], pick(ZERO_POINTS, turn // 8 + 1)),
            )
        more = ProbeOptions(options=options_of(turn % len(_TABLES)))
        operands = [ProbeOperand(_VALUES[None], qparams(*given))]
        made = probe(f"batch {turn}", opcode, operands, ProbeOutput(qparams(*(fixed or wanted))), more)
        yield VectorBatch(
            made, (column("x", _VALUES, 256), *_ends(made, 256), *_options(made, more.options, 256))
        )


logistic = partial(tables, fixed=SHARE)
tanh = partial(tables, fixed=SIGNED_SHARE)
leaky_relu = partial(tables, options_of=slopes)
gelu = partial(tables, options_of=approximations)


def _ends(made: Probe, lines: int) -> tuple[Column, ...]:
    tensors, _ = tensors_of(made)
    given, wanted = (output_spec(tensors[role]) for role in ("input", "output"))
    return (
        real_column("si", given.scale, lines),
        column("zi", given.zero_point, lines),
        real_column("so", wanted.scale, lines),
        column("zo", wanted.zero_point, lines),
    )


def _options(made: Probe, options: Mapping[str, Option], lines: int) -> tuple[Column, ...]:
    """Return a field for each option: float bits, or a bool as 0 or 1."""
    return tuple(
        real_column(name, np.float32(value), lines)
        if isinstance(value, float)
        else column(name, int(bool(value)), lines)
        for name, value in options.items()
    )


def shares(opcode: str, rng: np.random.Generator, exhaustive: bool) -> Iterator[VectorBatch]:
    """Yield rows of SOFTMAX: pairs at every distance, similar values, any values; the first batches detect mutants."""
    for turn in count():
        depth = pick((2, 10, 5, 32, 3, 128, 16, 7), turn)
        scale = (0.1, 0.0455, 0.0229, float(reals(rng, (-8, -1), 1)[0]))[turn % 4]
        more = ProbeOptions(options={"beta": (1.0, 1.0, 0.5, 2.0)[turn // 4 % 4]})
        given, wanted = qparams(scale, pick(ZERO_POINTS, turn)), ProbeOutput(qparams(*SHARE))
        x = _row_values(rng, turn, depth)
        if turn < DESIGNED_ROWS:
            pool = probe(f"pool {turn}", opcode, [ProbeOperand(x, given)], wanted, more)
            x = x[distinguishing(Candidates.of(pool), len(x), ROWS, rng)]
        made = probe(f"batch {turn}", opcode, [ProbeOperand(x, given)], wanted, more)
        row = (column("k", depth, len(x)), column("x", x, len(x), many="k"))
        yield VectorBatch(made, (*_ends(made, len(x)), *_options(made, more.options, len(x)), *row))


def _row_values(rng: np.random.Generator, turn: int, depth: int) -> Array:
    """Return rows to choose from in the first batches, later the rows of a batch."""
    if depth == 2:
        return np.stack([np.full(256, 127, np.int8), _VALUES], axis=-1)
    rows = POOL if turn < DESIGNED_ROWS else ROWS
    return rng.integers(40, 128, (rows, depth)).astype(np.int8) if turn % 2 else draw_int8(rng, rows, depth)
