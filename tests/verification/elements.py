"""Models of a single operator with random operands, for the explanation of a single element."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from litecheck.cases.model_parts import Case, operators
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.comparison.element import ElementSite, Exact
from litecheck.comparison.exact_accumulator import exact
from litecheck.model.build import qparams
from litecheck.model.types import Model
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import bind
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.runtime_tensors import OutputSpec

Rng = np.random.Generator
Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Made:
    """A model of a single operator, and its inputs."""

    model: Model
    inputs: Arrays

    @property
    def case(self) -> Case:
        return next(operators(self.model, self.model.subgraphs[0]))

    def output(self, arithmetic: Arithmetic | str = "litert-reference") -> np.ndarray:
        run = ReferenceInterpreter(self.model, arithmetic).invoke(self.inputs)
        return next(iter(run.outputs.values()))

    def site(self, index: tuple[int, ...], zero_point: int | None = None) -> ElementSite:
        """Return an element's operands; ``zero_point`` replaces the zero point of the first input."""
        interpreter, subgraph = ReferenceInterpreter(self.model), self.model.subgraphs[0]
        operator = subgraph.operators[0]
        tensors = dict(zip(subgraph.inputs, self.inputs, strict=True))
        values = [interpreter.operand(subgraph, i, tensors) if i >= 0 else None for i in operator.inputs]
        roles = bind(subgraph, operator, load_arithmetic("litert-reference")).roles.inputs
        operands = {role: v for role, v in zip(roles, values, strict=False) if v is not None}
        if zero_point is not None:
            role = next(r for r in ("input", "lhs") if r in operands)
            old = operands[role]
            scale = old.quantization.scale
            operands[role] = type(old)(old.data, old.dtype, qparams(scale, zero_point))
        tensor = subgraph.tensors[operator.outputs[0]]
        wanted = OutputSpec(tensor.dtype, tensor.shape, tensor.quantization)
        return ElementSite(operands, wanted, operator.options, index)


def draw(rng: Rng, shape: tuple[int, ...], dtype: str = "int8") -> np.ndarray:
    low, high = INTEGER_RANGES[dtype]
    return rng.integers(low, high + 1, shape).astype(dtype)


def single_operator(
    opcode: str,
    inputs: Mapping[str, tuple[np.ndarray, Any]],
    constants: Mapping[str, tuple[np.ndarray, Any]],
    order: str,
    shape: tuple[int, ...],
    out: Any,
    dtype: str = "int8",
    **options: Any,
) -> Made:
    """Return a model of an operator; ``order`` names its operands in file order.

    A bias ``b`` has the product of the scales of x and w.
    """
    if "b" in constants:
        of_bias = qparams((inputs["x"][1].scale * constants["w"][1].scale).tolist())
        constants = {**constants, "b": (constants["b"][0], of_bias)}
    held = {name: constant(name, a, q) for name, (a, q) in constants.items()}
    given = {name: run_time(name, a.shape, a.dtype.name, q) for name, (a, q) in inputs.items()}
    output = run_time("out", shape, dtype, out)
    model = one_operator(opcode, [(given | held)[name] for name in order.split()], [output], options)
    return Made(model, tuple(inputs[name][0] for name in order.split() if name in inputs))


def scales(rng: Rng, count: int) -> list[float]:
    return rng.uniform(0.003, 0.02, count).tolist()


def conv(
    rng: Rng, dtype: str = "int8", padding: str = "SAME", stride: int = 2, groups: int = 1, gap: int = 1
) -> Made:
    zero = 0 if dtype == "int16" else int(rng.integers(-20, 20)) + (128 if dtype == "uint8" else 0)
    x = draw(rng, (2, 6, 7, 4), dtype)
    kind, per = ("uint8", qparams(0.01, 131)) if dtype == "uint8" else ("int8", qparams(scales(rng, 6)))
    w = draw(rng, (6, 3, 2, 4 // groups), kind)
    b = rng.integers(-3000, 3000, 6).astype("int64" if dtype == "int16" else "int32")
    rows = -(-6 // stride) if padding == "SAME" else (6 - 2 * gap - 1) // stride + 1
    columns = -(-7 // stride) if padding == "SAME" else (7 - gap - 1) // stride + 1
    out = qparams(2.0 if dtype == "int16" else 0.05, 0 if dtype == "int16" else 5)
    return single_operator(
        "CONV_2D", {"x": (x, qparams(0.05, zero))}, {"w": (w, per), "b": (b, None)}, "x w b",
        (2, rows, columns, 6), out, dtype, padding=padding, stride_h=stride, stride_w=stride,
        dilation_h_factor=gap, dilation_w_factor=gap, fused_activation_function="RELU" if stride == 2 else "NONE",
    )  # fmt: skip


def depthwise(rng: Rng) -> Made:
    x, w = draw(rng, (1, 5, 6, 3)), draw(rng, (1, 3, 3, 6))
    b = rng.integers(-3000, 3000, 6).astype(np.int32)
    constants = {"w": (w, qparams(scales(rng, 6), axis=3)), "b": (b, None)}
    return single_operator(
        "DEPTHWISE_CONV_2D", {"x": (x, qparams(0.05, 9))}, constants, "x w b", (1, 5, 6, 6), qparams(0.07, -3),
        padding="SAME", stride_h=1, stride_w=1, depth_multiplier=2, dilation_h_factor=1, dilation_w_factor=1,
    )  # fmt: skip


def transposed(rng: Rng, padding: str) -> Made:
    x, w, b = draw(rng, (1, 3, 4, 5)), draw(rng, (2, 3, 3, 5)), rng.integers(-3000, 3000, 2).astype(np.int32)
    shape = (1, 6, 8, 2) if padding == "SAME" else (1, 7, 9, 2)
    constants = {"s": (np.array(shape, np.int32), None), "w": (w, qparams(scales(rng, 2))), "b": (b, None)}
    return single_operator(
        "TRANSPOSE_CONV", {"x": (x, qparams(0.05, -7))}, constants, "s w x b", shape, qparams(0.08, 2),
        padding=padding, stride_h=2, stride_w=2,
    )  # fmt: skip


def dense(rng: Rng, per_axis: bool = True, depth: int = 20, bias: bool = True) -> Made:
    x, w = draw(rng, (2, 3, depth)), draw(rng, (7, depth))
    b = rng.integers(-3000, 3000, 7).astype(np.int32)
    constants = {
        "w": (w, qparams(scales(rng, 7) if per_axis else 0.01)),
        **({"b": (b, None)} if bias else {}),
    }
    out = qparams(0.09, 4)
    return single_operator(
        "FULLY_CONNECTED",
        {"x": (x, qparams(0.05, -9))},
        constants,
        " ".join(("x", *constants)),
        (6, 7),
        out,
    )


def matmul(rng: Rng) -> Made:
    inputs = {
        "l": (draw(rng, (2, 1, 6, 4)), qparams(0.05, 3)),
        "r": (draw(rng, (3, 5, 6)), qparams(0.04, -2)),
    }
    out = qparams(0.2, 1)
    return single_operator("BATCH_MATMUL", inputs, {}, "l r", (2, 3, 4, 5), out, adj_x=True, adj_y=True)


def pair(opcode: str) -> Callable[[Rng], Made]:
    def make(rng: Rng) -> Made:
        left, right, out = (qparams(rng.uniform(0.02, 0.06), int(rng.integers(-20, 20))) for _ in range(3))
        if opcode in ("MUL", "SQUARED_DIFFERENCE"):
            out = qparams(0.2, -11)
        inputs = {"l": (draw(rng, (2, 3, 50)), left), "r": (draw(rng, (3, 1)), right)}
        return single_operator(opcode, inputs, {}, "l r", (2, 3, 50), out)

    return make


def tied_sum(rng: Rng) -> Made:
    """Return an ADD with scales that give sums at or near the middle between two stored values."""
    left, right = (draw(rng, (2, 3, 50)), qparams(0.1, 3)), (draw(rng, (2, 3, 50)), qparams(0.3, -7))
    return single_operator("ADD", {"l": left, "r": right}, {}, "l r", (2, 3, 50), qparams(0.2, 5))


def reduced(opcode: str, keep: bool) -> Callable[[Rng], Made]:
    def make(rng: Rng) -> Made:
        x, shape = draw(rng, (2, 4, 5, 9)), (2, 1, 1, 9) if keep else (2, 9)
        constants = {"axis": (np.array([2, -3], np.int32), None)}
        out = qparams(0.01 if opcode == "MEAN" else 0.2, 6)
        return single_operator(
            opcode, {"x": (x, qparams(0.03, -8))}, constants, "x axis", shape, out, keep_dims=keep
        )

    return make


def pooled(rng: Rng) -> Made:
    q = qparams(0.1, 5)
    return single_operator(
        "AVERAGE_POOL_2D", {"x": (draw(rng, (1, 6, 7, 3)), q)}, {}, "x", (1, 3, 4, 3), q,
        padding="SAME", stride_h=2, stride_w=2, filter_height=3, filter_width=3,
    )  # fmt: skip


def single(
    opcode: str, scale: float, out: Any, positive: bool = False, **options: Any
) -> Callable[[Rng], Made]:
    def make(rng: Rng) -> Made:
        x, zero = draw(rng, (3, 40)), -128 if positive else 7
        x[:, 0] += positive  # a logarithm or a reciprocal of 0 has no value
        return single_operator(
            opcode,
            {"x": (np.maximum(x, -127 if positive else -128), qparams(scale, zero))},
            {},
            "x",
            (3, 40),
            out,
            **options,
        )

    return make


def prelu(rng: Rng) -> Made:
    constants = {"a": (draw(rng, (1, 1, 8)), qparams(0.01, 4))}
    out = qparams(0.06, -3)
    return single_operator(
        "PRELU", {"x": (draw(rng, (2, 5, 5, 8)), qparams(0.05, 11))}, constants, "x a", (2, 5, 5, 8), out
    )


def quantize_real(rng: Rng) -> Made:
    x = rng.normal(0, 3, (4, 50)).astype(np.float32)
    return single_operator("QUANTIZE", {"x": (x, None)}, {}, "x", (4, 50), qparams(0.05, 3))


def resized(**options: bool) -> Callable[[Rng], Made]:
    def make(rng: Rng) -> Made:
        q, size = qparams(0.1, 5), {"s": (np.array([7, 9], np.int32), None)}
        return single_operator(
            "RESIZE_BILINEAR", {"x": (draw(rng, (1, 4, 5, 3)), q)}, size, "x s", (1, 7, 9, 3), q, **options
        )

    return make


_SINGLE = load_arithmetic("single-rounding")
_WIDE = {**_SINGLE.stages["CONV_2D"], "requantize/int64_sums": "float64"}
#: An arithmetic with a single rounding, and without a 16-bit multiplier for 64-bit sums.
ONCE = replace(_SINGLE, stages={**_SINGLE.stages, "CONV_2D": _WIDE})
#: Distance from the middle between two integers within which the rounding of multipliers decides.
TIE = Fraction(1, 2000)


def every(made: Made, zero_point: int | None = None) -> list[tuple[Exact | None, int]]:
    """Return every element's exact value and the kernel's output."""
    opcode, output = made.model.subgraphs[0].operators[0].opcode, made.output(ONCE)
    return [(exact(opcode, made.site(i, zero_point)), int(output[i])) for i in np.ndindex(output.shape)]


def rounded(made: Made, value: Exact) -> int:
    output = made.site((0,)).output
    low, high = stored_bounds(made.model.subgraphs[0].operators[0].options, output)
    return min(max(math.floor(value.quotient + Fraction(1, 2)) + value.zero_point, low), high)


def at_tie(value: Exact) -> bool:
    return abs(value.quotient - math.floor(value.quotient) - Fraction(1, 2)) < TIE


def agreeing(made: Made) -> int:
    """Return the number of elements that equal the kernel's; ties may be off by 1, all further elements must be
    equal."""
    compared = 0
    for value, kernel in every(made):
        assert value is not None
        if not at_tie(value):
            assert rounded(made, value) == kernel, value
            compared += 1
        else:
            assert abs(rounded(made, value) - kernel) <= 1
    return compared
