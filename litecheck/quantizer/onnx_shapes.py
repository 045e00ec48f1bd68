"""Granularity: which scale belongs to which element, from the shapes, ``axis`` and ``block_size``."""

from __future__ import annotations

from litecheck.arrays import Array
from litecheck.quantizer.onnx_types import VersionFacts
from litecheck.quantizer.types import Parameters, QuantizerError


def granularity(
    semantics: str,
    shape: tuple[int, ...],
    scale: Array,
    zero_point: Array | None,
    axis: int,
    block_size: int,
    facts: VersionFacts,
) -> Parameters:
    """The parameters of a tensor of ``shape``, checked; the scale's shape decides between the three kinds.

    One scale is per-tensor, and ``axis`` and ``block_size`` mean nothing; ONNX's own suite writes a scalar as rank 0
    or as shape (1,). Otherwise a ``block_size`` makes it blocked; without one it is per-axis and has rank 1. A tensor
    of rank 1 is no exception: with a scale per element it needs axis 0 or -1. Raises QuantizerError naming the
    input or attribute that does not fit.
    """
    if zero_point is not None and _scalar(zero_point).shape != _scalar(scale).shape:
        raise QuantizerError(
            semantics,
            "zero_point",
            f"has shape {zero_point.shape}, the scale has {scale.shape}; they must match",
        )
    if block_size < 0:
        raise QuantizerError(semantics, "block_size", f"is {block_size}; it must be positive")
    if scale.ndim == 0 or (scale.shape == (1,) and not block_size):
        return Parameters(scale, zero_point)
    if not facts.per_axis:
        raise QuantizerError(
            semantics, "scale", f"has shape {scale.shape}; this version takes a scalar, per-axis came with 13"
        )
    rank = len(shape)
    if not -rank <= axis < rank:
        raise QuantizerError(
            semantics, "axis", f"is {axis}; for a tensor of rank {rank} it is in [{-rank}, {rank - 1}]"
        )
    if block_size:
        _check_blocks(semantics, shape, scale.shape, axis % rank, block_size)
    else:
        _check_channels(semantics, shape, scale.shape, axis % rank, facts)
    return Parameters(scale, zero_point, axis % rank, block_size)


def _scalar(values: Array) -> Array:
    return values.reshape(()) if values.shape == (1,) else values


def _check_channels(
    semantics: str, shape: tuple[int, ...], scale: tuple[int, ...], axis: int, facts: VersionFacts
) -> None:
    if scale == (shape[axis],):
        return
    if facts.blocked and len(scale) == len(shape) > 1:
        raise QuantizerError(
            semantics, "block_size", f"is missing; a scale of shape {scale}, of the tensor's rank, is blocked"
        )
    raise QuantizerError(
        semantics,
        "scale",
        f"has shape {scale}; per-axis along dimension {axis} of {shape} takes ({shape[axis]},)",
    )


def _check_blocks(
    semantics: str, shape: tuple[int, ...], scale: tuple[int, ...], axis: int, block_size: int
) -> None:
    others = [i for i in range(len(shape)) if i != axis]
    if len(scale) != len(shape) or any(scale[i] != shape[i] for i in others):
        raise QuantizerError(
            semantics,
            "scale",
            f"has shape {scale}; blocked along dimension {axis} it differs from {shape} only there",
        )
    length, blocks = shape[axis], scale[axis]
    # ceil(length / block_size) == blocks says the same as the documents' range, and also holds for length 0.
    if -(-length // block_size) != blocks:
        raise QuantizerError(semantics, "block_size", f"is {block_size}; {_range(length, blocks)}")


def _range(length: int, blocks: int) -> str:
    """The accepted block sizes, [ceil(Di/Si), ceil(Di/(Si-1))-1], in words."""
    least = max(1, -(-length // blocks)) if blocks else 1
    if blocks < 2:
        return f"{blocks} scales for {length} elements take at least {least}"
    most = -(-length // (blocks - 1)) - 1
    if most < least:
        return f"no size divides {length} elements into {blocks} blocks"
    return f"{blocks} scales for {length} elements take a size in [{least}, {most}]"
