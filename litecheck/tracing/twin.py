"""The twin: the float model as litecheck converts it, with the types and granularity of the quantized model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.parameter_transfer import TransferredParams
from litecheck.conversion.plan_profiles import profile_of, rules_for
from litecheck.conversion.qat_models import import_trained, is_trained
from litecheck.conversion.recurrent_intermediates import Inside
from litecheck.conversion.request import REAL, Request
from litecheck.conversion.shared_scales import SharedQuantization, shared_quantizations
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.types import Model, Tensor
from litecheck.tracing.storage import is_quantized

#: Factor by which a range may exceed the values of the data: calibration data differ from one user to another.
SLACK = 2.0
_KINDS = {"int8": "int8", "uint8": "uint8", "int16": "int16x8"}


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """The conversion, the forms in which float tensors are written, and the forms in which operators read them."""

    conversion: Conversion
    forms: Mapping[Key, QuantParams]
    reads: Mapping[TensorUse, QuantParams]

    @property
    def model(self) -> Model:
        """The converted model."""
        return self.conversion.model


def make_twin(
    match: ModelMatch, ranges: Mapping[Key, Interval], inner: Mapping[Inside, Interval] | None = None
) -> Twin:
    """Convert the float model with the ranges of its tensors. Raises ConfigError."""
    wide = dict(ranges)
    for part in match.subgraphs:
        for new, old in part.tensors.items():
            key, tensor = (part.first.index, old), part.second.tensors[new]
            if is_quantized(tensor) and not tensor.is_constant and key in ranges:
                wide[key] = widen_range(ranges[key], tensor.quantization.real_range(tensor.dtype))
    request = Request(kind_of(match.second), keep=_float_operators(match))
    conversion = convert(match.first, request, wide, granularity_of(match), inner)
    forms = {(one.subgraph, one.tensor): one.written for one in conversion.plan.tensors if one.written}
    if is_trained(match.first):
        # Its ranges are stated, and the conversion keeps simulated operators in float32.
        to = "uint8" if request.to == "uint8" else "int8"
        forms |= import_trained(match.first, to).params.forms
    reads = {port: form for one in conversion.plan.tensors for port, form in one.read.items() if form}
    return Twin(conversion, forms, reads)


def granularity_of(match: ModelMatch) -> TransferredParams:
    """Return the granularity of the constants of the quantized model: per channel or per tensor."""
    per_axis = {
        (part.first.index, old): part.second.tensors[new].quantization.scale.size > 1
        for part in match.subgraphs
        for new, old in part.tensors.items()
        if part.second.tensors[new].is_constant and is_quantized(part.second.tensors[new])
    }
    return TransferredParams(per_axis=per_axis)


def kind_of(model: Model) -> str:
    """Return the kind of conversion with the activation type of a quantized model."""
    tensors = [t for s in model.subgraphs for t in s.tensors if is_quantized(t)]
    types = Counter(t.dtype for t in tensors if not t.is_constant)
    found = next((dtype for dtype, _ in types.most_common() if dtype in _KINDS), "")
    return _KINDS.get(found, "dynamic")


def shared_ranges(conversion: Conversion, ranges: Mapping[Key, Interval]) -> tuple[SharedQuantization, ...]:
    """Return the ranges that tensors of a conversion share."""
    profile, _ = rules_for(conversion.request.to, "")
    plan = conversion.plan
    return shared_quantizations(conversion.source, plan, profile_of(plan, profile), ranges)


def widen_range(seen: Interval, reach: Interval) -> Interval:
    """Return the range of a tensor extended towards its range in the quantized model, to at most twice the width.

    Example: values 0..1 and a range of 0..1.5 give 0..1.5; a range of 0..8 gives 0..2.
    """
    low, high = min(seen[0], 0.0), max(seen[1], 0.0)
    more = max(0.0, low - reach[0]), max(0.0, reach[1] - high)
    room = (SLACK - 1) * (high - low)
    factor = min(1.0, room / sum(more)) if sum(more) else 0.0
    return low - factor * more[0], high + factor * more[1]


def _float_operators(match: ModelMatch) -> tuple[str, ...]:
    """Return the operators of the first subgraph that stay float32 in the quantized model."""
    part = match.subgraphs[0]
    return tuple(f"#{one}" for one, other in part.operators if _is_float(part, other))


def _is_float(part: SubgraphMatch, number: int) -> bool:
    operator = part.second.operators[number]
    tensors = [part.second.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0]
    return any(t.dtype == REAL for t in tensors) and not any(map(is_quantized, tensors))


def with_form(tensor: Tensor, form: QuantParams) -> Tensor:
    """Return a tensor in a form of the plan."""
    return replace(tensor, dtype=form.dtype, quantization=form.quantization)
