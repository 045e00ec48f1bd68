"""Versions of quantized operators: those that LiteRT registers, under every profile."""

from __future__ import annotations

from litecheck import load_profile
from litecheck.conversion.convert_float import convert
from litecheck.conversion.request import Request
from litecheck.model.types import Model, Operator
from litecheck.profile.generate.plan_solver import admits
from tests.conversion.one_operator import float_cases


def converted(model: Model, request: Request) -> list[Operator]:
    ranges = {(s.index, t.index): (-1.0, 1.0) for s in model.subgraphs for t in s.tensors}
    return list(convert(model, request, ranges).model.subgraphs[0].operators)


def test_versions_are_those_that_litert_registers_under_a_profile_without_versions() -> None:
    """TFLM reads no version, and LiteRT has no RESHAPE 2."""
    registered = load_profile("litert-structure").operators
    seen = set()
    for case in float_cases():
        if case.opcode in load_profile("tflm").operators and case.opcode in registered:
            for operator in converted(case.model, Request(profile="tflm")):
                seen.add(operator.opcode)
                for r in registered[operator.kind].requirements:
                    assert not r.path.endswith("limits/version") or admits(r.value, operator.version), r.path
    assert {"RESHAPE", "CONV_2D", "SQUEEZE"} <= seen
