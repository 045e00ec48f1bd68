"""Cases of an operator: names, levels, sets of parameters by form, and gaps with their reasons."""

from __future__ import annotations

import hashlib
from functools import cache

import pytest

from litecheck.checks.validate import validate
from litecheck.profile.load import load_profile
from litecheck.suite.accept_cases import accept_cases, case_under, granularity_of, kind_of
from litecheck.suite.case import SuiteCase
from litecheck.suite.case_templates import templates_of
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.parameter_sets import SETS
from tests.suite.drafted import draft_of

PLAIN = next(s for s in SETS if s.name == "plain")


@cache
def made(
    opcode: str, level: str = "smoke", profile: str = "litert-runtime", seed: int = 0
) -> tuple[SuiteCase | MissingCase, ...]:
    return tuple(accept_cases(load_profile(profile), opcode, level, seed))


def cases(*arguments: str) -> list[SuiteCase]:
    return [one for one in made(*arguments) if isinstance(one, SuiteCase)]


def test_a_smoke_suite_has_the_smoke_forms_under_plain_parameters() -> None:
    (case,) = cases("FULLY_CONNECTED")
    assert case.name == "FULLY_CONNECTED/int8/rows-plain"
    assert (case.opcode, case.kind, case.granularity, case.level) == (
        "FULLY_CONNECTED",
        "int8",
        "per-axis",
        "smoke",
    )
    assert case.title == "form rows, plain parameters"
    assert case.lengths == ()
    assert sum(a.nbytes for run in case.runs for a in run) <= 1 << 14


def test_cases_conform_and_have_unique_names() -> None:
    found = cases("MAXIMUM", "standard")
    profile = load_profile("litert-runtime")
    assert len({case.name for case in found}) == len(found) > 5
    for case in found:
        assert case.name.startswith("MAXIMUM/int8/")
        report = validate(case.model, [profile])
        assert not [f for f in report.findings if f.level in ("violation", "warning")]
        assert len(case.runs) == len(case.expected) > 0


def test_operators_that_move_values_have_only_sets_that_affect_them() -> None:
    """CONCATENATION copies values at any scale, so only zero points and plain parameters remain."""
    moved = {s.name for s in SETS if s.moves and s.level != "exhaustive"}
    names = [case.name.rpartition("/")[2] for case in cases("CONCATENATION", "standard")]
    first = templates_of("CONCATENATION").forms[0].name
    assert {name.removeprefix(f"{first}-") for name in names if name.startswith(f"{first}-")} == moved
    others = {name for name in names if not name.startswith(f"{first}-")}
    assert others == {
        f"{form.name}-plain" for form in templates_of("CONCATENATION").forms[1:] if form.level != "exhaustive"
    }


def test_only_the_first_form_has_all_sets() -> None:
    names = [case.name.rpartition("/")[2] for case in cases("MAXIMUM", "standard")]
    first, second = (form.name for form in templates_of("MAXIMUM").forms[:2])
    everywhere = {s.name for s in SETS if s.everywhere}
    by_form = [
        {n.removeprefix(f"{form}-") for n in names if n.startswith(f"{form}-")} for form in (first, second)
    ]
    assert everywhere <= by_form[0]
    assert by_form[1] <= everywhere


def test_chosen_types_are_part_of_the_name_and_of_the_level() -> None:
    """Indices of int64 are a choice: no case of a smoke suite."""
    standard = cases("GATHER", "standard")
    chosen = [case for case in standard if "indices-" in case.name]
    assert chosen
    assert {case.level for case in chosen} == {"standard"}
    assert not [case for case in cases("GATHER") if "indices-" in case.name]


def test_state_is_handed_on_within_a_series() -> None:
    (case,) = cases("SVDF")
    assert sum(case.lengths) == len(case.runs)
    assert max(case.lengths) > 1


@pytest.mark.parametrize("opcode", ["STABLEHLO_COMPOSITE", "CALL_ONCE"])
def test_operators_without_a_form(opcode: str) -> None:
    profile = load_profile("litert-structure")
    (gap,) = accept_cases(profile, opcode, "smoke", 0)
    assert isinstance(gap, MissingCase)
    assert (gap.opcode, gap.kind) == (opcode, "")


def test_the_seed_changes_the_values() -> None:
    """The same options give the same bytes (docs/suite.md)."""

    def runs(seed: int) -> str:
        (case,) = made("FULLY_CONNECTED", "smoke", "litert-runtime", seed)
        assert isinstance(case, SuiteCase)
        return hashlib.sha256(b"".join(a.tobytes() for run in case.runs for a in run)).hexdigest()

    assert runs(0) == runs(0) != runs(1)


def test_one_form_under_one_set() -> None:
    profile = load_profile("litert-runtime")
    form = templates_of("ADD").forms[1]
    case = case_under(profile, form, "int8", PLAIN, 5)
    assert isinstance(case, SuiteCase)
    assert case.name == f"ADD/int8/{form.name}-plain"
    decades = next(s for s in SETS if s.name == "scales-over-decades")
    assert case_under(profile, form, "int8", decades, 5) == ""


def test_types_and_granularities() -> None:
    conv, add = draft_of("CONV_2D"), draft_of("ADD")
    assert (kind_of(conv), kind_of(add)) == ("int8", "int8")
    case = cases("CONV_2D")[0]
    assert granularity_of(conv, case.model) == "per-axis"
    assert granularity_of(add, cases("ADD")[0].model) == ""
    hybrid = cases("FULLY_CONNECTED", "smoke", "litert-hybrid")
    assert {case.kind for case in hybrid} == {"float32"}
    assert [case.name.rpartition("/")[2] for case in hybrid] == [
        "rows-int8-weights-plain",
        "rows-int4-weights-plain",
        "rows-int2-weights-plain",
    ]
