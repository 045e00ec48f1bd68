"""Designed probes as cases: symmetric weights, uint8, names, and profiles that reject a probe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases.probes.catalogue import probes
from litecheck.cases.probes.probe import ProbeOperand, ProbeOutput, probe
from litecheck.model.build import qparams
from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.probe_cases import _case, conforms, convert_to_uint8, designed_cases, slug, symmetric


def added(zero: int = 0):  # type: ignore[no-untyped-def]
    """Return an ADD of a row and a constant with the value -128."""
    x = ProbeOperand(np.array([[1, -128, 127]], np.int8), qparams(0.5, 4))
    c = ProbeOperand(np.array([[-128, -127, 5]], np.int8), qparams(0.25, zero), constant=True)
    return probe("a sum", "ADD", [x, c], ProbeOutput(qparams(1.0, -7)))


def stored(model, index: int = 1) -> list[int]:  # type: ignore[no-untyped-def]
    tensor = model.subgraphs[0].tensors[index]
    assert (model.buffers[tensor.buffer].data == tensor.data).all()
    return tensor.data.view(tensor.dtype).tolist()  # type: ignore[no-any-return]


def test_symmetric_constants() -> None:
    """-128 becomes -127 where the zero point is 0."""
    assert stored(symmetric(added().model)) == [-127, -127, 5]
    assert stored(symmetric(added(1).model)) == [-128, -127, 5]


def test_uint8_represents_the_same_numbers() -> None:
    """Values and zero points are 128 more."""
    before, after = added(), convert_to_uint8(added())
    assert after.name == before.name
    assert stored(after.model) == [0, 1, 133]
    assert [run[0].tolist() for run in after.runs] == [[[129, 0, 255]]]
    zeros = [t.quantization.zero_point.tolist() for t in after.subgraph.tensors]
    assert zeros == [[132], [128], [121]]
    assert {t.dtype for t in after.subgraph.tensors} == {"uint8"}
    given, made = (
        ReferenceInterpreter(p.model).run(p.subgraph, p.runs[0])[p.subgraph.outputs[0]].astype(int)
        for p in (before, after)
    )
    assert (made - given == 128).all()


def test_real_inputs_stay() -> None:
    """A QUANTIZE of real inputs changes its output only; the name of the probe states the output type."""
    reals = next(p for p in probes("QUANTIZE") if p.name.startswith("reals"))
    turned = convert_to_uint8(reals)
    assert turned.name == f"{reals.name}, to uint8"
    assert (turned.runs[0][0] == reals.runs[0][0]).all()
    assert [t.dtype for t in turned.subgraph.tensors] == ["float32", "uint8"]


def test_types_without_probes() -> None:
    profile = load_profile("litert-runtime")
    assert [*designed_cases(profile, "ADD", "int16", 0)] == []
    assert [*designed_cases(profile, "RESHAPE", "int8", 0)] == []


def test_cases_of_an_operator() -> None:
    """An operator with a permissive rule has a case for each probe, without -128 in weights."""
    cases = [*designed_cases(load_profile("litert-int8"), "FULLY_CONNECTED", "int8", 3)]
    drawn = probes("FULLY_CONNECTED", 3)
    assert [case.title for case in cases] == [
        p.name for p in drawn if conforms(symmetric(p.model), load_profile("litert-int8"))
    ]
    assert len(cases) > 20
    for case in cases:
        assert case.name == f"FULLY_CONNECTED/int8/{slug(case.title)}"
        assert (case.level, case.kind, case.lengths) == ("standard", "int8", ())
        assert case.granularity in ("per-axis", "per-tensor")
    assert {case.granularity for case in cases} == {"per-axis", "per-tensor"}
    assert len({case.name for case in cases}) == len(cases)


def test_series_state_their_length() -> None:
    cases = [_case(p) for p in probes("SVDF")[:2]]
    assert [(len(case.runs), case.lengths) for case in cases] == [(4, ()), (12, (12,))]


def test_runs_have_the_order_of_the_probe() -> None:
    ordered = replace(
        added(), runs=((np.array([[1]], np.int8),), (np.array([[2]], np.int8),)), order=(1, 0, 1)
    )
    assert [run[0].tolist() for run in _case(ordered).runs] == [[[2]], [[1]], [[2]]]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("ties, multipliers powers of two", "ties-multipliers-powers-of-two"),
        ("65,536 outputs", "65-536-outputs"),
        ("(x) to (y)", "x-to-y"),
        ("a" * 70, "a" * 60),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_names(title: str, name: str) -> None:
    assert slug(title) == name
