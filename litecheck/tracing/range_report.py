"""Trace of a quantized model without its float model: saturation and effective resolution of every tensor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, log2

from litecheck.arrays import Arrays
from litecheck.cases.inputs import quantize_input
from litecheck.conversion.groups import Interval
from litecheck.conversion.model_calibration import open_samples
from litecheck.conversion.settings import ConversionSettings
from litecheck.errors import ConfigError
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import name_of
from litecheck.model.types import Model, Operator
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.engine.run_statistics import Statistics, statistics
from litecheck.reference.engine.saturation_limits import saturable_ends
from litecheck.tracing.data_fit import data_doubt, takes_scaling
from litecheck.tracing.trace_result import Trace, TracedOperator
from litecheck.version import __version__

#: Saturated share, and missing effective bits, from which a note is made.
_SATURATED, _LOST_BITS = 0.01, 2.0


def trace_ranges(
    model: Model, settings: ConversionSettings, arithmetic: str, tell: Callable[[int, str], None]
) -> Trace:
    """Return the saturation and the effective resolution of every output on real-valued samples."""
    real = _real_inputs(model)
    data = open_samples(real, settings)
    if data is None:
        raise ConfigError("a trace needs data: give --data FILE, FOLDER or random:N")
    interpreter, subgraph = ReferenceInterpreter(model, arithmetic), model.subgraphs[0]
    found: dict[int, list[Statistics]] = {}

    def record(operator: Operator, outputs: Arrays) -> None:
        found.setdefault(operator.index, []).extend(statistics(subgraph, operator, outputs))

    seen, count = dict[int, Interval](), 0
    for count, sample in enumerate((sample for chain in data for sample in chain), 1):
        _, arrays = sample.arrange(real)
        for index, array in zip(subgraph.inputs, arrays, strict=True):
            least, most = seen.get(index, (inf, -inf))
            seen[index] = min(least, float(array.min())), max(most, float(array.max()))
        tensors = (subgraph.tensors[i] for i in subgraph.inputs)
        inputs = tuple(quantize_input(tensor, array) for tensor, array in zip(tensors, arrays, strict=True))
        interpreter.restart()
        interpreter.run(subgraph, inputs, progress=record)
        tell(count, "running")
    rows = tuple(
        row
        for operator in subgraph.operators
        if (row := _make_row(model, operator, found.get(operator.index, [])))
    )
    return Trace(
        __version__,
        "",
        model.file or "model",
        data.description,
        count,
        rows,
        (),
        (),
        notes=tuple(_resolution_notes(model, rows)),
        random=bool(settings.random),
        doubt="" if settings.random else data_doubt(subgraph, seen, takes_scaling(settings)),
    )


def _real_inputs(model: Model) -> Model:
    """Return the model with float32 inputs, for reading real-valued samples."""
    subgraph = model.subgraphs[0]
    editor = SubgraphEditor(subgraph)
    for index in subgraph.inputs:
        if subgraph.tensors[index].quantization.scale.size:
            editor.set_tensor(index, dtype="float32")
    changed, _ = editor.finish()
    return replace(with_subgraphs(model, [changed, *model.subgraphs[1:]]), signatures=model.signatures)


def _make_row(model: Model, operator: Operator, found: list[Statistics]) -> TracedOperator | None:
    subgraph = model.subgraphs[0]
    counted = [one for one in found if one.at_low is not None and one.low is not None]
    if not counted:
        return None
    size = sum(one.size for one in counted)
    saturated = sum(_count_saturated(model, operator, one) for one in counted) / max(size, 1)
    low, high = min(one.low or 0 for one in counted), max(one.high or 0 for one in counted)
    return TracedOperator(
        0, operator.index, operator.kind, name_of(subgraph, operator), -1, None, None, None, None, None, 0.0,
        saturated, log2(max(1.0, high - low + 1)),
    )  # fmt: skip


def _count_saturated(model: Model, operator: Operator, one: Statistics) -> int:
    subgraph = model.subgraphs[0]
    ends = saturable_ends(subgraph, operator, subgraph.tensors[one.index])
    return ends[0] * (one.at_low or 0) + ends[1] * (one.at_high or 0)


def _resolution_notes(model: Model, rows: tuple[TracedOperator, ...]) -> list[str]:
    tensors = model.subgraphs[0].tensors
    notes = []
    for row in rows:
        out = tensors[model.subgraphs[0].operators[row.operator].outputs[0]]
        bits = BITS.get(out.dtype, 8) if out.dtype in INTEGER_RANGES else 8
        if row.resolution is not None and row.resolution < bits - _LOST_BITS:
            notes.append(f"{row.opcode} #{row.operator} uses {row.resolution:.1f} of {bits} bits")
    return notes
