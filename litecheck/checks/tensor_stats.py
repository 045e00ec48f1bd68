"""Survey of a model's quantization for reports: scales, zero points and extremes of constants."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from litecheck.model.stored_values import extremes
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.quantization import INTEGER_RANGES, TensorSurvey


def summarize_quantization(model: Model) -> tuple[TensorSurvey, ...]:
    """Return a survey of operator outputs and of constant inputs, in execution order.

    Tensors without a scale, or with scales that are not positive numbers, are omitted: the latter have findings. A
    constant with several consumers is listed at the first.
    """
    return tuple(found for subgraph in model.subgraphs for found in _survey_subgraph(subgraph))


def _survey_subgraph(subgraph: Subgraph) -> Iterator[TensorSurvey]:
    seen: set[int] = set()
    for operator in subgraph.operators:
        taken = (i for i in operator.inputs if i >= 0 and subgraph.tensors[i].is_constant)
        for index in (*operator.outputs, *taken):
            if index < 0 or index in seen:
                continue
            seen.add(index)
            found = _survey_tensor(subgraph.index, operator.index, subgraph.tensors[index])
            if found is not None:
                yield found


def _survey_tensor(subgraph: int, operator: int, tensor: Tensor) -> TensorSurvey | None:
    scale, zero = tensor.quantization.scale, tensor.quantization.zero_point
    if not scale.size or tensor.dtype not in INTEGER_RANGES or tensor.quantization.details is not None:
        return None
    least, most = float(scale.min()), float(scale.max())
    if not (isfinite(least) and isfinite(most) and least > 0):
        return None
    zeros = (int(zero.min()), int(zero.max())) if zero.size else (0, 0)
    stored = extremes(tensor) if tensor.is_constant else None
    return TensorSurvey(
        subgraph, operator, tensor.index, tensor.name, tensor.dtype, tensor.is_constant, int(scale.size),
        (least, most), zeros, stored,
    )  # fmt: skip
