"""Smallest models that show faults of the simulator ``examples/npu.c``: the lines "smallest:" of its comment.

``python -m tests.differential.npu_models`` prints every fault without an effect on its model, and exits with 1.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.save import save_model
from litecheck.model.types import Model
from tests.differential.npu import SOURCE, compile_simulator

_LINE = re.compile(r"^ \* (\d+) ([A-Z0-9_]+) .+\n \*     smallest: (.+?)(?: \*/)?$", re.MULTILINE)
_TUPLE = re.compile(r"([a-z][a-z ]*?) \((\d[\d,]*)\)")
_COUNT = re.compile(r"(stride|dilation|multiplier|axis) (\d+)(?:x(\d+))?")
_AREA = re.compile(r"(window|block) (\d+)x(\d+)")
_WINDOWS = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D")
_COMPARISONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
#: Inferences of a model: enough for a difference that few values show; fewer of a large input.
RUNS, RUNS_OF_LARGE, LARGE = 8000, 200, 300

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Smallest:
    """Fault, its operator and the text of its smallest model."""

    number: int
    opcode: str
    text: str

    def shape(self, name: str, default: Shape = ()) -> Shape:
        """Return a shape or a list of numbers of the text: the last word before it is ``name``."""
        return next((s for n, s in self.shapes() if n.split()[-1] == name), default)

    def shapes(self) -> list[tuple[str, Shape]]:
        """Return all shapes and lists of numbers of the text."""
        return [(n, tuple(int(d) for d in s.split(",") if d)) for n, s in _TUPLE.findall(self.text)]

    def count(self, name: str, default: int = 1) -> int:
        """Return a number of the text: a dilation, a depth multiplier or an axis."""
        return next((int(n) for word, n, _ in _COUNT.findall(self.text) if word == name), default)

    def stride(self) -> tuple[int, int]:
        """Return the vertical and the horizontal stride; "stride 2" is both."""
        found = ((int(a), int(b or a)) for word, a, b in _COUNT.findall(self.text) if word == "stride")
        return next(found, (1, 1))

    def area(self, name: str) -> tuple[int, int]:
        """Return rows and columns of a window or a block; "block 2" is both."""
        found = [(int(a), int(b)) for word, a, b in _AREA.findall(self.text) if word == name]
        return found[0] if found else (2, 2)

    def activation(self) -> str:
        """Return the fused activation."""
        return next((a for a in ("RELU_N1_TO_1", "RELU6", "RELU") if a in self.text), "NONE")


@dataclass
class _Graph:
    """Subgraph under construction, the random generator and the quantization of its tensors."""

    graph: SubgraphBuilder
    rng: np.random.Generator
    kind: int
    single_scale: bool

    def computed(self, shape: Shape, second: bool = False) -> int:
        parameters = qparams(0.0173, -20) if second and self.kind == 4 else self.quantization()
        return self.graph.tensor(f"t{self.rng.integers(1 << 30)}", shape, "int8", parameters)

    def quantization(self) -> Any:
        """Return one of five quantizations: equal, a zero point of -128, a small scale, a large scale, unlike operands."""
        return qparams(*((0.05, 3), (0.03, -128), (1 / 256, -128), (0.4, 20), (0.0611, 7))[self.kind])

    def output(self, shape: Shape, dtype: str = "int8") -> int:
        quantization = qparams(*((0.05, 3), (0.047, -5), (1 / 128, 0), (0.4, 1), (0.0707, -9))[self.kind])
        return self.graph.tensor("y", shape, dtype, quantization if dtype == "int8" else None)

    def numbers(self, values: Sequence[Any]) -> int:
        return self.graph.constant(f"n{self.rng.integers(1 << 30)}", np.asarray(values, np.int32))

    def weights(self, shape: Shape, axis: int = 0) -> int:
        """Add weights with a scale per channel that keeps outputs in range; with the second quantization all are 127."""
        values = (
            np.full(shape, 127, np.int8) if self.kind == 1 else self.rng.integers(-127, 128, shape, np.int8)
        )
        channels, per = shape[axis], max(1, int(np.prod(shape)) // shape[axis])
        step = 0.02 / (4 * per if self.kind == 1 else per**0.5) / (16 if self.kind == 3 else 1)
        scales = (0.2 + self.rng.random(channels)) * step * 2.0 ** -(np.arange(channels) // 64 % 4)
        chosen = scales[:1] if self.single_scale else scales
        return self.graph.constant("w", values, qparams(chosen.astype(np.float32), 0, axis))

    def bias(self, channels: int) -> int:
        return self.graph.constant("b", self.rng.integers(-3000, 3000, channels, np.int32))


def _window(s: Smallest, g: _Graph) -> tuple[list[int], int, dict[str, Any]]:
    x, w = s.shape("x"), s.shape("w")
    stride, dilation, same = s.stride(), s.count("dilation"), "SAME" in s.text
    rows, columns = w[1:3] if w else (1, 1) if s.opcode == "DEPTHWISE_CONV_2D" else s.area("window")
    size = [(rows - 1) * dilation + 1, (columns - 1) * dilation + 1]
    high, wide = (
        -(-n // step) if same else (n - k) // step + 1
        for n, k, step in zip(x[1:3], size, stride, strict=True)
    )
    options: dict[str, Any] = {
        "padding": "SAME" if same else "VALID",
        "stride_h": stride[0],
        "stride_w": stride[1],
        "fused_activation_function": s.activation(),
    }
    if s.opcode.endswith("POOL_2D"):
        options |= {"filter_height": rows, "filter_width": columns}
        return [g.computed(x)], g.output((x[0], high, wide, x[3])), options
    options |= {"dilation_h_factor": dilation, "dilation_w_factor": dilation}
    if s.opcode == "CONV_2D":
        return [g.computed(x), g.weights(w), g.bias(w[0])], g.output((x[0], high, wide, w[0])), options
    times = w[3] // x[3] if w else s.count("multiplier")
    deep = x[3] * times
    options["depth_multiplier"] = times
    parts = [g.computed(x), g.weights((1, rows, columns, deep), 3), g.bias(deep)]
    return parts, g.output((x[0], high, wide, deep)), options


def _connected(s: Smallest, g: _Graph) -> tuple[list[int], int, dict[str, Any]]:
    x, w = s.shape("x"), s.shape("w")
    parts = [g.computed(x), g.weights(w), g.bias(w[0])]
    options = {"keep_num_dims": len(x) > 2, "fused_activation_function": s.activation()}
    return parts, g.output((*x[:-1], w[0])), options


def _pair(s: Smallest, g: _Graph) -> tuple[list[int], int, dict[str, Any]]:
    alias = "rhs is lhs" in s.text
    left, right = s.shape("lhs"), s.shape("lhs" if alias else "rhs")
    to = g.output(np.broadcast_shapes(left, right), "bool" if s.opcode in _COMPARISONS else "int8")
    values = g.rng.integers(-128, 128, right, np.int8)
    constant = "constant rhs" in s.text
    lhs = g.computed(left)
    rhs = (
        g.graph.constant("c", values, g.quantization())
        if constant
        else lhs
        if alias
        else g.computed(right, second=True)
    )
    return [lhs, rhs], to, {"fused_activation_function": s.activation()}


def _concatenation(s: Smallest, g: _Graph) -> tuple[list[int], int, dict[str, Any]]:
    parts, (_, first) = [], s.shapes()[0]
    axis, total = s.count("axis", len(first) - 1), 0
    for name, shape in (*s.shapes()[:1], *re.findall(r"(constant |)\((\d[\d,]*)\)", s.text)[1:]):
        dims = shape if isinstance(shape, tuple) else tuple(map(int, shape.split(",")))
        values = g.rng.integers(-128, 128, dims, np.int8)
        parts.append(
            g.graph.constant("c", values, g.quantization()) if name == "constant " else g.computed(dims)
        )
        total += dims[axis]
    return parts, g.output((*first[:axis], total, *first[axis + 1 :])), {"axis": axis}


def _moved(s: Smallest, g: _Graph) -> tuple[list[int], int, dict[str, Any]]:
    """Return the operators that have an input x, constants and no arithmetic."""
    x = s.shape("x")
    match s.opcode:
        case "SLICE":
            begin, size = s.shape("begin"), s.shape("size")
            return [g.computed(x), g.numbers(begin), g.numbers(size)], g.output(size), {}
        case "PAD" | "PADV2":
            at = next((n for n, side in enumerate(("height", "width"), 1) if s.shape(side)), len(x) - 1)
            pads = [(0, 0)] * len(x)
            pads[at] = s.shape("padding") or s.shape("height") or s.shape("width")
            to = g.output(tuple(n + sum(pad) for n, pad in zip(x, pads, strict=True)))
            value = [g.graph.constant("v", np.asarray([7], np.int8), g.quantization())] * (
                s.opcode == "PADV2"
            )
            return [g.computed(x), g.numbers(pads), *value], to, {}
        case "TRANSPOSE":
            order = s.shape("permutation")
            return [g.computed(x), g.numbers(order)], g.output(tuple(x[d] for d in order)), {}
        case "GATHER":
            count, axis = s.shape("indices")[0], s.count("axis", 0)
            indices = g.numbers(1 - np.arange(count) % 2)
            return [g.computed(x), indices], g.output((*x[:axis], count, *x[axis + 1 :])), {"axis": axis}
        case "MEAN":
            axis = s.count("axis")
            return (
                [g.computed(x), g.numbers([axis])],
                g.output((*x[:axis], *x[axis + 1 :])),
                {"keep_dims": False},
            )
        case "ARG_MAX":
            axis = s.count("axis", 0)
            to = g.output((*x[:axis], *x[axis + 1 :]), "int32")
            return [g.computed(x), g.numbers(axis)], to, {"output_type": "int32"}
        case "SPACE_TO_DEPTH":
            return [g.computed(x)], g.output((x[0], x[1] // 2, x[2] // 2, 4 * x[3])), {"block_size": 2}
        case "SPACE_TO_BATCH_ND":
            a, b = s.area("block")
            more = int("padding at the bottom and on the right 1" in s.text)
            made = (x[0] * a * b, (x[1] + more) // a, (x[2] + more) // b, x[3])
            return [g.computed(x), g.numbers([a, b]), g.numbers([[0, more], [0, more]])], g.output(made), {}
        case "BATCH_TO_SPACE_ND":
            a, b = s.area("block")
            before, behind = s.shape("columns", (0, 0))
            made = (x[0] // a // b, x[1] * a, x[2] * b - before - behind, x[3])
            return (
                [g.computed(x), g.numbers([a, b]), g.numbers([[0, 0], [before, behind]])],
                g.output(made),
                {},
            )
        case "RESHAPE":
            return [g.computed(x), g.numbers(s.shape("to"))], g.output(s.shape("to")), {}
        case "SQUEEZE":
            return [g.computed(x)], g.output(s.shape("to")), {}
        case "SOFTMAX":
            return [g.computed(x)], g.graph.tensor("y", x, "int8", qparams(1 / 256, -128)), {"beta": 1.0}
        case "LOGISTIC":
            return [g.computed(x)], g.graph.tensor("y", x, "int8", qparams(1 / 256, -128)), {}
        case "TANH":
            return [g.computed(x)], g.graph.tensor("y", x, "int8", qparams(1 / 128, 0)), {}
    return [g.computed(x)], g.output(x) if g.kind else g.graph.tensor("y", x, "int8", qparams(0.05, -7)), {}


_MADE: dict[str, Callable[[Smallest, _Graph], tuple[list[int], int, dict[str, Any]]]] = {
    **dict.fromkeys(_WINDOWS, _window),
    **dict.fromkeys((*_COMPARISONS, "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"), _pair),
    "FULLY_CONNECTED": _connected,
    "CONCATENATION": _concatenation,
}


def read_smallest() -> list[Smallest]:
    """Return the smallest models of the comment of the source."""
    return [Smallest(int(n), op, text) for n, op, text in _LINE.findall(SOURCE.read_text("utf-8"))]


def build(smallest: Smallest, kind: int) -> tuple[Model, list[np.ndarray]]:
    """Return the model with one of five quantizations, and random inputs of all inferences."""
    rng = np.random.default_rng([smallest.number, kind])
    builder = ModelBuilder("smallest")
    graph = builder.subgraph()
    parts, to, options = _MADE.get(smallest.opcode, _moved)(
        smallest, _Graph(graph, rng, kind, "one scale" in smallest.text)
    )
    graph.add(smallest.opcode, parts, [to], **{k: v for k, v in options.items() if v != "NONE"})
    built = graph.finish()
    ends = [part for part in parts if built.tensors[part].buffer == 0]
    graph.inputs(*ends)
    graph.outputs(to)
    runs = RUNS_OF_LARGE if max(int(np.prod(t.shape)) for t in built.tensors) > LARGE else RUNS
    inputs = [rng.integers(-128, 128, (runs, *built.tensors[end].shape), np.int8) for end in ends]
    for values in inputs:
        values[0], values[1] = -128, 127
    return builder.finish(), inputs


def effect(program: Path, smallest: Smallest) -> tuple[int, float]:
    """Return the first quantization that shows the fault and the share of inferences with a difference; -1 if none."""
    for kind in range(5):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            case = folder / "cases" / "c"
            case.mkdir(parents=True)
            model, inputs = build(smallest, kind)
            save_model(model, case / "model.tflite")
            for n, values in enumerate(inputs):
                values.tofile(case / f"input-{n}.bin")
            made = []
            for fault in (0, smallest.number):
                subprocess.run(
                    [program, folder, folder / str(fault), str(fault)], input="c\n", text=True, check=True
                )
                made.append(np.fromfile(folder / str(fault) / "outputs" / "c" / "output-0.bin", np.uint8))
            different = (made[0] != made[1]).reshape(len(inputs[0]), -1).any(1)
            if different.any():
                return kind, float(different.mean())
    return -1, 0.0


def main() -> int:
    """Print the effect of every fault on its smallest model."""
    dead = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compile_simulator(Path(folder))
        for smallest in read_smallest():
            kind, share = effect(program, smallest)
            print(
                f"{smallest.number} {smallest.opcode} {smallest.text}: quantization {kind}, {share:.2%} of inferences"
            )
            dead += not share
    print(f"{dead} without an effect")
    return int(dead > 0)


if __name__ == "__main__":
    raise SystemExit(main())
