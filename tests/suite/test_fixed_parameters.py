"""Stated parameters: each set shows its intended mistakes, in cases of a profile that supports the set."""

from __future__ import annotations

import pytest

from litecheck.profile.load import load_profile
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.accept_cases import case_under
from litecheck.suite.case import SuiteCase
from litecheck.suite.case_templates import templates_of
from litecheck.suite.fixed_parameters import FixedParameters, fixed_parameters, fixed_sets
from litecheck.suite.mutants import compute_outputs, find_detecting_runs, mutants

#: Profile with the cases of a type; profile and expected arithmetic of a mistake that this profile does not show.
PROFILES = {"int8": "litert-runtime", "uint8": "litert-uint8", "int16": "litert-int16x8"}
OTHERS = {"power_of_two: shifts": ("tflm", "tflm")}
EACH = [(one, opcode) for one in fixed_parameters() for opcode in one.operators]


@pytest.mark.parametrize(("stated", "opcode"), EACH, ids=lambda v: v if isinstance(v, str) else v.shows[0])
def test_a_set_shows_its_mistakes(stated: FixedParameters, opcode: str) -> None:
    (kind,) = stated.types
    assert stated.parameter_set(1).name in {s.name for s in fixed_sets(opcode, kind, stated.form)}
    form = next(f for f in templates_of(opcode).forms if f.name == stated.form)
    for mistake in stated.shows:
        profile, base = OTHERS.get(mistake, (PROFILES[kind], "litert-reference"))
        case = case_under(load_profile(profile), form, kind, stated.parameter_set(1), 0)
        assert isinstance(case, SuiteCase), case
        arithmetic = load_arithmetic(base)
        expected = compute_outputs(case, ReferenceInterpreter(case.model, arithmetic))
        wrong = next(m for m in mutants(case, arithmetic) if m.name == mistake)
        actual = compute_outputs(case, ReferenceInterpreter(case.model, wrong.under(arithmetic, case)))
        assert find_detecting_runs(mistake, expected, actual)
