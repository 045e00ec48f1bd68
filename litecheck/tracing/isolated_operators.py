"""Operators of a quantized model with the corresponding tensors of the float model for their inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from litecheck.model.graph import has_ends, wiring_of
from litecheck.model.matching import SubgraphMatch
from litecheck.model.node_signatures import CONVERSIONS
from litecheck.model.tensor_matching import origin_of
from litecheck.model.types import Operator, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.tracing.float_forms import differs, permutation
from litecheck.tracing.storage import is_quantized


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedOperator:
    """An operator of the quantized model with the float tensors of its inputs, and its outputs as (float, quantized)."""

    one: int
    other: int
    operator: Operator
    feeds: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int], ...]
    computes: bool
    """True if constants, options or operand order may differ from the float operator's."""
    reads: Mapping[int, int]
    """Tensors that the float operator reads, by the float tensors before simulated quantization."""


def isolated_operators(part: SubgraphMatch) -> Iterator[IsolatedOperator]:
    """Yield the matched operators with real-valued outputs."""
    for one, other in part.operators:
        mine, theirs = part.first.operators[one], part.second.operators[other]
        outputs = tuple(
            (part.tensors[i], i) for i in theirs.outputs
            if i in part.tensors and part.first.tensors[part.tensors[i]].dtype == "float32"
        )  # fmt: skip
        if not outputs:
            continue
        feeds = tuple(
            dict.fromkeys((i, _float_tensor(part, i)) for i in theirs.inputs if _is_activation(part, i))
        )
        has_constants = any(i >= 0 and not _is_activation(part, i) for i in theirs.inputs)
        computes = has_constants or differs(part, mine, theirs) or bool(permutation(part, mine, theirs))
        reads = {origin_of(part.first, i): i for i in mine.inputs if i >= 0}
        yield IsolatedOperator(one, other, theirs, feeds, outputs, computes, reads)


def _float_tensor(part: SubgraphMatch, index: int) -> int:
    """Return the float tensor for a quantized tensor, before simulated quantization; -1 if there is none."""
    home = part.tensors.get(index, -1)
    return origin_of(part.first, home) if home >= 0 and is_quantized(part.first.tensors[home]) else home


def simulated_tensors(subgraph: Subgraph) -> dict[int, int]:
    """Return the float tensors that only simulated quantization reads, each with the tensor after the simulation."""
    wiring, found = wiring_of(subgraph), dict[int, int]()
    for operator in subgraph.operators:
        if (
            operator.kind not in CONVERSIONS
            or not has_ends(operator)
            or is_quantized(subgraph.tensors[operator.outputs[0]])
        ):
            continue
        output, first = operator.outputs[0], origin_of(subgraph, operator.outputs[0])
        all_conversions = all(
            subgraph.operators[n].kind in CONVERSIONS for n in wiring.readers.get(first, ())
        )
        if (
            all_conversions
            and not subgraph.tensors[first].is_constant
            and wiring.last_writer.get(first, -1) >= 0
        ):
            found[first] = output
    return found


def _is_activation(part: SubgraphMatch, index: int) -> bool:
    if index < 0:
        return False
    tensor = part.second.tensors[index]
    return not (tensor.is_constant or tensor.is_variable)


def edges_of(part: SubgraphMatch) -> Iterator[tuple[int, int]]:
    """Yield quantized tensors that no matched operator writes, with the first matched operator that reads them.

    These tensors are inputs of the model and outputs of QUANTIZE. An operator that reads only the shape does not count.
    """
    wiring, matched = wiring_of(part.second), {other for _, other in part.operators}
    for index in part.tensors:
        tensor = part.second.tensors[index]
        if tensor.is_constant or wiring.last_writer.get(index, -1) in matched or not is_quantized(tensor):
            continue
        readers = (n for n in wiring.readers.get(index, ()) if n in matched)
        reader = next((n for n in readers if not traits_of(part.second.operators[n].kind).shape_only), -1)
        if reader >= 0 and part.first.tensors[part.tensors[index]].dtype == "float32":
            yield index, reader


def copies_of(part: SubgraphMatch) -> Iterator[tuple[int, tuple[int, Operator]]]:
    """Yield tensors that an operator without a partner writes, with its input and the operator, if both correspond to
    one float tensor. Example: the output of a RESHAPE that only the quantized model has."""
    wiring, matched = wiring_of(part.second), {other for _, other in part.operators}
    for index, _ in edges_of(part):
        writer = wiring.last_writer.get(index, -1)
        if writer < 0 or writer in matched:
            continue
        operator = part.second.operators[writer]
        inputs = [i for i in operator.inputs if _is_activation(part, i)]
        same_tensor = (
            len(inputs) == len(operator.outputs) == 1
            and part.tensors.get(inputs[0], -1) == part.tensors[index]
        )
        if same_tensor and is_quantized(part.second.tensors[inputs[0]]):
            yield index, (inputs[0], operator)
