"""What probes are like, by which those that fail may differ from those that pass; what they had, and what none had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

import numpy as np

from litecheck.cases.probes.probe import Probe
from litecheck.model.options import options_of
from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.registry import ANY, kernels
from litecheck.report import counted
from litecheck.verify.across import operands_of

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
#: Words that an operator may have.
_WORDS = {"activation": ("NONE", "RELU", "RELU6", "RELU_N1_TO_1"), "padding": ("SAME", "VALID")}
#: Peculiarities whose absence says nothing.
_NEVER_MISSED = ("several inferences", "inputs beside their zero points")


def properties(probe: Probe) -> Properties:
    """Everything that is measured of a probe; what its operator does not have is left out."""
    operands = operands_of(probe.model, probe.subgraph, probe.subgraph.operators[0])
    return dict((*_peculiarities(probe, operands), *_words(operands), *_numbers(probe, operands)))


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
        yield "inputs beside their zero points", _beside(probe)
    if any(t.is_variable for t in probe.subgraph.tensors):
        yield "state handed on", probe.series
    yield "several inferences", len(probe.asked) > 2


def _beside(probe: Probe) -> bool:
    """Whether an input has another value than its zero point."""
    for at, index in enumerate(probe.subgraph.inputs):
        zero = probe.subgraph.tensors[index].quantization.zero_point
        if not zero.size or any((run[at] != zero.reshape(-1)[0]).any() for run in probe.runs):
            return True
    return False


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


def tried(probes: Sequence[Properties]) -> tuple[tuple[str, str], ...]:
    """Every property with the values it had: numbers from the least to the most, words, peculiarities by how many."""
    names = dict.fromkeys(name for one in probes for name in one)
    values = {name: [one[name] for one in probes if name in one] for name in names}
    return tuple((name, _shown(of)) for name, of in values.items())


def _shown(values: Sequence[Property]) -> str:
    if all(isinstance(v, bool) for v in values):
        return f"{sum(map(bool, values))} of {counted(len(values), 'probe')}"
    if all(isinstance(v, str) for v in values):
        return ", ".join(sorted(map(str, set(values))))
    numbers = sorted(int(v) for v in values)
    return f"{numbers[0]:,}" if numbers[0] == numbers[-1] else f"{numbers[0]:,} to {numbers[-1]:,}"


def untried(opcode: str, kinds: Iterable[str], probes: Sequence[Properties]) -> tuple[str, ...]:
    """What no answered probe of an operator had. ``kinds`` are the types that were tried."""
    return (*_types(opcode, kinds), *_missing(probes))


def _types(opcode: str, kinds: Iterable[str]) -> Iterator[str]:
    known = {t for kernel in kernels().get(opcode, ()) for t in kernel.types if t is not ANY}
    missing = sorted(known - set(kinds))
    if missing:
        yield f"types other than {' and '.join(sorted(kinds))}: {', '.join(missing)}"


def _missing(probes: Sequence[Properties]) -> Iterator[str]:
    one: list[str] = []
    most: list[str] = []
    for name in dict.fromkeys(name for like in probes for name in like):
        values = [like[name] for like in probes if name in like]
        if all(isinstance(v, bool) for v in values):
            if not any(values) and name not in _NEVER_MISSED:
                yield name
        elif name in _WORDS:
            missing = [word for word in _WORDS[name] if word not in values]
            if missing and set(values) <= set(_WORDS[name]):
                yield f"{name} {' and '.join(missing)}"
        else:
            numbers = {int(v) for v in values}
            (one if len(numbers) == 1 else most).append(f"{name} {max(numbers):,}")
    if one:
        yield f"others than {', '.join(one)}"
    if most:
        yield f"more than {', '.join(most)}"


def general(repeats: int) -> Iterator[str]:
    """What no operator is asked for, however many of them are diagnosed."""
    yield "operators in a graph: every probe is one operator by itself"
    yield "inferences at the same time on one device, and threads"
    yield "inputs of other shapes than those the model states"
    if repeats:
        # Three in n: the rate at which n inferences without a fault leave a chance of 5 %.
        yield f"what goes wrong in fewer than 1 of {max(repeats // 3, 1):,} inferences"
    else:
        yield "the same input again and again: no probe was repeated"


def left_out(model: str, opcodes: Iterable[str]) -> Iterator[str]:
    """Operators of a model that were not tried, by kind."""
    counts = Counter(opcodes)
    if counts:
        names = ", ".join(f"{count} {opcode}" for opcode, count in sorted(counts.items()))
        yield f"of {model}: {names}"
