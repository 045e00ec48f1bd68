"""Contents of a model file as text, without a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from numpy.typing import NDArray

from litecheck.input_shapes import shape_words
from litecheck.model.graph import Graph, graph_of, name_of
from litecheck.model.options import option_text, options_of, unset_types
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantization import Blockwise, Custom, MultiAxis, Quantization
from litecheck.rendering.columns import break_lines, table
from litecheck.rendering.escape import NAME, PHRASE, shorten, visible
from litecheck.rendering.inspect_json import model_name, select_subgraphs

#: Largest number of scales in a line of text; JSON has all.
SHOWN = 8


def model_text(
    model: Model,
    *,
    tensors: bool = False,
    subgraph: int | None = None,
    op: int | None = None,
    width: int | None = None,
) -> str:
    """Return a heading and the operators of each subgraph, with ``tensors`` also the tensors; with ``op``, one operator
    in full.

    Names are last in a line; in tables they are shortened to ``width``, the terminal's. Without ``subgraph``, ``op`` is
    an operator of subgraph 0. Raise ConfigError if the subgraph or the operator does not exist.
    """
    subgraphs = select_subgraphs(model, subgraph, op)
    if op is not None:
        return operator_text(model, subgraphs[0], subgraphs[0].operators[op])
    parts = [_heading(model, width)]
    for sub in subgraphs:
        parts.append(_subgraph_text(sub, width))
        if tensors:
            parts.append(table(_TENSOR_HEADS, (_tensor_row(sub, t) for t in sub.tensors), width))
    return "\n\n".join(parts) + "\n"


def _heading(model: Model, width: int | None) -> str:
    operators = [op for sub in model.subgraphs for op in sub.operators]
    kinds = Counter(_opcode(op) for op in operators)
    constants = [t for sub in model.subgraphs for t in sub.tensors if t.data is not None]
    lines = [
        ("size", f"{model.size:,} bytes"),
        ("description", shorten(model.description, PHRASE)),
        ("operators", f"{len(operators):,}: " + ", ".join(f"{k} {n}" for k, n in kinds.most_common())),
        ("constants", f"{len(constants):,} tensors, {sum(_bytes(t) for t in constants):,} bytes"),
        ("metadata", ", ".join(shorten(key) for key, _ in model.metadata)),
        *(("signature", _signature(s.key, s.subgraph, s.inputs, s.outputs)) for s in model.signatures),
        *(("remark", remark) for remark in model.remarks),
    ]
    told = (f"  {key:<12} {visible(value)}" for key, value in lines if value)
    return "\n".join([model_name(model), *break_lines(told, width, " " * 15)])


def _signature(
    key: str, subgraph: int, inputs: Iterable[tuple[str, int]], outputs: Iterable[tuple[str, int]]
) -> str:
    into, out = (
        ", ".join(f"{shorten(name)} (tensor {index})" for name, index in ends) for ends in (inputs, outputs)
    )
    return f"'{shorten(key)}' of subgraph {subgraph}: {into or 'nothing'} -> {out or 'nothing'}"


def _subgraph_text(sub: Subgraph, width: int | None) -> str:
    ends = []
    for word, indexes in (("inputs", sub.inputs), ("outputs", sub.outputs)):
        told = "; ".join(_tensor_phrase(sub.tensors[i]) for i in indexes if i >= 0)
        ends.append(f"  {word:<7} {told or 'none'}")
    title = f"subgraph {sub.index}" + (f" '{shorten(sub.name)}'" if sub.name else "")
    heads = (">#", "operator", "tensors", "output", "quantization", "name")
    return "\n".join([title, *ends, table(heads, (_operator_row(sub, op) for op in sub.operators), width)])


def _operator_row(sub: Subgraph, op: Operator) -> tuple[str, ...]:
    first = next((sub.tensors[i] for i in op.outputs if i >= 0), None)
    wires = f"{_indexes(op.inputs)} -> {_indexes(op.outputs)}"
    if first is None:
        return (str(op.index), _opcode(op), wires, "", "", "")
    kind = f"{first.dtype} {_shape(first)}"
    return (str(op.index), _opcode(op), wires, kind, _quantization(first.quantization), shorten(first.name))


_TENSOR_HEADS = (">tensor", "type", "quantization", "holds", "name")


def _tensor_row(sub: Subgraph, tensor: Tensor) -> tuple[str, ...]:
    kind, quantization = f"{tensor.dtype} {_shape(tensor)}", _quantization(tensor.quantization)
    return (str(tensor.index), kind, quantization, _holds(sub, tensor), shorten(tensor.name))


def _holds(sub: Subgraph, tensor: Tensor) -> str:
    if tensor.data is not None:
        return f"{_bytes(tensor):,} bytes"
    if tensor.is_variable:
        return "state"
    return "input" if tensor.index in sub.inputs else "output" if tensor.index in sub.outputs else ""


def operator_text(model: Model, sub: Subgraph, op: Operator) -> str:
    """Describe an operator: its options, and each tensor with its producer and consumers."""
    graph = graph_of(sub)
    title = f"{_opcode(op)} #{op.index} '{shorten(name_of(sub, op), PHRASE)}'"
    lines = [model_name(model), f"{title}, subgraph {sub.index}, version {op.version}"]
    unset = unset_types(op)
    for key, value in options_of(op).items():
        lines.append(f"  {key} = {_option(value)}{' (not set)' if key in unset else ''}")
    if op.custom_options is not None:
        lines.append(f"  {len(op.custom_options):,} bytes of custom options")
    for word, indexes in (("input", op.inputs), ("output", op.outputs), ("intermediate", op.intermediates)):
        for number, index in enumerate(indexes):
            if index < 0:
                lines.append(f"{word} {number}: absent")
                continue
            lines.append(f"{word} {number}: {_tensor_phrase(sub.tensors[index], PHRASE)}")
            lines += [f"    {line}" for line in _operand_lines(graph, sub.tensors[index])]
    return "\n".join(lines) + "\n"


def _option(value: Any) -> str:
    return shorten(value, PHRASE) if isinstance(value, str) else visible(option_text(value))


def _operand_lines(graph: Graph, tensor: Tensor) -> Iterator[str]:
    operators = graph.subgraph.operators
    source = graph.producer[tensor.index]
    users = ", ".join(f"{_opcode(operators[n])} #{n}" for n in dict.fromkeys(graph.consumers[tensor.index]))
    if holds := _holds(graph.subgraph, tensor):
        yield holds
    if source >= 0:
        yield f"from {_opcode(operators[source])} #{source}"
    if users:
        yield f"to {users}"
    scales = tensor.quantization.scale
    if len(scales) > 1:
        rest = f" and {len(scales) - SHOWN} more" if len(scales) > SHOWN else ""
        yield f"scales {' '.join(f'{s:.6g}' for s in scales[:SHOWN])}{rest}"


def _tensor_phrase(tensor: Tensor, limit: int = NAME) -> str:
    quantization = _quantization(tensor.quantization)
    kind = f"tensor {tensor.index} {tensor.dtype} {_shape(tensor)}"
    return ", ".join(filter(None, (kind, quantization, f"'{shorten(tensor.name, limit)}'")))


def _quantization(q: Quantization) -> str:
    """Describe quantization parameters: the exact value if there is a single value, else the range."""
    if isinstance(q.details, Blockwise):
        return f"blocks of {q.details.block_size}, scales in tensor {q.details.scales}"
    if isinstance(q.details, MultiAxis):
        return f"axes {_indexes(q.details.axes)}, scales in tensor {q.details.scales}"
    if isinstance(q.details, Custom):
        return "custom quantization"
    if not q.is_set:
        return ""
    axis = f" axis {q.axis}" if len(q.scale) > 1 else ""
    return f"{_span(q.scale, '.6g')} zp {_span(q.zero_point, 'd')}{axis}"


def _span(values: NDArray[Any], form: str) -> str:
    if not len(values):
        return "none"
    low, high = values.min(), values.max()
    return f"{low:{form}}" if low == high else f"{low:{form}}..{high:{form}}"


def _shape(tensor: Tensor) -> str:
    return shape_words(tensor.shape_signature or tensor.shape) or "scalar"


def _opcode(op: Operator) -> str:
    return f"{op.opcode} {shorten(op.custom_code)}" if op.custom_code else op.opcode


def _indexes(indexes: Iterable[int]) -> str:
    return " ".join("-" if i < 0 else str(i) for i in indexes)


def _bytes(tensor: Tensor) -> int:
    return 0 if tensor.data is None else int(tensor.data.size)
