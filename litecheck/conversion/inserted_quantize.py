"""Notes on ranges at QUANTIZE operators that a conversion inserts: the values that reach them are known."""

from __future__ import annotations

from dataclasses import replace

from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.groups import Interval, Key
from litecheck.finding import Finding
from litecheck.report import ModelReport

#: The note that compares the ranges of types, without the values.
_PATH = "QUANTIZE/kept_range"


def drop_inserted_notes(report: ModelReport, conversion: Conversion) -> ModelReport:
    """Return the report without notes on the output range of an inserted QUANTIZE that clips no value.

    For example, int16 from -4 to 4 into int8 from 0 to 4 keeps half of the range, and all values of a RELU.
    """
    ranges = {
        conversion.tensors[key]: (one.written.low, one.written.high)
        for one in conversion.plan.tensors
        if one.written is not None and (key := (one.subgraph, one.tensor)) in conversion.tensors
    }
    findings = (f for f in report.findings if f.path != _PATH or not _keeps_values(f, conversion, ranges))
    return replace(report, findings=tuple(findings))


def _keeps_values(finding: Finding, conversion: Conversion, ranges: dict[Key, Interval]) -> bool:
    """Return True if the QUANTIZE of a finding was inserted and its output range has all values of its input."""
    number, place = finding.where.subgraph, finding.where.operator
    subgraph = conversion.model.subgraphs[number]
    operator = subgraph.operators[place]
    low, high = ranges.get((number, operator.inputs[0]), (0.0, 0.0))
    if conversion.origins[number][place] >= 0 or low == high:
        return False
    output = subgraph.tensors[operator.outputs[0]]
    stored = output.quantization
    least, most = QuantParams(output.dtype, stored.scale, stored.zero_point).reach
    half = float(stored.scale[0]) / 2  # values up to half a step outside are rounded to the limit
    return least - half <= low and high <= most + half
