"""Defects of convolutions, sums and pools, each compared with its definition as loops over integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.cases.probes.catalogue import probes
from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.registry import DEFECTS, Arguments, defect
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import run
from litecheck.reference.numerics import fixedpoint as fp
from litecheck.reference.registry import Kernel, kernels

Ints = NDArray[Any]
RNG = np.random.default_rng(7)
INPUT, OUTPUT = (0.05, -9), (0.7, -40)
RELU6 = -40, -40 + 9  # 6 / 0.7 is 8.57


def arithmetic(opcode: str, **stages: str) -> Arithmetic:
    base = load_arithmetic("litert-reference")
    return replace(base, stages={**base.stages, opcode: {**base.variants(opcode), **stages}})


@dataclass(frozen=True)
class Layer:
    """Convolution 3 x 3, SAME, stride 2, RELU6, of a batch with uneven padding; ``deep`` is depthwise."""

    x: Ints
    w: Ints
    bias: Ints
    scales: NDArray[np.float32]
    deep: bool

    @staticmethod
    def drawn(deep: bool, large: bool = False) -> Layer:
        depth, channels = (6, 6) if deep else (5, 6)
        shape = (1, 3, 3, depth) if deep else (channels, 3, 3, depth)
        low = 100 if large else -128
        x, w = RNG.integers(low, 128, (1, 8, 6, depth)), RNG.integers(max(low, -127), 128, shape)
        w = (
            w * np.where(RNG.random(shape) < 0.3, -1, 1)
            if large
            else np.where(RNG.random(shape) < 0.5, -128, w)
        )
        bias = RNG.integers(-20_000, 20_000, channels)
        scales = np.exp2(RNG.uniform(-9, -4, channels)).astype(np.float32)
        bias[0], scales[0] = 40_000, 2**-9  # beyond 16 bits
        return Layer(x, w, bias, scales * (0.1 if large else 1), deep)

    @property
    def opcode(self) -> str:
        return "DEPTHWISE_CONV_2D" if self.deep else "CONV_2D"

    def model(self) -> Model:
        builder = ModelBuilder()
        graph = builder.subgraph()
        x = graph.tensor("x", self.x.shape, "int8", qparams(*INPUT))
        w = graph.constant("w", self.w.astype(np.int8), qparams(self.scales, 0, 3 if self.deep else 0))
        b = graph.constant("b", self.bias.astype(np.int32), qparams(self.scales * np.float32(INPUT[0])))
        y = graph.tensor("y", (1, 4, 3, len(self.bias)), "int8", qparams(*OUTPUT))
        options: dict[str, Any] = {"depth_multiplier": 1} if self.deep else {}
        graph.add(self.opcode, [x, w, b], [y], padding="SAME", stride_h=2, stride_w=2,
                  fused_activation_function="RELU6", **options)  # fmt: skip
        graph.inputs(x)
        graph.outputs(y)
        return builder.finish()

    def made(self, defect: str) -> Ints:
        chosen = arithmetic(self.opcode, defect=defect)
        return run(self.model(), (self.x.astype(np.int8),), arithmetic=chosen).outputs["y"].astype(np.int64)

    def taps(self, y: int, x: int, c: int, before: int) -> Iterator[tuple[int | None, int]]:
        """Yield (stored input, or None outside the image; weight), in the order of the loops."""
        for i, j in product(range(3), range(3)):
            row, column = 2 * y - before + i, 2 * x - before + j
            inside = 0 <= row < 8 and 0 <= column < 6
            for d in [c] if self.deep else range(self.x.shape[3]):
                stored = int(self.x[0, row, column, d]) if inside else None
                yield stored, int(self.w[0, i, j, d] if self.deep else self.w[c, i, j, d])


def saturated(x: int, bits: int) -> int:
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, x))


Pairs = list[tuple[int | None, int]]
Sum = Callable[[Pairs, int], int]
ZERO = INPUT[1]


def exact(taps: Pairs, bias: int) -> int:
    return sum((q - ZERO) * w for q, w in taps if q is not None) + bias


def accumulated(bits: int, bias_first: bool) -> Sum:
    def total(taps: Pairs, bias: int) -> int:
        acc = saturated(bias, bits) if bias_first else 0
        for q, w in taps:
            acc = saturated(acc + (0 if q is None else (q - ZERO) * w), bits)
        return acc if bias_first else saturated(acc + bias, bits)

    return total


def u8s8(taps: Pairs, bias: int) -> int:
    products = [((ZERO if q is None else q) + 128) * w for q, w in taps]
    whole = len(products) // 2 * 2
    acc = sum(saturated(products[n] + products[n + 1], 16) for n in range(0, whole, 2)) + sum(
        products[whole:]
    )
    return acc - (128 + ZERO) * sum(w for _, w in taps) + bias


def wrapping(bits: int) -> Sum:
    half = 1 << (bits - 1)
    return lambda taps, bias: (exact(taps, bias) + half) % (2 * half) - half


def halved(taps: Pairs, bias: int) -> int:
    acc = np.float16(0)
    with np.errstate(over="ignore"):
        for addend in (*((q - ZERO) * w for q, w in taps if q is not None), bias):
            acc = np.float16(float(acc) + addend)
    return int(max(-(2.0**31), min(float(acc), 2.0**31 - 1)))


def neighbours(biases: Ints) -> Ints:
    """Return the biases of neighboring channels. The last block of four among six channels has two channels."""
    return np.array([*biases[:4], biases[3], biases[4]])


def finished(rescaled: int) -> int:
    return max(RELU6[0], min(rescaled + OUTPUT[1], RELU6[1]))


def low_byte(x: int) -> int:
    return (x + 128) % 256 - 128


@dataclass(frozen=True)
class Wrong:
    """Parts of a layer that a defect changes: the sum, the scales, the biases, the padding before, the separate bias,
    the end.
    """

    total: Sum = exact
    scale: Callable[[NDArray[Any]], NDArray[Any]] = lambda scales: scales
    biases: Callable[[Ints], Ints] = lambda biases: biases
    before: int = 0
    apart: bool = False
    finish: Callable[[int], int] = finished
    large: bool = False


WRONG: dict[str, Wrong] = {
    "none": Wrong(),
    "no-activation": Wrong(finish=lambda y: saturated(y + OUTPUT[1], 8)),
    "wraps": Wrong(finish=lambda y: max(RELU6[0], min(low_byte(y + OUTPUT[1]), RELU6[1]))),
    "no-input-zero-point": Wrong(lambda taps, b: sum((ZERO if q is None else q) * w for q, w in taps) + b),
    "no-input-zero-point-bare": Wrong(lambda taps, b: sum(q * w for q, w in taps if q is not None) + b),
    "no-output-zero-point": Wrong(finish=lambda y: max(RELU6[0], min(y, RELU6[1]))),
    "no-bias": Wrong(lambda taps, b: exact(taps, 0)),
    "bias-16": Wrong(lambda taps, b: exact(taps, saturated(b, 16))),
    "bias-16-wraps": Wrong(biases=lambda b: (b + 2**15) % 2**16 - 2**15),
    "neighbour-bias": Wrong(biases=neighbours),
    "swapped-weight-scales": Wrong(scale=lambda s: s[[1, 0, 3, 2, 5, 4]]),
    "int8-input-zero-point": Wrong(),
    "bias-apart": Wrong(apart=True),
    "symmetric-weights": Wrong(lambda taps, b: exact([(q, max(w, -127)) for q, w in taps], b)),
    "symmetric-output": Wrong(finish=lambda y: max(-127, finished(y))),
    "saturates-first": Wrong(finish=lambda y: finished(saturated(y, 8))),
    "no-dilation": Wrong(),
    "first-weight-scale": Wrong(scale=lambda s: np.full_like(s, s[0])),
    "largest-weight-scale": Wrong(scale=lambda s: np.full_like(s, s.max())),
    "zero-padding": Wrong(lambda taps, b: sum(((0 if q is None else q) - ZERO) * w for q, w in taps) + b),
    "padding-ahead": Wrong(before=1),
    "u8s8": Wrong(u8s8, large=True),
    "accumulator-16": Wrong(accumulated(16, False), large=True),
    "accumulator-16-bias-first": Wrong(accumulated(16, True), large=True),
    "accumulator-16-deep": Wrong(large=True),
    "accumulator-float16": Wrong(halved, large=True),
    "accumulator-16-wraps": Wrong(wrapping(16), large=True),
    "accumulator-20": Wrong(accumulated(20, False), large=True),
    "accumulator-20-bias-first": Wrong(accumulated(20, True), large=True),
    "accumulator-20-wraps": Wrong(wrapping(20), large=True),
    "accumulator-24": Wrong(accumulated(24, False), large=True),
    "accumulator-24-bias-first": Wrong(accumulated(24, True), large=True),
    "accumulator-24-wraps": Wrong(wrapping(24), large=True),
    "accumulator-32": Wrong(accumulated(32, False), large=True),
    "accumulator-32-bias-first": Wrong(accumulated(32, True), large=True),
}
#: Defects that seldom change an output of few products; ``test_smallest_weights_are_raised`` covers them.
FAINT = ("symmetric-weights",)
#: Defects that do not change these layers: their sums fit 20 bits and are not deep, no zero point is -128, nothing is
#: dilated, and RELU6 is well within the type.
HARMLESS = (
    *("none", "no-dilation", "symmetric-output", "saturates-first"),
    *("accumulator-16-deep", "int8-input-zero-point"),
    *(name for name in WRONG if any(bits in name for bits in ("-20", "-24", "-32"))),
)


@pytest.mark.parametrize("deep", [False, True], ids=["CONV_2D", "DEPTHWISE_CONV_2D"])
@pytest.mark.parametrize("name", WRONG)
def test_defects_of_convolutions_equal_their_definition(name: str, deep: bool) -> None:
    wrong = WRONG[name]
    layer = Layer.drawn(deep, wrong.large)
    real = np.float64(np.float32(INPUT[0])) * wrong.scale(layer.scales) / np.float64(np.float32(OUTPUT[0]))
    wanted = np.empty((1, 4, 3, len(layer.bias)), np.int64)
    for y, x, c in product(*map(range, wanted.shape[1:])):
        taps, bias = list(layer.taps(y, x, c, wrong.before)), int(wrong.biases(layer.bias)[c])
        sums = [exact(taps, 0), bias] if wrong.apart else [wrong.total(taps, bias)]
        multiplier = fp.quantize_multiplier(float(real[c]))
        wanted[0, y, x, c] = wrong.finish(int(fp.multiply_double(np.array(sums), *multiplier).sum()))
    np.testing.assert_array_equal(layer.made(name), wanted)
    if name not in FAINT:
        assert np.array_equal(layer.made("none"), wanted) == (name in HARMLESS)


def test_every_defect_of_a_convolution_has_a_definition() -> None:
    assert {*defects_of("CONV_2D"), *defects_of("DEPTHWISE_CONV_2D"), "none"} == set(WRONG)


def rows(defect: str, x: Ints, w: Ints, bias: Ints) -> Ints:
    """Return the output of FULLY_CONNECTED with int32-like sums: all scales are 1 and the output range is wide."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x.shape, "int8", qparams(1.0, ZERO))
    weights = graph.constant("w", w.astype(np.int8), qparams(1.0))
    biases = graph.constant("b", bias.astype(np.int32), qparams(1.0))
    y = graph.tensor("y", (len(x), len(w)), "int8", qparams(float(1 << 18)))
    graph.add("FULLY_CONNECTED", [given, weights, biases], [y])
    graph.inputs(given)
    graph.outputs(y)
    chosen = arithmetic("FULLY_CONNECTED", defect=defect)
    return run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"]


@pytest.mark.parametrize(("depth", "narrow"), [(256, False), (257, True)])
def test_only_deep_sums_are_narrow(depth: int, narrow: bool) -> None:
    x, w, bias = np.full((3, depth), 127), np.full((5, depth), 127), np.arange(5)
    made = rows("accumulator-16-deep", x, w, bias)
    np.testing.assert_array_equal(made, rows("accumulator-16" if narrow else "none", x, w, bias))
    assert (rows("accumulator-16", x, w, bias) != rows("none", x, w, bias)).all()


def test_a_zero_point_of_minus_128_is_negated_in_int8() -> None:
    """x + 128 becomes x - 128 for the zero point -128; all further zero points are correct."""
    x = np.arange(-128, 128).reshape(1, 256)
    for zero, taken in ((-128, 128), (-127, -127), (3, 3)):
        builder = ModelBuilder()
        graph = builder.subgraph()
        given, out = (
            graph.tensor(n, x.shape, t, qparams(0.5, z))
            for n, t, z in (("x", "int8", zero), ("y", "int16", 0))
        )
        graph.add("QUANTIZE", [given], [out])
        graph.inputs(given)
        graph.outputs(out)
        chosen = arithmetic("QUANTIZE", defect="int8-input-zero-point")
        made = run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"]
        np.testing.assert_array_equal(made, x - taken)


@pytest.mark.parametrize("bits", [16, 20, 24])
@pytest.mark.parametrize("suffix", ["", "-bias-first", "-wraps"])
def test_long_rows_leave_narrow_accumulators(bits: int, suffix: str) -> None:
    rng = np.random.default_rng(1)  # ``-bias-first`` may be equal: the bias decides if sums exceed 24 bits
    x = rng.integers(60, 128, (3, 1281))
    w = rng.integers(80, 128, (5, 1281)) * np.where(np.arange(1281) < 1000, 1, -1)
    bias = rng.integers(-(2**23), 2**23, 5)
    name = f"accumulator-{bits}{suffix}"
    total = wrapping(bits) if suffix == "-wraps" else accumulated(bits, suffix == "-bias-first")
    units = list(zip(w.tolist(), bias.tolist(), strict=True))
    sums = [[total(list(zip(q, v, strict=True)), b) for v, b in units] for q in x.tolist()]
    made = rows(name, x, w, bias)
    np.testing.assert_array_equal(made, fp.round_half_away(np.array(sums) / 2.0**18))
    assert (made != rows("none", x, w, bias)).any()


def test_smallest_weights_are_raised() -> None:
    x, w = RNG.integers(100, 128, (3, 1281)), RNG.choice([-128, 0, 5], (5, 1281))
    made, right = (rows(name, x, w, np.zeros(5)) for name in ("symmetric-weights", "none"))
    np.testing.assert_array_equal(made, rows("none", x, np.maximum(w, -127), np.zeros(5)))
    assert (made != right).any()


def pair(opcode: str, defect: str, x: Ints, y: Ints, **options: Any) -> Ints:
    builder = ModelBuilder()
    graph = builder.subgraph()
    lhs, rhs = (graph.tensor(n, x.shape, "int8", qparams(0.5, z)) for n, z in (("l", 3), ("r", -7)))
    out = graph.tensor("y", x.shape, "int8", qparams(0.5, 5))
    graph.add(opcode, [lhs, rhs], [out], **options)
    graph.inputs(lhs, rhs)
    graph.outputs(out)
    chosen = arithmetic(opcode, defect=defect)
    made = run(builder.finish(), (x.astype(np.int8), y.astype(np.int8)), arithmetic=chosen)
    return made.outputs["y"].astype(np.int64)


def test_defects_of_sums_equal_their_definition() -> None:
    """With equal scales a sum is the sum of the stored integers, so that nothing is rounded."""
    x, y = RNG.integers(-128, 128, (2, 400))
    total = (x - 3) + (y + 7)
    wanted = {
        "none": np.clip(total + 5, 5, 17),
        "no-activation": np.clip(total + 5, -128, 127),
        "wraps": np.clip(low_bytes(total + 5), 5, 17),
        "no-input-zero-point": np.clip(x + y + 5, 5, 17),
        "no-output-zero-point": np.clip(total, 5, 17),
    }
    same = ("saturates-first", "symmetric-output", "int8-input-zero-point")  # no zero point is -128
    wanted |= dict.fromkeys(same, wanted["none"])
    assert set(wanted) == {"none", *defects_of("ADD")}
    for name, expected in wanted.items():
        made = pair("ADD", name, x, y, fused_activation_function="RELU6")
        np.testing.assert_array_equal(made, expected, err_msg=name)
        assert (expected is wanted["none"]) == np.array_equal(expected, wanted["none"])
    ends = {
        "none": np.clip(total + 5, -128, 127),
        "saturates-first": np.clip(np.clip(total, -128, 127) + 5, -128, 127),
        "symmetric-output": np.clip(total + 5, -127, 127),
    }
    for name, expected in ends.items():
        np.testing.assert_array_equal(pair("ADD", name, x, y), expected, err_msg=name)
        assert name == "none" or (expected != ends["none"]).any()


def low_bytes(x: Ints) -> Ints:
    return (x + 128) % 256 - 128


def pooled(opcode: str, defect: str, x: Ints, zero_point: int = 0) -> Ints:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x.shape, "int8", qparams(0.5, zero_point))
    out = graph.tensor("y", (1, 3, 3, 1), "int8", qparams(0.5, zero_point))
    graph.add(opcode, [given], [out], padding="SAME", stride_h=2, stride_w=2, filter_height=3, filter_width=2)
    graph.inputs(given)
    graph.outputs(out)
    chosen = arithmetic(opcode, defect=defect)
    return run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"][0, :, :, 0]


def test_a_pool_with_its_odd_padding_before() -> None:
    """6 rows under windows of 3 leave one row of padding, 5 columns under windows of 2 one column."""
    x = RNG.integers(-128, 128, (6, 5))
    windows = [
        [x[max(0, 2 * i - 1) : 2 * i + 2, max(0, 2 * j - 1) : 2 * j + 1] for j in range(3)] for i in range(3)
    ]
    stored = x.reshape(1, 6, 5, 1)
    assert pooled("MAX_POOL_2D", "padding-ahead", stored).tolist() == [
        [int(w.max()) for w in r] for r in windows
    ]
    means = [[int(fp.round_half_away(np.array(w.mean()))) for w in r] for r in windows]
    assert pooled("AVERAGE_POOL_2D", "padding-ahead", stored).tolist() == means
    assert pooled("AVERAGE_POOL_2D", "none", stored).tolist() != means


@pytest.mark.parametrize(("defect", "margin"), [("counts-padding", 3), ("counts-padding-bare", 0)])
def test_a_pool_that_counts_its_padding(defect: str, margin: int) -> None:
    """All windows are 3 x 2; outside the image they have the zero point, or a stored 0."""
    x = RNG.integers(-128, 128, (6, 5))
    wide = np.pad(x, ((0, 1), (0, 1)), constant_values=margin)
    windows = [[wide[2 * i : 2 * i + 3, 2 * j : 2 * j + 2] for j in range(3)] for i in range(3)]
    means = [[int(fp.round_half_away(np.array(w.mean()))) for w in r] for r in windows]
    assert pooled("AVERAGE_POOL_2D", defect, x.reshape(1, 6, 5, 1), 3).tolist() == means
    assert pooled("AVERAGE_POOL_2D", "none", x.reshape(1, 6, 5, 1), 3).tolist() != means


def dilated(defect: str, x: Ints, w: Ints, padding: str, dilation: int) -> Ints:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x.shape, "int8", qparams(0.5, 3))
    weights = graph.constant("w", w.astype(np.int8), qparams(0.5))
    shape = (1, 6, 6, len(w)) if padding == "SAME" else (1, 6 - 2 * dilation, 6 - 2 * dilation, len(w))
    out = graph.tensor("y", shape, "int8", qparams(32.0))
    graph.add("CONV_2D", [given, weights, -1], [out], padding=padding, stride_h=1, stride_w=1,
              dilation_h_factor=dilation, dilation_w_factor=dilation)  # fmt: skip
    graph.inputs(given)
    graph.outputs(out)
    chosen = arithmetic("CONV_2D", defect=defect)
    return run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_convolution_that_ignores_dilation(padding: str) -> None:
    """The output has its stated shape, although an ignored dilation needs less padding."""
    x, w = RNG.integers(-128, 128, (1, 6, 6, 2)), RNG.integers(-128, 128, (3, 3, 3, 2))
    near = dilated("none", x, w, padding, 1)
    made, right = (dilated(name, x, w, padding, 2) for name in ("no-dilation", "none"))
    np.testing.assert_array_equal(made, near[:, : right.shape[1], : right.shape[2]])
    assert (made != right).any()


def test_a_mean_that_is_rounded_before_it_is_rescaled() -> None:
    x = RNG.integers(-128, 128, (1, 4, 2, 50))
    made = {}
    for name in ("none", "mean-first"):
        builder = ModelBuilder()
        graph = builder.subgraph()
        given = graph.tensor("x", x.shape, "int8", qparams(0.5, 3))
        axes = graph.constant("axes", np.array([1, 2], np.int32))
        out = graph.tensor("y", (1, 50), "int8", qparams(0.25, -5))
        graph.add("MEAN", [given, axes], [out])
        graph.inputs(given)
        graph.outputs(out)
        chosen = arithmetic("MEAN", defect=name)
        made[name] = run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"]
    means = fp.round_half_away(x.mean((1, 2)))
    np.testing.assert_array_equal(made["mean-first"], np.clip(2 * (means - 3) - 5, -128, 127))
    assert (made["mean-first"] != made["none"]).any()


def test_an_arithmetic_file_names_a_defect(tmp_path: Path) -> None:
    path = tmp_path / "acme.yaml"
    path.write_text("arithmetic: acme\noperators:\n  ADD:\n    defect: wraps\n")
    assert load_arithmetic(path).variants("ADD")["defect"] == "wraps"
    path.write_text("arithmetic: acme\noperators:\n  ADD:\n    defect: no-bias\n")
    with pytest.raises(ProfileError, match="ADD has no defect 'no-bias'"):
        load_arithmetic(path)


def test_defects_exist_for_operators_that_have_the_defective_step() -> None:
    for opcode, found in kernels().items():
        names = defects_of(opcode)
        roles = {role for kernel in found for role in kernel.function.__annotations__}
        assert "no-bias" not in names or "bias" in roles
        assert "first-weight-scale" not in names or "weight" in roles
        assert "no-input-zero-point" not in names or roles & {"input", "lhs"}
    assert all(defect.description for defect in DEFECTS.values())


def test_an_svdf_that_ignores_its_zero_point_equals_zero_point_0() -> None:
    probe = probes("SVDF")[0]
    graph = probe.subgraph
    (index,) = graph.inputs
    zero = replace(graph.tensors[index].quantization, zero_point=np.zeros(1, np.int64))
    tensors = tuple(replace(t, quantization=zero) if t.index == index else t for t in graph.tensors)
    other = replace(probe.model, subgraphs=(replace(graph, tensors=tensors),))
    chosen = arithmetic("SVDF", defect="no-input-zero-point")
    made = [
        run(model, probe.runs[0], arithmetic=a).outputs["output"]
        for model, a in (
            (probe.model, chosen),
            (other, "litert-reference"),
            (probe.model, "litert-reference"),
        )
    ]
    np.testing.assert_array_equal(made[0], made[1])
    assert (made[0] != made[2]).any()


def test_a_defect_is_added_in_one_place() -> None:
    """A function with a name, a description and operators is known to arithmetic files and used by kernels."""

    @defect("upside-down", "the result is turned over", lambda facts: facts.elementwise == "binary")
    def upside_down(kernel: Kernel, given: Arguments) -> Any:
        """Invert all bits of the output."""
        return ~kernel.function(**given)

    defects_of.cache_clear()
    try:
        x, y = RNG.integers(-128, 128, (2, 40))
        assert "upside-down" in defects_of("ADD")
        assert "upside-down" not in defects_of("CONV_2D")
        right, wrong = pair("ADD", "none", x, y), pair("ADD", "upside-down", x, y)
        np.testing.assert_array_equal(wrong, ~right)
    finally:
        del DEFECTS["upside-down"]
        defects_of.cache_clear()


def test_a_result_of_16_bits_wraps() -> None:
    """30000 * 0.01 + 30000 * 0.01 in steps of 0.01 is 60000; the lowest 16 bits are 60000 - 65536."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    lhs, rhs, out = (graph.tensor(name, (1,), "int16", qparams(0.01)) for name in ("l", "r", "y"))
    graph.add("ADD", [lhs, rhs], [out])
    graph.inputs(lhs, rhs)
    graph.outputs(out)
    model, inputs = builder.finish(), (np.array([30000], np.int16),) * 2
    for chosen, wanted in ((arithmetic("ADD"), 32767), (arithmetic("ADD", defect="wraps"), -5536)):
        assert run(model, inputs, arithmetic=chosen).outputs["y"].tolist() == [wanted]


@pytest.mark.parametrize(("name", "border"), [("none", -5), ("zero-border", 0)])
def test_a_border_of_zero_points(name: str, border: int) -> None:
    """PAD adds the zero point -5 on both sides of (1, 2), SPACE_TO_BATCH_ND before them only."""
    for opcode in ("PAD", "SPACE_TO_BATCH_ND"):
        builder = ModelBuilder()
        graph = builder.subgraph()
        image = opcode != "PAD"
        x = graph.tensor("x", (1, 1, 2, 1) if image else (2,), "int8", qparams(0.5, -5))
        y = graph.tensor("y", (3, 1, 1, 1) if image else (4,), "int8", qparams(0.5, -5))
        block = [graph.constant("block", np.array([1, 3], np.int32))] if image else []
        pads = np.array([[0, 0], [1, 0]] if image else [[1, 1]], np.int32)
        graph.add(opcode, [x, *block, graph.constant("pads", pads)], [y])
        graph.inputs(x)
        graph.outputs(y)
        chosen = arithmetic(opcode, defect=name)
        data = np.array([1, 2], np.int8).reshape((1, 1, 2, 1) if image else (2,))
        made = run(builder.finish(), (data,), arithmetic=chosen).outputs["y"].reshape(-1).tolist()
        assert made == ([border, 1, 2] if image else [border, 1, 2, border]), opcode


def test_operators_with_a_border() -> None:
    known = {opcode for opcode in kernels() if "zero-border" in defects_of(opcode)}
    assert known == {"PAD", "SPACE_TO_BATCH_ND"}
