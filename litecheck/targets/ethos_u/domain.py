"""The domain of verified operators: forms that converters write, on which the profiles were compared with Vela."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from litecheck.model.shapes import Shape
from litecheck.model.shapes.infer import InferredShapes
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.load import load_profile
from litecheck.profile.operators import traits_of
from litecheck.profile.types import words_of

#: Types of feature maps, with the zero points of each.
_FEATURE_MAPS = {"int8": range(-128, 128), "uint8": range(256), "int16": range(1)}
#: Types of biases, and of axes, shapes, paddings and other parameters.
_INTEGERS = ("int32", "int64")
_LARGEST_RANK = 5
#: The profile that states optional inputs.
_RUNTIME = "litert-runtime"
#: The ranges of ordinary scales of feature maps and weights, and of biases, as powers of two.
_SCALES, _BIAS_SCALES = range(-24, 16), range(-48, 16)
_LEAST, _LIMIT = 2.0**_SCALES.start, 2.0**_SCALES.stop
#: Arithmetic of indices, int32 without a scale, in public models, where Vela confirms the placement.
_INDEX_ARITHMETIC = {"MUL", "SUB"}


def unverified_reason(subgraph: Subgraph, inferred: InferredShapes, operator: Operator) -> str:
    """Return the reason why the placement of an operator was not compared with Vela, or "".

    Feature maps are int8, uint8 or int16 with a single ordinary scale and zero point. Weights, biases, axes, shapes and
    paddings are constant. No tensor has more than 5 dimensions. The file declares the shapes that LiteRT computes.
    Examples: ``rank 7``, ``weight is computed``, ``bool input``.
    """
    return next(_reasons(subgraph, inferred, operator), "")


def _reasons(subgraph: Subgraph, inferred: InferredShapes, operator: Operator) -> Iterator[str]:
    tensors = subgraph.tensors
    roles = list(traits_of(operator.kind).inputs.items())
    inputs = [
        (*roles[min(at, len(roles) - 1)], tensors[i])
        for at, i in enumerate(operator.inputs if roles else ())
        if i >= 0
    ]
    outputs = [tensors[i] for i in operator.outputs if i >= 0]
    yield from (f"{role} is absent" for role in _absent_roles(operator))
    if not outputs:
        yield "no output"
    for tensor in (*outputs, *(tensor for _, _, tensor in inputs)):
        if len(tensor.shape) > _LARGEST_RANK:
            yield f"rank {len(tensor.shape)}"
        if tensor.shapeless:
            yield "a tensor without a shape"
    for role, domain, tensor in inputs:
        if not _is_index(operator, tensor):
            yield from _input_reasons(role, domain, tensor)
    for tensor in outputs:
        if tensor.dtype not in ("resource", *_output_types(operator.opcode)) and not _is_index(
            operator, tensor
        ):
            yield from _feature_map_reasons("output", tensor)
    types = {t.dtype for _, domain, t in inputs if domain == "data"} | {t.dtype for t in outputs}
    if {"int8", "uint8"} <= types and traits_of(operator.kind).elementwise != "unary":
        yield "int8 and uint8 feature maps"
    yield from _shape_reasons(subgraph, inferred, operator)


def _is_index(operator: Operator, tensor: Tensor) -> bool:
    """Return True if a tensor holds indices, int32 without a scale, of an operator that public models have for indices."""
    if tensor.dtype != "int32" or tensor.quantization.scale.size:
        return False
    facts = traits_of(operator.kind)
    return facts.view or facts.concatenates in ("axis", "stack") or operator.opcode in _INDEX_ARITHMETIC


@cache
def _output_types(opcode: str) -> frozenset[str]:
    """Return the types of outputs that are no feature maps: bool of comparisons, int32 and int64 of ARG_MAX."""
    rule = load_profile(_RUNTIME).operators.get(opcode)
    types = (
        [words_of(r.value) for r in rule.requirements if r.path == f"{opcode}/output/dtype"] if rule else []
    )
    return types[0] if types and not types[0] & {*_FEATURE_MAPS} else frozenset()


@cache
def _optional_roles(opcode: str) -> frozenset[str]:
    rule = load_profile(_RUNTIME).operators.get(opcode)
    return frozenset() if rule is None else frozenset(rule.optional)


def _absent_roles(operator: Operator) -> list[str]:
    return [
        role
        for at, role in enumerate(traits_of(operator.kind).inputs)
        if role not in _optional_roles(operator.opcode)
        and (at >= len(operator.inputs) or operator.inputs[at] < 0)
    ]


def _input_reasons(role: str, domain: str, tensor: Tensor) -> Iterator[str]:
    if domain in ("data", "positive", "non-negative", "state"):
        yield from _feature_map_reasons(role, tensor)
    elif domain in ("predicate", "index"):
        yield from _unscaled_reasons(role, tensor, ("bool",) if domain == "predicate" else _INTEGERS)
    elif domain == "handle":
        return
    elif tensor.data is None:
        yield f"{role} is computed"
    elif domain in ("weight", "bias"):
        types = ("int8", "uint8") if domain == "weight" else _INTEGERS
        if tensor.dtype not in types:
            yield f"{tensor.dtype} {role}"
        yield from _scale_reasons(role, tensor, _SCALES if domain == "weight" else _BIAS_SCALES)
        if tensor.dtype != "uint8" and tensor.quantization.zero_point.any():
            yield f"{role} with a zero point"
    else:
        yield from _unscaled_reasons(role, tensor, _INTEGERS)
        if not math.prod(tensor.shape):
            yield f"{role} is empty"


def _unscaled_reasons(role: str, tensor: Tensor, types: Collection[str]) -> Iterator[str]:
    if tensor.dtype not in types:
        yield f"{tensor.dtype} {role}"
    if tensor.quantization.scale.size:
        yield f"{role} with a scale"


def _is_ordinary(tensor: Tensor) -> bool:
    """Return True if a feature map has a single ordinary scale and a single zero point, as nearly all have."""
    scale, points = tensor.quantization.scale, tensor.quantization.zero_point
    return (
        scale.size == points.size == 1
        and points.item() in _FEATURE_MAPS.get(tensor.dtype, ())
        and _LEAST <= scale.item() < _LIMIT
    )


def _feature_map_reasons(role: str, tensor: Tensor) -> Iterator[str]:
    if _is_ordinary(tensor):
        return
    if tensor.dtype not in _FEATURE_MAPS:
        yield f"{tensor.dtype} {role}"
        return
    if any(int(z) not in _FEATURE_MAPS[tensor.dtype] for z in tensor.quantization.zero_point):
        yield f"{role} with zero point {int(tensor.quantization.zero_point[0])}"
    if tensor.quantization.scale.size > 1:
        yield f"{role} with several scales"
    yield from _scale_reasons(role, tensor)


def _scale_reasons(role: str, tensor: Tensor, ordinary: range = _SCALES) -> Iterator[str]:
    scales = tensor.quantization.scale
    if not scales.size:
        yield f"{role} without a scale"
    # In this form NaN is not an ordinary scale.
    unusual = scales[~((scales >= 2.0**ordinary.start) & (scales < 2.0**ordinary.stop))]
    if unusual.size:
        yield f"{role} with scale {unusual.flat[0]:g}"


def _shape_reasons(subgraph: Subgraph, inferred: InferredShapes, operator: Operator) -> Iterator[str]:
    tensors, shapes = subgraph.tensors, inferred.shapes
    differ = [i for i in operator.outputs if i >= 0 and not _matches(tensors[i].shape, shapes[i])]
    if operator.index in inferred.misfits or differ:
        yield "shapes that LiteRT does not compute"


def _matches(declared: Sequence[int], inferred: Shape | None) -> bool:
    return (
        inferred is None
        or declared == inferred
        or (
            len(declared) == len(inferred)
            and all(b in (a, None) for a, b in zip(declared, inferred, strict=True))
        )
    )
