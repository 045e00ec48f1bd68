"""Properties of probes, to separate failing from passing probes; values tried, and values not exercised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from litecheck.cases.probes.probe import Probe
from litecheck.diagnosis.result import ProbedRange, UntestedProperty
from litecheck.model.options import options_of
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.windows import Axis, axes
from litecheck.reference.registry import ANY, kernels
from litecheck.verification.failure_correlation import operands_of

#: A number (``output elements``: 4,099), a word (``padding``: SAME), or a bool for an unusual feature
#: (``different strides``).
Property = int | str | bool
Properties = Mapping[str, Property]

#: Measurements of profiles, with their names in properties.
_MEASURED = {
    "kernel_h": "window height",
    "kernel_w": "window width",
    "stride_h": "vertical stride",
    "stride_w": "horizontal stride",
    "accumulation_depth": "products in a sum",
}
#: Options that change the computation: flags and masks, which are set or not.
_FLAGS = (
    "adj_x", "adj_y", "align_corners", "half_pixel_centers", "keep_dims", "offset", "begin_mask", "end_mask",
    "ellipsis_mask", "new_axis_mask", "shrink_axis_mask",
)  # fmt: skip
#: Words that an operator can have.
_WORDS = {"activation": ("NONE", "RELU", "RELU6", "RELU_N1_TO_1"), "padding": ("SAME", "VALID")}
#: Unusual features that the report of features not exercised omits.
_NEVER_MISSED = ("several inferences", "inputs beside their zero points")


def properties(probe: Probe) -> Properties:
    """Return all measured properties of a probe; properties that its operator lacks are omitted."""
    operands = operands_of(probe.model, probe.subgraph, probe.subgraph.operators[0])
    return dict((*_peculiarities(probe, operands), *_words(operands), *_numbers(probe, operands)))


def _peculiarities(probe: Probe, operands: Operands) -> Iterator[tuple[str, bool]]:
    """Yield unusual features of the operator, present or absent."""
    output = operands.one("output")
    strides = [measurement(name)(operands) for name in ("stride_h", "stride_w")]
    if None not in strides:
        yield "different strides", strides[0] != strides[1]
        window = [measurement(name)(operands) for name in ("kernel_h", "kernel_w")]
        yield "a window that is not square", window[0] != window[1]
    for name, axis in _paddings(operands):
        yield f"uneven {name} padding", max(axis.after, 0) != axis.before
    options = options_of(operands.operator)
    if options.get("axis") is not None:
        yield "an axis below 0", int(options["axis"]) < 0
    yield from ((name, bool(options[name])) for name in _FLAGS if name in options)
    if "alpha" in options:
        yield "an alpha below 0", float(options["alpha"]) < 0
    dilations = _dilations(operands)
    if dilations:
        yield "different dilations", dilations[0] != dilations[1]
        yield "dilation", dilations != (1, 1)
    weight, bias = operands.one("weight"), operands.one("bias")
    if weight is not None:
        yield "weights given at run time", not weight.is_constant
        yield "one weight scale for all channels", weight.quantization.scale.size == 1
        yield "no bias", bias is None
        yield "a bias given at run time", bias is not None and not bias.is_constant
    given = [probe.subgraph.tensors[i] for i in probe.subgraph.inputs]
    if len(given) > 1:
        yield "operands of different shapes", len({t.shape for t in given}) > 1
    if output is not None and output.dtype in INTEGER_RANGES:
        yield "scales that are powers of two", all(map(_has_power_of_two_scales, (*given, output)))
        yield "inputs beside their zero points", _has_nonzero_value(probe)
    if any(t.is_variable for t in probe.subgraph.tensors):
        yield "state kept between inferences", probe.series
    yield "several inferences", len(probe.run_order) > 2


def _has_nonzero_value(probe: Probe) -> bool:
    """Return True if an input has a value that differs from its zero point, or has no zero point."""
    for at, index in enumerate(probe.subgraph.inputs):
        zero = probe.subgraph.tensors[index].quantization.zero_point
        if not zero.size or any((run[at] != zero.reshape(-1)[0]).any() for run in probe.runs):
            return True
    return False


def _has_power_of_two_scales(tensor: Tensor) -> bool:
    scale = tensor.quantization.scale
    return bool(scale.size) and bool((np.frexp(scale)[0] == 0.5).all())


def _paddings(operands: Operands) -> Iterator[tuple[str, Axis]]:
    """Yield the vertical and the horizontal windows of an operator with windows over an image."""
    given, options = operands.one("input"), operands.operator.options
    height, width = (measurement(f"kernel_{side}")(operands) for side in "hw")
    if given is None or len(given.shape) != 4 or not traits_of(operands.operator.kind).windows:
        return
    if isinstance(height, int) and isinstance(width, int) and measurement("stride_h")(operands):
        yield from zip(("vertical", "horizontal"), axes(given.shape, (height, width), options), strict=True)


def _dilations(operands: Operands) -> tuple[int, int] | None:
    options = options_of(operands.operator)
    if "dilation_h_factor" not in options:
        return None
    return int(options["dilation_h_factor"]), int(options["dilation_w_factor"])


def _words(operands: Operands) -> Iterator[tuple[str, str]]:
    options = options_of(operands.operator)
    for name, called in (("fused_activation_function", "activation"), ("padding", "padding")):
        if name in options:
            yield called, str(options[name])


def _numbers(probe: Probe, operands: Operands) -> Iterator[tuple[str, int]]:
    graph = probe.subgraph
    if "rank" in (options := options_of(operands.operator)):
        yield "filters per unit", int(options["rank"])
    for name, called in _MEASURED.items():
        value = measurement(name)(operands)
        if isinstance(value, int):
            yield called, value
    dilations = _dilations(operands)
    if dilations:
        yield "vertical dilation", dilations[0]
        yield "horizontal dilation", dilations[1]
    made = [graph.tensors[i].shape for i in graph.outputs]
    yield "output elements", max(map(prod, made))
    yield "input elements", max((prod(graph.tensors[i].shape) for i in graph.inputs), default=0)
    if len(made[0]) > 1:
        yield "channels of the output", made[0][-1]
        yield "batch", made[0][0]
    if len(made[0]) == 4:
        yield "rows of the output", made[0][1]
        yield "columns of the output", made[0][2]
    if tuple(traits_of(operands.operator.kind).inputs) == ("values",):
        yield "inputs", len(operands.operator.inputs)
    if reduced := _reduced_values(operands):
        yield "values per output", reduced
    given, weight = operands.one("input"), operands.one("weight")
    if given is not None and len(given.shape) > 1:
        yield "channels of the input", given.shape[-1]
        if weight is not None and len(weight.shape) == 4 and weight.shape[0] > 1 and weight.shape[3]:
            yield "groups", max(given.shape[-1] // weight.shape[3], 1)
        if weight is not None and traits_of(operands.operator.kind).over == "plane" and given.shape[-1]:
            yield "depth multiplier", weight.shape[-1] // given.shape[-1]


def _reduced_values(operands: Operands) -> int:
    """Return the number of values that an output of a reduction or a pooling window combines, 0 for other operators.

    Example: MEAN of (1, 17, 17, 8) along the axes 1 and 2 gives 289.
    """
    given, output = operands.one("input"), operands.one("output")
    over = traits_of(operands.operator.kind).over
    if over == "axes" and given is not None and output is not None and output.size:
        return given.size // output.size
    window = operands.option("filter_height") * operands.option("filter_width")
    return window if operands.one("weight") is None else 0


def probed_ranges(probes: Sequence[Properties]) -> tuple[ProbedRange, ...]:
    """Return every property with the range of its values."""
    names = dict.fromkeys(name for one in probes for name in one)
    return tuple(_range(name, [one[name] for one in probes if name in one]) for name in names)


def _range(name: str, values: Sequence[Property]) -> ProbedRange:
    if all(isinstance(v, bool) for v in values):
        return ProbedRange(name, len(values), having=sum(map(bool, values)))
    if all(isinstance(v, str) for v in values):
        return ProbedRange(name, len(values), words=tuple(sorted(map(str, set(values)))))
    numbers = list(map(int, values))
    return ProbedRange(name, len(values), min(numbers), max(numbers))


def untried_properties(
    opcode: str, kinds: Iterable[str], probes: Sequence[Properties]
) -> tuple[UntestedProperty, ...]:
    """Return the properties that no answered probe of an operator had. ``kinds`` are the types that were tried."""
    return (*_types(opcode, kinds), *_missing_properties(probed_ranges(probes)))


def _types(opcode: str, kinds: Iterable[str]) -> Iterator[UntestedProperty]:
    known = {t for kernel in kernels().get(opcode, ()) for t in kernel.types if t is not ANY}
    missing = sorted(known - set(kinds))
    if missing:
        yield UntestedProperty("types", tuple(missing), beside=tuple(sorted(kinds)))


def _missing_properties(ranges: Sequence[ProbedRange]) -> Iterator[UntestedProperty]:
    for had in ranges:
        if had.having == 0 and had.property not in _NEVER_MISSED:
            yield UntestedProperty("peculiarity", (had.property,))
        elif had.words:
            known = _WORDS[had.property]
            missing = tuple(word for word in known if word not in had.words)
            if missing and set(had.words) <= set(known):
                yield UntestedProperty("words", missing, of=had.property)
    numbered = [(had, had.most) for had in ranges if had.most is not None]
    for kind, of in (
        ("one value", [(had.property, most) for had, most in numbered if had.least == most]),
        ("larger", [(had.property, most) for had, most in numbered if had.least != most]),
    ):
        if of:
            yield UntestedProperty(kind, tuple(name for name, _ in of), tuple(most for _, most in of))


def general(repeats: int) -> Iterator[UntestedProperty]:
    """Yield the properties that no diagnosis exercises, whatever its operators."""
    yield from map(UntestedProperty, ("graphs", "threads", "shapes"))
    if repeats:
        # Rule of three: n inferences without a fault exclude a rate above 3 in n with 95 % confidence.
        yield UntestedProperty("rarer", numbers=(max(repeats // 3, 1),))
    else:
        yield UntestedProperty("repetition")


def untried_operators(model: str, opcodes: Iterable[str]) -> Iterator[UntestedProperty]:
    """Yield the operators of a model that were not tried, by kind."""
    counts = sorted(Counter(opcodes).items())
    if counts:
        yield UntestedProperty(
            "operators", tuple(opcode for opcode, _ in counts), tuple(count for _, count in counts), of=model
        )
