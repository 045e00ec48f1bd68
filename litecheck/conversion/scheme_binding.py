"""Operators bound to a scheme of a recipe: the storage of their weights, or the reason why the scheme does not apply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind, real_ports
from litecheck.conversion.float16_constants import HALF, unfit_for_float16
from litecheck.conversion.formulas import steps_of
from litecheck.conversion.parameter_solver import is_derived
from litecheck.conversion.plan_profiles import profile_beside
from litecheck.conversion.quant_spec import QuantSpec, is_allowed
from litecheck.conversion.recipe import SCHEMES, OperatorScheme, RecipeRule
from litecheck.conversion.request import KINDS, REAL
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.quantization import INTEGER_RANGES

WEIGHT_ONLY = "weight-only"
_BLOCKWISE = "blockwise"


def bind_rule(
    model: Model, subgraph: Subgraph, operator: Operator, profile: Profile, activation: str, rule: RecipeRule
) -> BoundFloatOperator:
    """Bind an operator to the scheme of a recipe's rule.

    ``profile`` is the profile of the whole model, whose activations have the type ``activation``. Schemes of another
    type have LiteRT's profile of this type.
    """
    scheme = rule.scheme
    if scheme.to == HALF:
        return _store_halves(bind(model, subgraph, operator, profile), scheme)
    bound = _bind(model, subgraph, operator, profile, activation, scheme)
    if bound.float_reason or bound.has_no_reals or not bound.storage:
        return bound
    if scheme.to == REAL:
        return bound.staying(rule.reason)
    if scheme.min_elements and not _size(bound):
        return bound.staying("it has no constant weights")
    if _size(bound) < scheme.min_elements:
        return bound.staying(f"its weights have fewer than {scheme.min_elements:,} elements")
    if scheme.to == WEIGHT_ONLY and _only_looks_up(bound):
        scheme = replace(scheme, to="dynamic")
    bound = _set_weight_storage(replace(bound, scheme=scheme), scheme)
    return (
        _store_weights_only(bound, scheme) if scheme.to == WEIGHT_ONLY and not bound.float_reason else bound
    )


def _bind(
    model: Model,
    subgraph: Subgraph,
    operator: Operator,
    profile: Profile,
    activation: str,
    scheme: OperatorScheme,
) -> BoundFloatOperator:
    kind = "dynamic" if scheme.to == WEIGHT_ONLY else scheme.to
    wanted = activation if kind == REAL else KINDS[kind][0]
    if wanted == activation and scheme.to != WEIGHT_ONLY:
        return bind(model, subgraph, operator, profile, activation)
    other = load_profile(KINDS[kind][1]) if wanted == REAL else profile_beside(profile, kind)
    return bind(model, subgraph, operator, other, wanted)


def _size(bound: BoundFloatOperator) -> int:
    """Return the number of elements of the largest constant."""
    tensors = (bound.tensor(port) for port in bound.ports_on("input"))
    return max((tensor.size for tensor in tensors if tensor.is_constant), default=0)


def _set_weight_storage(bound: BoundFloatOperator, scheme: OperatorScheme) -> BoundFloatOperator:
    """Return an operator with the type, granularity and range of a scheme for its constant weights."""
    storage = dict(bound.storage)
    for role, spec in bound.storage.items():
        if spec.dtype != "int8" or not all(is_derived(bound, port, role) for port in bound.ports[role]):
            continue
        for verb, wanted in (("dtype", scheme.weights), ("granularity", scheme.granularity)):
            demand = next((r for r in spec.requirements if r.verb == verb), None)
            stated = {"dtype": spec.dtype, "granularity": "per-axis" if spec.per_axis else "per-tensor"}
            if wanted in ("", stated[verb]) or (verb == "dtype" and scheme.to == WEIGHT_ONLY):
                continue
            if demand is None or not is_allowed(demand, wanted):
                return bound.staying(f"its {role} is not {wanted} by the rule", demand)
        if scheme.granularity == _BLOCKWISE and (why := _block_obstacle(bound, role, scheme.block_size)):
            return bound.staying(why)
        storage[role] = _spec(spec, scheme)
    return replace(bound, storage=storage)


def _spec(spec: QuantSpec, scheme: OperatorScheme) -> QuantSpec:
    if scheme.weights not in ("", spec.dtype):
        largest = steps_of(scheme.weights)
        spec = replace(spec, dtype=scheme.weights, low=-largest, high=largest)
    per_axis = scheme.granularity == "per-axis" if scheme.granularity else spec.per_axis
    least_squares = scheme.weight_range == "mse"
    return replace(
        spec, per_axis=per_axis, block=scheme.block_size, least_squares=least_squares, derived=True
    )


def _block_obstacle(bound: BoundFloatOperator, role: str, size: int) -> str:
    """Return the reason why weights have no blocks of a size along their rows, or ""."""
    shape = bound.tensor(bound.ports[role][0]).shape
    if len(shape) != 2:
        return f"its {role} has {len(shape)} dimensions, and blocks need rows of a matrix"
    return f"its {role} has rows of {shape[1]} values, no multiple of {size}" if shape[1] % size else ""


def _only_looks_up(bound: BoundFloatOperator) -> bool:
    """Return True if a kernel reads no real values but its weights, so that it dequantizes them itself."""
    return all(p in bound.ports[role] for p in bound.ports_on("input") for role in bound.storage)


def _store_weights_only(bound: BoundFloatOperator, scheme: OperatorScheme) -> BoundFloatOperator:
    """Return a float operator with integer weights after a DEQUANTIZE."""
    if scheme.granularity == _BLOCKWISE:
        return bound.staying("DEQUANTIZE has no blockwise kernel")
    constants = {
        port: spec
        for role, spec in bound.storage.items()
        for port in bound.ports[role]
        if bound.tensor(port).is_constant and not bound.tensor(port).is_variable
    }
    if not constants:
        return bound.staying("its weights are computed")
    return replace(bound, storage={}, requirements=(), constants=constants)


def _store_halves(bound: BoundFloatOperator, scheme: OperatorScheme) -> BoundFloatOperator:
    """Return a float operator with float16 constants after a DEQUANTIZE. Constants that float16 cannot store are
    unchanged."""
    if bound.has_no_reals:
        return bound
    constants: dict[TensorUse, QuantSpec] = {}
    unfit: list[str] = []
    for port in _constants(bound):
        tensor = bound.tensor(port)
        values = stored_integers(tensor)
        # LiteRT's default interpreter cannot dequantize a float16 constant that is an output of the model.
        output = tensor.index in bound.subgraph.outputs
        if values is None or not values.size or values.size < scheme.min_elements or output:
            continue
        if why := unfit_for_float16(values):
            text = f"constant '{tensor.name}' {why} ({values.min():g}..{values.max():g}) and stays float32"
            unfit.append(text)
        else:
            constants[port] = QuantSpec(HALF)
    if not constants:
        least = f" of at least {scheme.min_elements:,} elements" if scheme.min_elements else ""
        return bound.staying("; ".join(unfit) or f"it has no constants{least}")
    plain = replace(bound, storage={}, requirements=(), float_reason="", by=None)
    return replace(plain, constants=constants, scheme=scheme, unused_rules=tuple(unfit))


def _constants(bound: BoundFloatOperator) -> Iterator[TensorUse]:
    for port in real_ports(bound.subgraph, bound.operator):
        tensor = bound.tensor(port)
        if port.side == "input" and tensor.is_constant and not tensor.is_variable:
            yield port


def operator_type(bound: BoundFloatOperator, activation: str) -> str:
    """Return the type of a quantized operator in plans and reports.

    It is that of its scheme, or of ``activation`` without a scheme, if the operator's activations have it; else the first
    of their types.
    """
    dynamic = SCHEMES["dynamic"] if activation == REAL else activation
    wanted = SCHEMES[bound.scheme.to] if bound.scheme is not None else dynamic
    roles = bound.rule.activations if bound.rule else ()
    types = [bound.storage[role].dtype for role in roles if role in bound.storage]
    return types[0] if wanted in INTEGER_RANGES and types and wanted not in types else wanted
