"""Quantization of 64 M float32 elements to int8: ``python benchmarks/quantizer.py``; exit code 1 if a goal is missed.

The tasks alternate in a run: litecheck's LiteRT and ONNX semantics, a numpy expression for each rounding, onnxruntime's
QuantizeLinear on a single thread if it is installed, and a copy of the input. Medians count. Goals, per-tensor and per-axis:
the LiteRT semantics are at least 2x faster than the numpy expression of the same rounding, and use less than 64 MB of
memory beyond input and output. A check precedes the timing: at every tie and the float32 values beside it, the output
equals a slow definition. The numpy expression is not exact: it rounds the float32 below 1/2 up.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer import litert
from litecheck.quantizer.types import Parameters

GOAL_SPEED = 2.0
GOAL_MEMORY = 64 << 20
Array = NDArray[Any]
Task = Callable[[], object]


def away(x: Array, scale: Array, zero: int) -> Any:
    """Quantize in a single numpy expression; ties round away from zero."""
    return np.clip(
        np.trunc(x / scale + np.copysign(np.float32(0.5), x)) + np.float32(zero), -128, 127
    ).astype(np.int8)


def even(x: Array, scale: Array, zero: int) -> Any:
    """Quantize in a single numpy expression; ties round to even."""
    return np.clip(np.rint(x / scale) + np.float32(zero), -128, 127).astype(np.int8)


def onnxruntime_task(x: Array, scale: Array, zero: int, axis: int) -> Task | None:
    """Return onnxruntime's QuantizeLinear on a single thread, or None without onnx and onnxruntime."""
    try:
        import onnxruntime as ort  # type: ignore[import-untyped]
        from onnx import TensorProto, helper
    except ImportError:
        return None
    kind = helper.make_tensor_value_info
    zeros = np.full(scale.shape, zero, np.int8)
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], axis=axis)],
        "quantize",
        [kind("x", TensorProto.FLOAT, x.shape)],
        [kind("y", TensorProto.INT8, x.shape)],
        [
            helper.make_tensor("s", TensorProto.FLOAT, scale.shape, scale.reshape(-1).tolist()),
            helper.make_tensor("z", TensorProto.INT8, zeros.shape, zeros.reshape(-1).tolist()),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": x})


def peak_beyond(task: Callable[[], Array]) -> int:
    """Return the peak allocation of a task in bytes, numpy's buffers included, minus its output."""
    tracemalloc.start()
    made = task()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - made.nbytes


def check_ties(parameters: Parameters, zero: int) -> None:
    """Compare every int8 tie, and the float32 values beside it, with the definition in float64. Exit on a difference."""
    for scale in parameters.scale[:64]:
        tie = ((np.arange(-130 - zero, 130 - zero) + 0.5) * np.float64(scale)).astype(np.float32)
        near = [np.nextafter(tie, np.float32(end)) for end in (-np.inf, np.inf)]
        x = np.concatenate([tie, *near])
        quotient = (x / scale).astype(np.float64)
        expected = (np.trunc(quotient + np.copysign(0.5, quotient)) + zero).clip(-128, 127)
        made = litert.quantize(x, Parameters(np.array([scale]), np.array([zero])))
        if not np.array_equal(made, expected):
            sys.exit(f"wrong at a tie of scale {scale}")


def measure(tasks: dict[str, Task], rounds: int) -> dict[str, float]:
    """Return the median seconds of each task; every round runs each task once."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def compare(title: str, x: Array, scale: Array, axis: int | None, zero: int, rounds: int) -> bool:
    """Check, measure and print a granularity. Return True if it reaches the goals."""
    from litecheck.quantizer.onnx import Onnx

    onnx = Onnx(13)
    parameters = Parameters(scale.reshape(-1), np.full(scale.size, zero, np.int8), axis)
    check_ties(parameters, zero)
    different = np.count_nonzero(litert.quantize(x, parameters) != away(x, scale, zero))
    tasks: dict[str, Task] = {
        "litecheck litert": lambda: litert.quantize(x, parameters),
        "numpy, half away": lambda: away(x, scale, zero),
        "litecheck onnx": lambda: onnx.quantize(x, parameters, "int8"),
        "numpy, half even": lambda: even(x, scale, zero),
        "copy": lambda: x.copy(),
    }
    reference = onnxruntime_task(
        x, scale.reshape(-1) if axis is not None else scale.reshape(()), zero, axis or 0
    )
    if reference:
        tasks["onnxruntime"] = reference
    memory = peak_beyond(lambda: litert.quantize(x, parameters))
    seconds = measure(tasks, rounds)
    print(f"{title}: {x.shape}, {different} of {x.size:,} unlike the expression")
    ours = seconds["litecheck litert"]
    for name, taken in seconds.items():
        print(
            f"  {name:18} {taken * 1e3:8.1f} ms  {taken / x.size * 1e9:6.2f} ns/element  {taken / ours:5.2f} x litert"
        )
    ratio = seconds["numpy, half away"] / ours
    print(
        f"  {ratio:.2f} times the expression's speed (goal {GOAL_SPEED}); {memory / 2**20:.1f} MB extra (goal < 64)"
    )
    return ratio >= GOAL_SPEED and memory < GOAL_MEMORY


def main() -> int:
    """Measure both granularities and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    x = random.standard_normal(options.elements, np.float32) * np.float32(3)
    rows = x[: len(x) // 1024 * 1024].reshape(-1, 1024)
    narrow = x[: len(x) // 16 * 16].reshape(-1, 4, 4)
    scales = random.uniform(0.01, 0.05, (1, 1024)).astype(np.float32)
    results = [
        compare("per-tensor", x, np.array([0.0235], np.float32), None, 3, options.rounds),
        compare("per-axis, last", rows, scales, 1, 0, options.rounds),
        compare(
            "per-axis, first", x[: len(x) // 64 * 64].reshape(64, -1), scales[:, :64].T, 0, 0, options.rounds
        ),
        compare("per-axis, short", narrow, scales[:, :4, None], 1, 0, options.rounds),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
