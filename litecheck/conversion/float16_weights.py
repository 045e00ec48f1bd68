"""Conversion to float16: constants are stored as float16, and a DEQUANTIZE converts each to float32 at run time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.apply import AppliedPlan, apply
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import ConversionPlan, QuantParams, TensorQuantParams
from litecheck.conversion.edges import edges
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model

HALF = "float16"
_LARGEST, _SMALLEST = float(np.finfo(np.float16).max), float(np.finfo(np.float16).tiny)


def with_float16_weights(model: Model, source: str) -> tuple[ConversionPlan, AppliedPlan]:
    """Return the plan and its model. A constant that float16 cannot store stays float32, and a note states it."""
    form = QuantParams(HALF, np.empty(0, np.float32), np.empty(0, np.int64))
    tensors: list[TensorQuantParams] = []
    notes: list[str] = []
    for subgraph in model.subgraphs:
        for wire in edges(subgraph):
            tensor = subgraph.tensors[wire.tensor]
            values = stored_integers(tensor) if tensor.is_constant and not tensor.is_variable else None
            # LiteRT's default interpreter cannot dequantize a float16 constant that is an output of the model.
            inside = [port for port in wire.readers if port.operator >= 0]
            if values is None or not values.size or not inside or len(inside) < len(wire.readers):
                continue
            low, high = float(values.min()), float(values.max())
            why = unfit_for_float16(values)
            if why:
                notes.append(f"constant '{tensor.name}' {why} ({low:g}..{high:g}) and stays float32")
                continue
            own = replace(form, low=low, high=high)
            read: dict[TensorUse, QuantParams | None] = dict.fromkeys(wire.readers)
            tensors.append(TensorQuantParams(subgraph.index, wire.tensor, tensor.name, own, read))
    plan = ConversionPlan(source, "", HALF, tuple(tensors), (), "new", tuple(notes))
    return plan, apply(model, plan)


def unfit_for_float16(values: NDArray[Any]) -> str:
    """Return the reason why float16 cannot store a constant: values too large, or all too small to keep their digits.

    For example, 70,000 is too large and 1e-9 too small.
    """
    reach = float(np.abs(values).max())
    if not reach <= _LARGEST:
        return "reaches beyond float16"
    return "is finer than float16" if 0 < reach < _SMALLEST else ""
