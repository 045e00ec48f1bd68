"""Conversion to float16: constants are stored in half the bytes, and a DEQUANTIZE makes float32 of each when it runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.convert.apply import AppliedPlan, apply
from litecheck.convert.binding import Port
from litecheck.convert.links import wires
from litecheck.convert.plan import ConversionPlan, Form, TensorForms
from litecheck.model.types import Model
from litecheck.model.values import stored_integers

HALF = "float16"
_LARGEST = float(np.finfo(np.float16).max)


def halved(model: Model, source: str) -> tuple[ConversionPlan, AppliedPlan]:
    """The plan for a model, and what it makes; a constant beyond the range of float16 stays, and a note says so."""
    form = Form(HALF, np.empty(0, np.float32), np.empty(0, np.int64))
    tensors: list[TensorForms] = []
    notes: list[str] = []
    for subgraph in model.subgraphs:
        for wire in wires(subgraph):
            tensor = subgraph.tensors[wire.tensor]
            values = stored_integers(tensor) if tensor.is_constant and not tensor.is_variable else None
            if values is None or not values.size:
                continue
            low, high = float(values.min()), float(values.max())
            if not max(-low, high) <= _LARGEST:
                notes.append(
                    f"constant '{tensor.name}' reaches beyond float16 ({low:g}..{high:g}) and stays float32"
                )
                continue
            own = replace(form, low=low, high=high)
            read: dict[Port, Form | None] = dict.fromkeys(wire.readers)
            tensors.append(TensorForms(subgraph.index, wire.tensor, tensor.name, own, read))
    plan = ConversionPlan(source, "", HALF, tuple(tensors), (), "new", tuple(notes))
    return plan, apply(model, plan)
