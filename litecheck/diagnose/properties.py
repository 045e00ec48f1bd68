"""What probes are like: numbers, words and peculiarities, by which those that fail may differ from those that pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe
from litecheck.diagnose.hypotheses import kernel_of
from litecheck.model.options import options_of
from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.dispatch import signature

#: A number (``output elements``: 4,099), a word (``padding``: SAME), or whether something unusual is there
#: (``different strides``).
Property = int | str | bool
Properties = Mapping[str, Property]

#: Numbers that named measurements of profiles yield, and what they are called here.
_MEASURED = {
    "kernel_h": "window height",
    "kernel_w": "window width",
    "stride_h": "vertical stride",
    "stride_w": "horizontal stride",
    "accumulation_depth": "products in a sum",
}


def properties(probe: Probe) -> Properties:
    """Everything that is measured of a probe; what its operator does not have is left out."""
    graph, operator = probe.subgraph, probe.subgraph.operators[0]
    roles = signature(kernel_of(probe).function)
    named = (
        *zip(roles.inputs, operator.inputs, strict=False),
        *zip(roles.outputs, operator.outputs, strict=False),
    )
    tensors = {role: (graph.tensors[index],) for role, index in named if index >= 0}
    operands = Operands(operator, tensors, graph, probe.model)
    return dict(
        (
            *_peculiarities(probe, operands),
            *_words(operands),
            *_numbers(probe, operands),
        )
    )


def _peculiarities(probe: Probe, operands: Operands) -> Iterator[tuple[str, bool]]:
    """What is not so in the usual operator."""
    output = operands.one("output")
    strides = [measurement(name)(operands) for name in ("stride_h", "stride_w")]
    if None not in strides:
        yield "different strides", strides[0] != strides[1]
        window = [measurement(name)(operands) for name in ("kernel_h", "kernel_w")]
        yield "a window that is not square", window[0] != window[1]
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
        yield "scales that are powers of two", all(map(_even, (*given, output)))
        yield "inputs beside their zero points", any(map(_beside, *zip(*_fed(probe), strict=True)))
    if any(t.is_variable for t in probe.subgraph.tensors):
        yield "state handed on", probe.series
    yield "several inferences", len(probe.asked) > 2


def _fed(probe: Probe) -> Iterator[tuple[Tensor, tuple[Array, ...]]]:
    for at, index in enumerate(probe.subgraph.inputs):
        yield probe.subgraph.tensors[index], tuple(run[at] for run in probe.runs)


def _beside(tensor: Tensor, fed: tuple[Array, ...]) -> bool:
    zero = tensor.quantization.zero_point
    return not zero.size or any((values != zero.reshape(-1)[0]).any() for values in fed)


def _even(tensor: Tensor) -> bool:
    scale = tensor.quantization.scale
    return bool(scale.size) and bool((np.frexp(scale)[0] == 0.5).all())


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
    given, weight = operands.one("input"), operands.one("weight")
    if given is not None and len(given.shape) > 1:
        yield "channels of the input", given.shape[-1]
        if weight is not None and len(weight.shape) == 4 and weight.shape[0] > 1 and weight.shape[3]:
            yield "groups", max(given.shape[-1] // weight.shape[3], 1)
