"""Real values as a tensor stores them: quantized to its type, scale and zero point, and back."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import InputError
from litecheck.model.constant_values import along_axis, zero_points
from litecheck.model.types import Model, Tensor
from litecheck.quantization import INTEGER_RANGES, Quantization


def is_quantized(tensor: Tensor) -> bool:
    """Return True if a tensor stores integers with a scale."""
    return (
        tensor.dtype in INTEGER_RANGES
        and tensor.quantization.scale.size > 0
        and tensor.quantization.details is None
    )


def stores_alike(one: Tensor, other: Tensor) -> bool:
    """Return True if two quantized tensors have the same type, scales and zero points."""
    p, q = one.quantization, other.quantization
    return (
        is_quantized(one)
        and one.dtype == other.dtype
        and p.scale.tobytes() == q.scale.tobytes()
        and p.zero_point.tobytes() == q.zero_point.tobytes()
    )


def round_to_storage(values: NDArray[Any], dtype: str, q: Quantization) -> NDArray[np.float32]:
    """Return the real values of values after storage, in float32.

    Example: 0.31 as int8 with scale 0.25 and zero point 0 gives 0.25; 40 gives 31.75, the largest value.
    """
    low, high = INTEGER_RANGES[dtype]
    scale = along_axis(q.scale, q, values.ndim).astype(np.float32).reshape(_broadcast_shape(q, values))
    zero = along_axis(zero_points(q), q, values.ndim).astype(np.float32).reshape(_broadcast_shape(q, values))
    with np.errstate(all="ignore"):
        steps = np.asarray(values.astype(np.float32, copy=False) / scale)
        np.rint(steps, out=steps)
        np.clip(steps, low - zero, high - zero, out=steps)
        steps *= scale
        real: NDArray[np.float32] = steps
        if not math.isfinite(steps.sum()):
            np.nan_to_num(real, copy=False)
    return real


def _broadcast_shape(q: Quantization, values: NDArray[Any]) -> tuple[int, ...]:
    if q.scale.size == 1:
        return (1,) * values.ndim
    return tuple(-1 if n == q.axis else 1 for n in range(values.ndim))


def store_in_tensor(values: NDArray[Any], tensor: Tensor) -> NDArray[np.float32]:
    """Return the real values of values after storage in a tensor; unchanged if it is not quantized."""
    if not is_quantized(tensor):
        return values.astype(np.float32, copy=False)
    return round_to_storage(values, tensor.dtype, tensor.quantization)


def dequantize_values(stored: NDArray[Any], tensor: Tensor) -> NDArray[np.float32]:
    """Return the real values of stored values of an activation."""
    if not is_quantized(tensor):
        return stored.astype(np.float32, copy=False)
    q = tensor.quantization
    real = stored.astype(np.float32)
    real -= np.float32(zero_points(q)[0])
    real *= q.scale[0]
    return real


def with_finite_scales(model: Model) -> Model:
    """Return the model with scale 1 in place of 0, which TensorFlow writes for tensors of zeros.

    Raises InputError for other scales that are not finite or not positive. The error names the tensor.
    """
    tensors = [tuple(_replace_zero_scale(t, model) for t in s.tensors) for s in model.subgraphs]
    pairs = list(zip(model.subgraphs, tensors, strict=True))
    if all(new is old for part, found in pairs for new, old in zip(found, part.tensors, strict=True)):
        return model
    return replace(model, subgraphs=tuple(replace(part, tensors=found) for part, found in pairs))


def _replace_zero_scale(tensor: Tensor, model: Model) -> Tensor:
    scale = tensor.quantization.scale
    wrong = scale[~(np.isfinite(scale) & (scale > 0))] if is_quantized(tensor) else scale[:0]
    if wrong.any():
        raise InputError(
            f"{model.file or 'the model'}: tensor {tensor.index} '{tensor.name}' has the scale "
            f"{wrong[np.argmax(wrong != 0)]:.4g}, expected finite scales above 0. "
            "Next step: 'litecheck validate' lists all violations"
        )
    if not wrong.size:
        return tensor
    ones = np.where(scale == 0, np.float32(1), scale)
    return replace(tensor, quantization=replace(tensor.quantization, scale=ones))


def check_quantized(model: Model, alone: bool = False) -> None:
    """Raise InputError for a model without quantized tensors or, with ``alone``, without computed quantized tensors."""
    tensors = [t for s in model.subgraphs for t in s.tensors if not (alone and t.is_constant)]
    if not any(t.quantization.is_set or t.dtype == "float16" for t in tensors):
        found = (
            "no input or output of its operators is quantized"
            if alone
            else "none of its tensors is quantized"
        )
        raise InputError(
            f"{model.file or 'the model'}: expected a quantized model, but {found}. 'litecheck convert' quantizes a model."
        )
