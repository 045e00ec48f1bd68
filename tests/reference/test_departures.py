"""Ways to compute wrongly, each against what goes wrong written out as loops over integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.reference import fixedpoint as fp
from litecheck.reference.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.departures import DEPARTURES, departures
from litecheck.reference.interpreter import run
from litecheck.reference.registry import kernels

Ints = NDArray[Any]
RNG = np.random.default_rng(7)
INPUT, OUTPUT = (0.05, -9), (0.7, -40)
RELU6 = -40, -40 + 9  # 6 / 0.7 is 8.57


def arithmetic(opcode: str, **stages: str) -> Arithmetic:
    base = load_arithmetic("litert-reference")
    return replace(base, stages={**base.stages, opcode: {**base.how(opcode), **stages}})


@dataclass(frozen=True)
class Layer:
    """A convolution 3 x 3, SAME, stride 2, RELU6, of an image whose margins are odd; ``deep`` is depthwise."""

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
        w = w * np.where(RNG.random(shape) < 0.3, -1, 1) if large else w
        bias = RNG.integers(-20_000, 20_000, channels)
        scales = np.exp2(RNG.uniform(-9, -4, channels)).astype(np.float32)
        return Layer(x, w, bias, scales * (0.1 if large else 1), deep)

    @property
    def opcode(self) -> str:
        return "DEPTHWISE_CONV_2D" if self.deep else "CONV_2D"

    def model(self) -> Model:
        builder = ModelBuilder()
        graph = builder.subgraph()
        x = graph.tensor("x", self.x.shape, "int8", quantized(*INPUT))
        w = graph.constant("w", self.w.astype(np.int8), quantized(self.scales, 0, 3 if self.deep else 0))
        b = graph.constant("b", self.bias.astype(np.int32), quantized(self.scales * np.float32(INPUT[0])))
        y = graph.tensor("y", (1, 4, 3, len(self.bias)), "int8", quantized(*OUTPUT))
        options: dict[str, Any] = {"depth_multiplier": 1} if self.deep else {}
        graph.add(self.opcode, [x, w, b], [y], padding="SAME", stride_h=2, stride_w=2,
                  fused_activation_function="RELU6", **options)  # fmt: skip
        graph.inputs(x)
        graph.outputs(y)
        return builder.finish()

    def made(self, departure: str) -> Ints:
        chosen = arithmetic(self.opcode, departure=departure)
        return run(self.model(), (self.x.astype(np.int8),), arithmetic=chosen).outputs["y"].astype(np.int64)

    def taps(self, y: int, x: int, c: int, before: int) -> Iterator[tuple[int | None, int]]:
        """(stored input, or None where the window leaves the image; weight), in the order of the loops."""
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


def finished(rescaled: int) -> int:
    return max(RELU6[0], min(rescaled + OUTPUT[1], RELU6[1]))


def low_byte(x: int) -> int:
    return (x + 128) % 256 - 128


@dataclass(frozen=True)
class Wrong:
    """What a departure changes of a layer: the sum, the scales, the margin in front, the end."""

    total: Sum = exact
    scale: Callable[[NDArray[Any]], NDArray[Any]] = lambda scales: scales
    before: int = 0
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
    "first-weight-scale": Wrong(scale=lambda s: np.full_like(s, s[0])),
    "largest-weight-scale": Wrong(scale=lambda s: np.full_like(s, s.max())),
    "zero-padding": Wrong(lambda taps, b: sum(((0 if q is None else q) - ZERO) * w for q, w in taps) + b),
    "padding-ahead": Wrong(before=1),
    "u8s8": Wrong(u8s8, large=True),
    "accumulator-16": Wrong(accumulated(16, False), large=True),
    "accumulator-16-bias-first": Wrong(accumulated(16, True), large=True),
    "accumulator-24": Wrong(accumulated(24, False), large=True),
    "accumulator-24-bias-first": Wrong(accumulated(24, True), large=True),
    "accumulator-32": Wrong(accumulated(32, False), large=True),
    "accumulator-32-bias-first": Wrong(accumulated(32, True), large=True),
}
#: Sums of so few products do not leave 24 bits.
HARMLESS = ("none", *(name for name in WRONG if "-24" in name or "-32" in name))


@pytest.mark.parametrize("deep", [False, True], ids=["CONV_2D", "DEPTHWISE_CONV_2D"])
@pytest.mark.parametrize("name", WRONG)
def test_convolutions_go_wrong_as_written(name: str, deep: bool) -> None:
    wrong = WRONG[name]
    layer = Layer.drawn(deep, wrong.large)
    real = np.float64(np.float32(INPUT[0])) * wrong.scale(layer.scales) / np.float64(np.float32(OUTPUT[0]))
    wanted = np.empty((1, 4, 3, len(layer.bias)), np.int64)
    for y, x, c in product(*map(range, wanted.shape[1:])):
        total = wrong.total(list(layer.taps(y, x, c, wrong.before)), int(layer.bias[c]))
        multiplier = fp.quantize_multiplier(float(real[c]))
        wanted[0, y, x, c] = wrong.finish(int(fp.multiply_double(np.array([total]), *multiplier)[0]))
    np.testing.assert_array_equal(layer.made(name), wanted)
    assert np.array_equal(layer.made("none"), wanted) == (name in HARMLESS)


def test_every_departure_of_a_convolution_is_written_out() -> None:
    assert {*departures("CONV_2D"), *departures("DEPTHWISE_CONV_2D"), "none"} == set(WRONG)


def rows(departure: str, x: Ints, w: Ints, bias: Ints) -> Ints:
    """FULLY_CONNECTED that only adds up: all scales are 1 and the output is wide enough."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x.shape, "int8", quantized(1.0, ZERO))
    weights = graph.constant("w", w.astype(np.int8), quantized(1.0))
    biases = graph.constant("b", bias.astype(np.int32), quantized(1.0))
    y = graph.tensor("y", (len(x), len(w)), "int8", quantized(float(1 << 18)))
    graph.add("FULLY_CONNECTED", [given, weights, biases], [y])
    graph.inputs(given)
    graph.outputs(y)
    chosen = arithmetic("FULLY_CONNECTED", departure=departure)
    return run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"]


@pytest.mark.parametrize("bits", [16, 24])
@pytest.mark.parametrize("bias_first", [False, True])
def test_long_rows_leave_narrow_accumulators(bits: int, bias_first: bool) -> None:
    x = RNG.integers(60, 128, (3, 1281))
    w = RNG.integers(80, 128, (5, 1281)) * np.where(np.arange(1281) < 1000, 1, -1)
    bias = RNG.integers(-(2**23), 2**23, 5)
    name = f"accumulator-{bits}" + ("-bias-first" if bias_first else "")
    total = accumulated(bits, bias_first)
    units = list(zip(w.tolist(), bias.tolist(), strict=True))
    sums = [[total(list(zip(q, v, strict=True)), b) for v, b in units] for q in x.tolist()]
    made = rows(name, x, w, bias)
    np.testing.assert_array_equal(made, fp.round_half_away(np.array(sums) / 2.0**18))
    assert (made != rows("none", x, w, bias)).any()


def pair(opcode: str, departure: str, x: Ints, y: Ints, **options: Any) -> Ints:
    builder = ModelBuilder()
    graph = builder.subgraph()
    lhs, rhs = (graph.tensor(n, x.shape, "int8", quantized(0.5, z)) for n, z in (("l", 3), ("r", -7)))
    out = graph.tensor("y", x.shape, "int8", quantized(0.5, 5))
    graph.add(opcode, [lhs, rhs], [out], **options)
    graph.inputs(lhs, rhs)
    graph.outputs(out)
    chosen = arithmetic(opcode, departure=departure)
    made = run(builder.finish(), (x.astype(np.int8), y.astype(np.int8)), arithmetic=chosen)
    return made.outputs["y"].astype(np.int64)


def test_sums_go_wrong_as_written() -> None:
    """With one scale everywhere a sum is the sum of the stored integers, so nothing is rounded."""
    x, y = RNG.integers(-128, 128, (2, 400))
    total = (x - 3) + (y + 7)
    wanted = {
        "none": np.clip(total + 5, 5, 17),
        "no-activation": np.clip(total + 5, -128, 127),
        "wraps": np.clip(low_bytes(total + 5), 5, 17),
        "no-input-zero-point": np.clip(x + y + 5, 5, 17),
        "no-output-zero-point": np.clip(total, 5, 17),
    }
    assert set(wanted) == {"none", *departures("ADD")}
    for name, expected in wanted.items():
        made = pair("ADD", name, x, y, fused_activation_function="RELU6")
        np.testing.assert_array_equal(made, expected, err_msg=name)
        assert name == "none" or (expected != wanted["none"]).any()


def low_bytes(x: Ints) -> Ints:
    return (x + 128) % 256 - 128


def pooled(opcode: str, departure: str, x: Ints) -> Ints:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", x.shape, "int8", quantized(0.5))
    out = graph.tensor("y", (1, 3, 3, 1), "int8", quantized(0.5))
    graph.add(opcode, [given], [out], padding="SAME", stride_h=2, stride_w=2, filter_height=3, filter_width=2)
    graph.inputs(given)
    graph.outputs(out)
    chosen = arithmetic(opcode, departure=departure)
    return run(builder.finish(), (x.astype(np.int8),), arithmetic=chosen).outputs["y"][0, :, :, 0]


def test_a_pool_with_its_odd_margin_in_front() -> None:
    """6 rows under windows of 3 leave one row of margin, 5 columns under windows of 2 one column."""
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


def test_an_arithmetic_file_names_a_departure(tmp_path: Path) -> None:
    path = tmp_path / "acme.yaml"
    path.write_text("arithmetic: acme\noperators:\n  ADD:\n    departure: wraps\n")
    assert load_arithmetic(path).how("ADD")["departure"] == "wraps"
    path.write_text("arithmetic: acme\noperators:\n  ADD:\n    departure: no-bias\n")
    with pytest.raises(ProfileError, match="ADD has no departure 'no-bias'"):
        load_arithmetic(path)


def test_departures_concern_operators_that_have_what_goes_wrong() -> None:
    for opcode, found in kernels().items():
        names = departures(opcode)
        roles = {role for kernel in found for role in kernel.function.__annotations__}
        assert "no-bias" not in names or "bias" in roles
        assert "first-weight-scale" not in names or "weight" in roles
        assert "no-input-zero-point" not in names or roles & {"input", "lhs"}
    assert all(departure.does for departure in DEPARTURES.values())
