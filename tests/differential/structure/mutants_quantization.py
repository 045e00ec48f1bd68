"""Changes of quantization parameters: scale, zero point, their number and axis, and forms that LiteRT ignores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.build import qparams
from litecheck.model.types import Model, Tensor
from litecheck.quantization import Blockwise, Custom, Details, MultiAxis, Quantization
from tests.differential.structure.edit import Mutant, Operand, added, operands, with_graph, with_tensor

FACTORS = (1.5, 0.5, 1.001, 4, 100, 0.01, 1e4, 1e-4, 1e6)
SCALES = {"0": 0.0, "negative": -0.05, "nan": np.nan, "inf": np.inf, "subnormal": 1e-40}
ZEROS = (200, -200, 40000, -129, 128)
EXPONENTS = range(-17, -2)


def changed_quantization(model: Model) -> Iterator[Mutant]:
    """Yield mutants with the parameters of a single tensor changed."""
    for operand in operands(model):
        t = operand.tensor
        kind = "intermediates" if operand.place.startswith("intermediate") else "quantization"
        for change, q in _parameters(t):
            if not (np.array_equal(q.scale, t.quantization.scale) and _alike(q, t.quantization)):
                yield _mutant(
                    operand, kind, change, with_tensor(model, operand.graph, replace(t, quantization=q))
                )
        for change, details in _details(t, len(operand.graph.tensors)):
            yield _mutant(operand, "details", change, _with_details(model, operand, details))
        if t.is_variable and t.quantization.scale.size:
            for exponent in EXPONENTS:
                q = qparams(2.0**exponent, t.quantization.zero_point[0])
                if q.scale[0] != t.quantization.scale[0]:
                    changed = with_tensor(model, operand.graph, replace(t, quantization=q))
                    yield _mutant(operand, "state scale", f"scale 2^{exponent}", changed)


def _mutant(operand: Operand, kind: str, change: str, model: Model) -> Mutant:
    return Mutant(kind, operand.operator.opcode, operand.place, change, model)


def _alike(a: Quantization, b: Quantization) -> bool:
    return np.array_equal(a.zero_point, b.zero_point) and a.axis == b.axis


def _parameters(t: Tensor) -> Iterator[tuple[str, Quantization]]:
    q = t.quantization
    if not q.scale.size:
        if t.dtype != "resource":
            yield "given parameters", qparams(0.25)
        return
    for factor in FACTORS:
        yield f"scale*{factor:g}", replace(q, scale=(q.scale * factor).astype(np.float32))
    yield "scale +1 ulp", replace(q, scale=np.nextafter(q.scale, np.float32(np.inf)))
    for name, scale in SCALES.items():
        yield f"first scale {name}", replace(q, scale=np.append(np.float32(scale), q.scale[1:]))
    yield "zero point +1", replace(q, zero_point=q.zero_point + 1)
    yield "zero point +30", replace(q, zero_point=q.zero_point + 30)
    for zero in ZEROS:
        yield f"zero point {zero}", replace(q, zero_point=np.full_like(q.zero_point, zero))
    yield from _counts(t, q)
    for axis in (0, 1, 3, 9, -1):
        yield f"quantized dimension {axis}", replace(q, axis=axis)


def _counts(t: Tensor, q: Quantization) -> Iterator[tuple[str, Quantization]]:
    yield "no parameters", Quantization()
    yield "no scale", replace(q, scale=q.scale[:0])
    yield "no zero point", replace(q, zero_point=q.zero_point[:0])
    yield "one scale more", replace(q, scale=np.append(q.scale, q.scale[:1]))
    yield "one zero point more", replace(q, zero_point=np.append(q.zero_point, q.zero_point[:1]))
    both = {"scale": np.append(q.scale, q.scale[:1]), "zero_point": np.append(q.zero_point, q.zero_point[:1])}
    yield "one channel more", replace(q, **both)
    if q.scale.size > 1:
        yield "one channel less", replace(q, scale=q.scale[:-1], zero_point=q.zero_point[:-1])
        yield "one scale for all", qparams(q.scale[0], q.zero_point[0])
        yield "one zero point for all", replace(q, zero_point=q.zero_point[:1])
        yield "channels reversed", replace(q, scale=q.scale[::-1].copy())
        return
    for axis in sorted({0, len(t.shape) - 1}):
        if 0 <= axis < len(t.shape) and t.shape[axis] > 1:
            scales = q.scale[0] * (1 + np.arange(t.shape[axis]) / 4)
            yield f"per channel along {axis}", qparams(scales, int(q.zero_point[0]), axis)


def _details(t: Tensor, scales: int) -> Iterator[tuple[str, Details]]:
    if t.dtype not in ("int8", "int4", "int16") or not t.shape:
        return
    yield "blockwise", Blockwise(scales, -1, 2, ())
    yield "several axes", MultiAxis(scales, -1, 0, (0,))
    yield "custom details", Custom(b"abcd")


def _with_details(model: Model, operand: Operand, details: Details) -> Model:
    t = operand.tensor
    values = np.full(t.shape, 0.01, np.float16)
    data = np.frombuffer(values.tobytes(), np.uint8)
    graph, _ = added(operand.graph, Tensor(0, "scales", "float16", t.shape, data=data))
    changed = with_graph(model, graph)
    q = replace(t.quantization, details=details)
    return with_tensor(changed, graph, replace(t, quantization=q))
