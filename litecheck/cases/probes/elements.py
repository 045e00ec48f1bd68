"""Probes of element-wise operators: every pair of stored values, or every value at every position of a vector.

A vector loop and the loop over the rest of an array can round differently. Every value is therefore once among the last
seven of an array of 256 + 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe, ProbeExtras, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import Option, qparams
from litecheck.profile.operators import traits_of

_LENGTH, _TAIL = 256, 7
#: Elements of a large output: their number exceeds 16 bits.
LARGE = 1 << 16
_VALUES = np.arange(-128, 128).astype(np.int8)

Scale = tuple[float, int]
#: (lhs, rhs, output) of sums: a hard triple, ordinary triples, powers of two with many ties, very different scales.
SUMS: tuple[tuple[Scale, Scale, Scale], ...] = (
    ((0.1, 3), (0.3, -7), (0.2, 5)),
    ((0.0471, -128), (0.0233, 4), (0.0515, -11)),
    ((0.5, 0), (0.25, 3), (1.0, -2)),
    ((0.5, -7), (0.5, 0), (1.0, 5)),
    ((0.011, 17), (0.73, 0), (0.69, -40)),
    ((0.0784, -1), (0.0781, 1), (0.0392, 0)),
    # Many sums near the middle of two integers show the number of fraction bits before the addition.
    ((0.48, 3), (0.12, -7), (0.4, 5)),
)
PRODUCTS: tuple[tuple[Scale, Scale, Scale], ...] = (
    ((0.1, 3), (0.3, -7), (2.7, 5)),
    ((0.0471, -128), (0.0233, 4), (0.17, -11)),
    ((0.5, 0), (0.25, 3), (16.0, -2)),
    ((1.0, -7), (0.0078125, 0), (0.5, 5)),
    ((0.0123, 17), (0.0456, 0), (0.0789, -40)),
    # Scales whose product, and therefore the output, differs between float32 and float64.
    ((0.018, 7), (0.0132, 12), (0.00128, -13)),
    # Rescaled products beyond 16 bits
    ((1.0, -128), (1.0, -128), (1.5, 100)),
    # A multiplier above 1
    ((0.5, 3), (0.25, -7), (0.1, 5)),
)
#: (input, output) of rescaling operators.
_RESCALES: tuple[tuple[Scale, Scale], ...] = (
    ((0.1, 3), (0.2, -7)),
    ((0.5, 0), (1.0, 0)),
    ((0.25, -5), (1.0, 7)),
    ((0.0371, -128), (0.0457, -11)),
    ((0.0471, 4), (0.0471, 4)),
    ((0.0823, 17), (0.0311, -40)),
    # Scales whose quotient, and therefore the output, differs between float32 and float64.
    ((0.013, -42), (0.0104, -8)),
    ((0.0775, 15), (0.0372, -58)),
)
_ALPHAS = (0.1, 0.3, 0.25, 0.01, 1.5, 0.7, 0.3, 0.1)
#: Output quantization that kernels require of functions with outputs in 0..1, and in -1..1.
SHARE: Scale = (1 / 256, -128)
SIGNED_SHARE: Scale = (1 / 128, 0)
#: Inputs with a table entry that is a tie in float32, or so near to a tie that fixed point rounds differently. About
#: one scale in a few thousand has this property.
RARE_SHARES: tuple[tuple[Scale, Scale], ...] = (((0.02789, -90), SHARE), ((0.02491, -82), SHARE))
RARE_SIGNED_SHARES: tuple[tuple[Scale, Scale], ...] = (
    ((0.00939, 117), SIGNED_SHARE),
    ((0.00967, 76), SIGNED_SHARE),
)
#: Inputs with a table entry that two C libraries round differently: GELU and its approximation, and ELU. The third of ELU
#: has an entry that expm1(x) and exp(x) - 1 round differently.
RARE_GELUS: tuple[tuple[Scale, Scale], ...] = (
    ((0.012141, 3), (0.012141, 3)),
    ((0.019491, 10), (0.019491, 10)),
)
RARE_ELUS: tuple[tuple[Scale, Scale], ...] = (
    ((0.00975, 111), (0.014807570725679398, 100)),
    ((0.00418, 124), (0.010593065991997719, 100)),
    ((0.008432, 28), (0.001392, 12)),
)


def of_two(
    rng: np.random.Generator, opcode: str, table: Sequence[tuple[Scale, Scale, Scale]]
) -> Iterator[Probe]:
    """Yield probes of two inputs: all 65,536 pairs and seven more, a constant input, broadcasting."""
    lhs = np.append(np.repeat(_VALUES, _LENGTH), draw_int8(rng, _TAIL)).reshape(1, -1)
    rhs = np.append(np.tile(_VALUES, _LENGTH), draw_int8(rng, _TAIL)).reshape(1, -1)
    fused = bool(traits_of(opcode).fuses)
    plain: dict[str, Option] = {"fused_activation_function": "NONE"} if fused else {}
    for at, scales in enumerate(table):
        activation = ("NONE", "NONE", "NONE", "RELU6", "RELU")[at % 5] if fused else "NONE"
        options: dict[str, Option] = {"fused_activation_function": activation} if fused else {}
        name = f"all pairs, scales {_scales_text(scales)}, activation {activation}"
        yield _pair(name, opcode, (lhs, rhs), scales, options)
    # Shorter than vectors of 32, so that the remainder of shorter vectors is also tested with many pairs.
    short, *shorter = (np.roll(_VALUES, -5 * n)[None, :31] for n in range(52))
    for scales in (table[0], table[2], table[-1]):
        name = f"arrays of 31, scales {_scales_text(scales)}"
        yield _pair(name, opcode, (short, draw_int8(rng, 1, 31)), scales, plain, shorter)
    still = draw_int8(rng, 1, 1)
    yield _pair("one operand stands still", opcode, (draw_int8(rng, 9, 27), still), SUMS[0], plain)
    yield _pair(
        "one row for all", opcode, (draw_int8(rng, 1, 9, 27), draw_int8(rng, 1, 1, 27)), SUMS[1], plain
    )
    yield _pair("both broadcast", opcode, (draw_int8(rng, 5, 1, 27), draw_int8(rng, 1, 9, 1)), SUMS[0], plain)


def _pair(
    name: str,
    opcode: str,
    values: tuple[Array, Array],
    scales: tuple[Scale, ...],
    options: dict[str, Option],
    runs: Sequence[Array] = (),
) -> Probe:
    operands = [ProbeOperand(v, qparams(*s)) for v, s in zip(values, scales, strict=False)]
    more = ProbeExtras(runs, options=options)
    return probe(name, opcode, operands, ProbeOutput(qparams(*scales[2])), more)


def slopes(number: int) -> dict[str, Option]:
    """Return the slope of a probe: in turn below zero, above 1 and below 1."""
    return {"alpha": _ALPHAS[number]}


def approximations(number: int) -> dict[str, Option]:
    """Return the options of a probe: in turn the function itself and its approximation."""
    return {"approximate": bool(number % 2)}


def of_one(
    rng: np.random.Generator,
    opcode: str,
    fixed: Scale | None = None,
    rare: Sequence[tuple[Scale, Scale]] = (),
    options_of: Callable[[int], dict[str, Option]] = lambda _: {},
) -> Iterator[Probe]:
    """Yield probes of unary operators: every value, in the body and in the tail of an array.

    ``fixed`` is the only possible output; ``rare`` are further scales that show additional differences.
    """
    runs = tuple(_rotated_arrays())
    for at, (given, wanted) in enumerate((*rare, *_RESCALES)):
        wanted, options = fixed or wanted, options_of(at)
        what = f", alpha {options['alpha']}" if "alpha" in options else ""
        more = ProbeExtras(runs[1:], options=options)
        operands = [ProbeOperand(runs[0], qparams(*given))]
        name = f"all values, scales {_scales_text((given, wanted))}{what}"
        yield probe(name, opcode, operands, ProbeOutput(qparams(*wanted)), more)
    for count in (LARGE, LARGE + 1):
        # ``options`` and the scales are the last of the table.
        operands = [ProbeOperand(draw_int8(rng, 1, count), qparams(*given))]
        more = ProbeExtras(options=options)
        yield probe(f"{count:,} values", opcode, operands, ProbeOutput(qparams(*wanted)), more)


def _rotated_arrays() -> Iterator[Array]:
    """Yield arrays of 263 values with every int8 value; each value is once among the last seven of an array."""
    for start in range(0, _LENGTH, _TAIL):
        rolled = np.roll(_VALUES, -start)
        yield np.append(rolled, np.resize(rolled, _TAIL)).reshape(1, -1)


def of_quantize(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of QUANTIZE from integers to integers, and from floats, many halfway between two steps."""
    yield from of_one(rng, opcode)
    for scale, zero in ((0.5, 3), (0.1, -7), (0.0371, 0)):
        steps = np.append(np.arange(-300, 300) / 2, rng.uniform(-150, 150, 4096 + _TAIL))
        x = np.append(steps, np.arange(_TAIL) + 0.5).astype(np.float32) * np.float32(scale)
        name = f"reals, scale {scale}"
        yield probe(name, opcode, [ProbeOperand(x.reshape(1, -1))], ProbeOutput(qparams(scale, zero)))


def of_dequantize(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of DEQUANTIZE with every value."""
    runs = tuple(_rotated_arrays())
    for scale, zero in ((0.1, 3), (0.0371, -128)):
        wanted, more = ProbeOutput(None, "float32"), ProbeExtras(runs[1:])
        yield probe(
            f"all values, scale {scale}",
            opcode,
            [ProbeOperand(runs[0], qparams(scale, zero))],
            wanted,
            more,
        )
    for count in (LARGE, LARGE + 1):
        operands = [ProbeOperand(draw_int8(rng, 1, count), qparams(0.1, 3))]
        yield probe(f"{count:,} values", opcode, operands, ProbeOutput(None, "float32"))


def of_softmax(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of SOFTMAX: pairs at every distance, random rows, long rows, ties, other values of beta."""
    pairs = np.stack([np.full(256, 127), np.arange(-128, 128)], axis=-1).astype(np.int8)
    wanted = ProbeOutput(qparams(*SHARE))
    rows: Sequence[tuple[str, Array]] = (
        ("pairs at every distance", pairs),
        ("random rows", draw_int8(rng, 300, 10)),
        ("short rows", rng.integers(40, 128, (8000, 5), np.int8)),
        ("long rows", rng.integers(60, 128, (20, 301), np.int8)),
    )
    # Each of 512 equal values gives 1/512, half a step of the output.
    equal = np.repeat(np.array([[-128], [0], [127]], np.int8), 512, axis=1)
    # Numbers of outputs beyond 16 bits
    large, larger = draw_int8(rng, LARGE // 8, 8), draw_int8(rng, LARGE // 8 + 1, 8)
    # After rows that end near 127, a row that ends near -128.
    uneven = np.sort(draw_int8(rng, 40, 10), axis=0)
    for name, x, scale, beta in (
        *((name, x, scale, 1.0) for scale in (0.1, 0.0455, 0.0229) for name, x in rows),
        ("ties", equal, 0.1, 1.0),
        (f"{LARGE:,} outputs", large, 0.1, 1.0),
        (f"{LARGE + 8:,} outputs", larger, 0.1, 1.0),
        *(("rows of low and high values", uneven, 0.1, beta) for beta in (0.5, 4.0)),
    ):
        what = name if beta == 1 else f"{name}, beta {beta}"
        operand = ProbeOperand(x, qparams(scale, 5))
        yield probe(f"{what}, scale {scale}", opcode, [operand], wanted, ProbeExtras(options={"beta": beta}))


def _scales_text(scales: Sequence[Scale]) -> str:
    *given, wanted = (f"{scale:.4g} ({zero})" for scale, zero in scales)
    return f"{', '.join(given)} to {wanted}"
