"""Real values that a changed model states: its operator in float32 on the real values of its parameters.

Unlike ``rules.real_model`` it needs no unchanged model. It accepts all parameters that state real values: also a scale
that is 0, negative or subnormal, and a changed type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from litecheck.model.save import model_bytes
from litecheck.model.types import Buffer, Model, Tensor
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.effects_oracle import Failure, ForkingOracle
from tests.differential.rules_changes import stored_values

#: Integer types that stand for real numbers even without a scale.
NARROW = ("int8", "int16", "uint8")


def real(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Return stored integers as real numbers, in float64."""
    q, shape = tensor.quantization, [1] * values.ndim
    if not q.scale.size or values.dtype.kind == "f":
        return values.astype(np.float64)
    if q.scale.size > 1:
        shape[q.axis] = -1
    scale, zero = (a.astype(np.float64).reshape(shape) for a in (q.scale, q.zero_point))
    return np.asarray((values.astype(np.float64) - zero) * scale).reshape(values.shape)


def meaning(
    litert: ForkingOracle, model: Model, inputs: Sequence[np.ndarray], passes: bool, steps: int = 1
) -> list[np.ndarray] | None:
    """Return the real values that a model states for its outputs; None if it states none.

    ``passes``: the operator passes real values on, as QUANTIZE does.
    """
    graph = model.subgraphs[0]
    if any(not _states(t) for s in model.subgraphs for t in s.tensors):
        return None
    if any(not (graph.tensors[i].quantization.scale > 0).all() for i in graph.outputs):
        return None
    stated = [graph.tensors[i] for i in graph.inputs]
    given = [real(x, t).astype(np.float32) if _is_real(t) else x for x, t in zip(inputs, stated, strict=True)]
    if passes:
        return given
    got = litert.ask(model_bytes(in_floats(model)), given, "optimized", steps)
    return None if isinstance(got, Failure) else got


def in_floats(model: Model) -> Model:
    """Return the model with every tensor of real numbers in float32; bool outputs are those of comparisons."""
    buffers = list(model.buffers)
    subgraphs = tuple(
        replace(graph, tensors=tuple(
            replace(t, quantization=Quantization()) if t.dtype == "bool" and t.index in graph.outputs else
            _in_floats(t, buffers) for t in graph.tensors
        )) for graph in model.subgraphs
    )  # fmt: skip
    return replace(model, buffers=tuple(buffers), subgraphs=subgraphs)


def _in_floats(tensor: Tensor, buffers: list[Buffer]) -> Tensor:
    if not _is_real(tensor):
        return replace(tensor, quantization=Quantization())
    data = tensor.data
    if data is not None:
        values = real(stored_values(tensor), tensor).astype(np.float32)
        data = values.reshape(-1).view(np.uint8)
        buffers[tensor.buffer] = Buffer(data)
    return replace(tensor, dtype="float32", quantization=Quantization(), data=data)


def _is_real(tensor: Tensor) -> bool:
    q = tensor.quantization
    return tensor.dtype in NARROW or bool(q.scale.size and tensor.dtype in (*INTEGER_RANGES, "bool"))


def _states(tensor: Tensor) -> bool:
    """Return True if scales and zero points fit each other and the shape, and are finite."""
    q = tensor.quantization
    if not q.scale.size and not q.zero_point.size:
        return True
    rank = len(tensor.shape)
    along = tensor.shape[q.axis] if 0 <= q.axis < rank else 1
    fits = q.scale.size == q.zero_point.size and q.scale.size in (1, along) and 0 <= q.axis < max(1, rank)
    return fits and bool(np.isfinite(q.scale).all())


def distance(got: np.ndarray, expected: np.ndarray, tensor: Tensor, room: float = 0.0) -> float:
    """Return the distance in output steps, with expected values clipped to the output's type in LiteRT.

    Floats are equal up to ``room``, or infinitely far. So are integers without real values, but one in ten may differ:
    rounding decides ties of a comparison and the position of a maximum.
    """
    if got.shape != expected.shape:
        return float("inf")
    if got.dtype.kind == "f":
        return 0.0 if np.allclose(got, expected, rtol=1e-4, atol=max(room, 1e-6)) else float("inf")
    if tensor.dtype == got.dtype.name == "bool" or not _is_real(replace(tensor, dtype=got.dtype.name)):
        return 0.0 if got.size == 0 or (got != expected).mean() <= 0.1 else float("inf")
    info = np.iinfo("uint8" if got.dtype.kind == "b" else got.dtype)
    low, high = (real(np.full(got.shape, v), tensor) for v in (info.min, info.max))
    apart = np.abs(real(got, tensor) - np.clip(np.nan_to_num(expected), low, high))
    step = float(tensor.quantization.scale.max(initial=0.0)) or 1.0
    return float((apart / step).max(initial=0.0))


def room(got: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """Return twice the distance of float outputs from the float kernel's outputs, or 0 if it exceeds a tenth of the
    largest output: hybrid kernels quantize float inputs.
    """
    pairs = [
        (g, e) for g, e in zip(got, expected, strict=False) if g.dtype.kind == "f" and g.shape == e.shape
    ]
    far = max((float(np.abs(g - e).max(initial=0.0)) for g, e in pairs), default=0.0)
    most = max((float(np.abs(e).max(initial=0.0)) for _, e in pairs), default=0.0)
    return 2 * far if far <= most / 10 else 0.0
