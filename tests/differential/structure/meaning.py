"""Float model of a model: the same operators in float32, with dequantized constants and quantized inner tensors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Buffer, Model, Operator, Subgraph, Tensor
from litecheck.quantization import INTEGER_RANGES, Quantization

#: Operators that only change the storage of a number: the identity on real numbers.
STORING = ("QUANTIZE", "DEQUANTIZE")
#: Options without an effect in a float model.
INTEGER_OPTIONS = ("quantized_bias_type",)
#: Types that LiteRT can quantize inner tensors to.
GRIDS = ("int8", "uint8", "int16")
RAW = Quantization(np.ones(1, np.float32), np.zeros(1, np.int64))


class UndefinedError(Exception):
    """Error for a model without stated real values; the message gives the reason."""


@dataclass(frozen=True)
class Twin:
    """Float model of the same real values; ``stands`` is the quantization that relates each tensor of the first subgraph."""

    model: Model
    stands: tuple[Quantization | None, ...]

    def fed(self, index: int, values: np.ndarray) -> np.ndarray:
        """Return a value of the changed model as an input of the float model."""
        stands, tensor = self.stands[index], self.model.subgraphs[0].tensors[index]
        return values if stands is None else real(values, stands).astype(tensor.dtype)


def twin(good: Model, model: Model, number: str = "float32") -> Twin:
    """Return the float model of ``model``; ``good`` determines the tensors with numbers.

    ``int32`` is for integers without parameters. Raises UndefinedError.
    """
    for graph in model.subgraphs:
        _in_order(graph)
    graphs = [_stands(good, graph) for graph in model.subgraphs]
    if number != "float32" and any(s is not None and s is not RAW for stands in graphs for s in stands):
        raise UndefinedError("quantized numbers are not integers")
    new = [_subgraph(model, g, s, number) for g, s in zip(model.subgraphs, graphs, strict=True)]
    buffers = [Buffer(np.empty(0, np.uint8))]
    done = []
    for graph in new:
        tensors = []
        for t in graph.tensors:
            if t.data is not None:
                buffers.append(Buffer(t.data))
                t = replace(t, buffer=len(buffers) - 1, data=buffers[-1].data)
            tensors.append(replace(t, buffer=0) if t.data is None else t)
        done.append(replace(graph, tensors=tuple(tensors)))
    return Twin(
        replace(model, subgraphs=tuple(done), buffers=tuple(buffers), operator_codes=()), tuple(graphs[0])
    )


def real(values: np.ndarray, q: Quantization) -> np.ndarray:
    """Return the real values of stored integers, in float64. Raises UndefinedError for channels without a scale."""
    shape = [1] * values.ndim
    if q.scale.size > 1:
        if not (q.axis < values.ndim and values.shape[q.axis] == q.scale.size):
            raise UndefinedError("a different number of channels than scales")
        shape[q.axis] = -1
    zeros = q.zero_point if q.zero_point.size else np.zeros(1, np.int64)
    scale, zero = (
        a.astype(np.float64).reshape(shape if a.size > 1 else [1] * values.ndim) for a in (q.scale, zeros)
    )
    return np.asarray((values.astype(np.float64) - zero) * scale).reshape(values.shape)


def _in_order(graph: Subgraph) -> None:
    """Raise UndefinedError if a tensor is read before it is written: its values are those of the memory."""
    made = {*graph.inputs, -1, *(t.index for t in graph.tensors if t.is_constant or t.is_variable)}
    for op in graph.operators:
        if not made.issuperset(op.inputs):
            raise UndefinedError("read before it is made")
        made.update(op.outputs)
    if not made.issuperset(graph.outputs):
        raise UndefinedError("a result that nothing makes")


def _stands(good: Model, graph: Subgraph) -> list[Quantization | None]:
    before = good.subgraphs[graph.index].tensors if graph.index < len(good.subgraphs) else ()
    used = {*graph.inputs, *graph.outputs, *(i for op in graph.operators for i in (*op.inputs, *op.outputs))}
    aside = {i for op in graph.operators for i in op.intermediates} - used
    found: list[Quantization | None] = []
    for n, tensor in enumerate(graph.tensors):
        usual = before[n] if n < len(before) else tensor
        found.append(None if n in aside else _number(tensor, usual))
    return found


def _number(tensor: Tensor, usual: Tensor) -> Quantization | None:
    """Return the quantization of a tensor's integers, or None for integers without real values."""
    q = tensor.quantization
    if tensor.dtype == "float32" or not (usual.quantization.scale.size or usual.dtype in ("int8", "int16")):
        return None
    if q.details is not None:
        raise UndefinedError("quantization details")
    if tensor.dtype not in INTEGER_RANGES:
        raise UndefinedError("no integers")
    if not usual.quantization.scale.size and not q.scale.size:
        return RAW
    if not (usual.quantization.scale.size and q.scale.size):
        raise UndefinedError("parameters on one side only")
    along = tensor.shape[q.axis] if 0 <= q.axis < len(tensor.shape) else 1
    if not 0 <= q.axis < max(1, len(tensor.shape)):
        raise UndefinedError("no such quantized dimension")
    if q.scale.size not in (1, along) or q.zero_point.size not in (0, 1, q.scale.size):
        raise UndefinedError("the number of scales or zero points")
    if not (np.isfinite(q.scale) & (q.scale >= np.finfo(np.float32).tiny)).all():
        raise UndefinedError("scales that are none")
    return q


def _subgraph(model: Model, graph: Subgraph, stands: list[Quantization | None], number: str) -> Subgraph:
    tensors = [_tensor(t, s, number) for t, s in zip(graph.tensors, stands, strict=True)]
    operators: list[Operator] = []
    between = _between(model, graph)
    for op in graph.operators:
        op = _operator(op)
        moved, behind = list(op.outputs), []
        for at, index in enumerate(op.outputs):
            if (
                index not in between
                or stands[index] in (None, RAW)
                or graph.tensors[index].dtype not in GRIDS
            ):
                continue
            free, grid = len(tensors), len(tensors) + 1
            tensors += [
                replace(tensors[index], name=f"{index} free"),
                replace(graph.tensors[index], buffer=0),
            ]
            moved[at] = free
            behind += [_plain("QUANTIZE", (free,), (grid,)), _plain("DEQUANTIZE", (grid,), (index,))]
        operators += [replace(op, outputs=tuple(moved)), *behind]
    return replace(graph, tensors=tuple(tensors), operators=tuple(operators))


def _between(model: Model, graph: Subgraph) -> set[int]:
    """Return the tensors that further operators read: their rounding and saturation belong to the real values."""
    if len(graph.operators) == 1 and graph.index == 0:
        return set()
    read = {i for op in graph.operators for i in op.inputs}
    written = {i for op in graph.operators for i in op.outputs if 0 <= i < len(graph.tensors)}
    return written & read if graph.index == 0 else written


def _plain(opcode: str, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> Operator:
    return Operator(0, opcode, inputs, outputs, version=2 if opcode == "DEQUANTIZE" else 1)


def _operator(op: Operator) -> Operator:
    if op.opcode in STORING and len(op.inputs) == 1:
        return _plain("MAXIMUM", op.inputs * 2, op.outputs)
    options = op.options
    if options is not None and any(name in options for name in INTEGER_OPTIONS):
        kept = {name: v for name, v in options.fields.items() if name not in INTEGER_OPTIONS}
        options = Table(options.type, kept)
    return replace(op, options=options, intermediates=())


def _tensor(tensor: Tensor, stands: Quantization | None, number: str) -> Tensor:
    if stands is None:
        return replace(tensor, quantization=Quantization())
    data = None
    if tensor.data is not None:
        try:
            values = stored_integers(tensor)
        except ValueError as error:
            raise UndefinedError("a constant of other size than its shape") from error
        if values is None:
            raise UndefinedError("a constant that cannot be read")
        data = np.frombuffer(real(values, stands).astype(number).tobytes(), np.uint8)
    return replace(tensor, dtype=number, quantization=Quantization(), data=data)


def off(got: np.ndarray, expected: np.ndarray, tensor: Tensor, stands: Quantization | None) -> float:
    """Return the distance of an output in steps of its scale, with expected values clipped to the type.

    Floats are compared directly, in units of 1. Integers without real values must be equal, except one in ten of a
    comparison (``inf`` otherwise). NaN is not compared.
    """
    if got.shape != expected.shape:
        return float("inf")
    if got.size == 0:
        return 0.0
    if stands is None and got.dtype.kind != "f":
        return float("inf") if (got != expected).mean() > (0.1 if got.dtype.kind == "b" else 0) else 0.0
    step = 1.0 if stands is None else float(stands.scale.max())
    low, high = (-np.inf, np.inf)
    if stands is not None:
        low, high = (real(np.full(got.shape, v), stands) for v in INTEGER_RANGES[tensor.dtype])
    found = got.astype(np.float64) if stands is None else real(got, stands)
    if stands is RAW:
        turn = float(high.flat[0] - low.flat[0]) + 1  # integers without parameters wrap around, as in C
        expected = low + np.mod(expected.astype(np.float64) - low, turn)
    with np.errstate(invalid="ignore"):
        apart = np.abs(found - np.clip(expected.astype(np.float64), low, high)) / step
    apart = np.where(np.isnan(expected), 0.0, np.where(found == expected, 0.0, apart))
    return float(np.nan_to_num(apart, nan=np.inf, posinf=np.inf).max(initial=0.0))
