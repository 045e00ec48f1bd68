"""Cases of a suite: a valid case conforms and can be computed, an invalid model violates a single requirement."""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.checks.validate import validate
from litecheck.comparison.admitted_arithmetics import PUBLISHED
from litecheck.errors import ConfigError
from litecheck.finding import Finding
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile, profile_names
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.reject_cases import reject_cases
from litecheck.suite.suite_cases import cases, operators, plan_cases, with_types
from litecheck.suite.suite_writer import zeros
from tests.suite.drafted import SMALL

pytestmark = pytest.mark.slow

#: Profiles that suites are made from.
JUDGING = [
    name
    for name in profile_names()
    if name != "tflm-structure" and load_profile(name).judges != "placement"  # tflm includes its rules
]
#: Operators with cases at ``standard`` in this module; tests/differential has the remaining operators.
SOME = ("CONV_2D", "ADD", "PAD", "LOGISTIC", "FULLY_CONNECTED")
PAGE = "litert-int8"


@cache
def made(select: tuple[str, ...], level: str) -> tuple[SuiteCase, ...]:
    return tuple(cases(load_profile(PAGE), level, select, 0))


def violations(case: SuiteCase) -> list[Finding]:
    report = validate(case.model, [load_profile(PAGE)])
    assert not report.coverage["not covered"]
    return [f for f in report.findings if f.level == "violation" and not f.waiver]


def test_every_operator_of_the_page_has_cases_of_both_kinds() -> None:
    smoke = [c for op in operators(load_profile(PAGE)) for c in made((op,), "smoke")]
    for kind in (True, False):
        assert {c.opcode for c in smoke if bool(c.broken) == kind} == set(operators(load_profile(PAGE)))
    assert {c.level for c in smoke} == {"smoke"}
    assert len({c.name for c in smoke}) == len(smoke)


@pytest.mark.parametrize("opcode", SOME)
def test_a_case_conforms_or_violates_its_stated_requirement(opcode: str) -> None:
    several = made((opcode,), "standard")
    assert len({c.name for c in several}) == len(several)
    for case in several:
        assert {f.path for f in violations(case)} == ({case.broken} if case.broken else set()), case.name
        assert case.level in LEVELS
        assert bool(case.runs) != bool(case.broken)
        assert bool(case.effect) == bool(case.broken)
        assert model_bytes(case.model)


@pytest.mark.parametrize("opcode", SOME)
def test_inputs_match_the_model_and_outputs_reach_both_limits(opcode: str) -> None:
    plain = next(c for c in made((opcode,), "smoke") if not c.broken)
    main = plain.model.subgraphs[0]
    interpreter = ReferenceInterpreter(plain.model)
    results = []
    for run in plain.runs:
        for index, array in zip(main.inputs, run, strict=True):
            assert main.tensors[index].shape == array.shape
            assert main.tensors[index].dtype == array.dtype.name
        results.append(interpreter.run(main, run)[main.outputs[0]])
    stored = np.concatenate([r.reshape(-1) for r in results])
    assert (stored.min(), stored.max()) == (-128, 127)


def test_a_suite_is_the_same_every_time() -> None:
    one, other = (list(cases(load_profile(PAGE), "smoke", ("ADD", "MEAN"), 3)) for _ in range(2))
    assert [c.name for c in one] == [c.name for c in other]
    for a, b in zip(one, other, strict=True):
        assert model_bytes(a.model) == model_bytes(b.model)
        assert all(
            np.array_equal(x, y)
            for p, q in zip(a.runs, b.runs, strict=True)
            for x, y in zip(p, q, strict=True)
        )


def test_a_seed_changes_values_and_a_further_operator_does_not() -> None:
    profile = load_profile(PAGE)
    alone = next(c for c in cases(profile, "smoke", ("MEAN",), 0) if not c.broken)
    beside = next(c for c in cases(profile, "smoke", ("ADD", "MEAN"), 0) if c.name == alone.name)
    other = next(c for c in cases(profile, "smoke", ("MEAN",), 1) if not c.broken)
    assert model_bytes(alone.model) == model_bytes(beside.model) != model_bytes(other.model)


def test_smaller_suites_are_part_of_larger_ones() -> None:
    names = {c.name: model_bytes(c.model) for c in made(("CONV_2D",), "standard")}
    for case in made(("CONV_2D",), "smoke"):
        assert names[case.name] == model_bytes(case.model)


def test_a_demand_of_several_alternatives_has_cases_of_different_names() -> None:
    """The float and the 8-bit form of LSTM require the same number of intermediate tensors."""
    found = cases(load_profile("litert-runtime"), "smoke", ("LSTM/*/refuse-limits-*",), 0)
    names = [c.name for c in found if isinstance(c, SuiteCase)]
    assert names
    assert len(names) == len(set(names))


def test_operators_without_a_case_have_a_reason() -> None:
    found = [
        g
        for g in plan_cases(load_profile("litert-runtime"), "smoke", ("FAKE_QUANT",), 0)
        if isinstance(g, MissingCase)
    ]
    assert [g.reason for g in found]
    assert "training" in found[0].reason


def test_a_profile_for_any_type_has_the_types_of_its_rules(tmp_path: Path) -> None:
    file = tmp_path / "any.yaml"
    file.write_text(SMALL.replace("source: a test", "activations: any"), "utf-8")
    typed = with_types(load_profile(str(file)))
    assert typed.activations == ("int8",)
    assert [
        made.kind for made in cases(load_profile(str(file)), "smoke", ("FULLY_CONNECTED/*/rows-plain",), 0)
    ] == ["int8"]


def test_a_profile_without_types_has_no_suite() -> None:
    with pytest.raises(
        ConfigError, match="litert-structure lists no type of activations: no suite is made from it"
    ):
        with_types(load_profile("litert-structure"))


def outcome(model: Model, inputs: Arrays, arithmetic: str) -> str:
    """Return ``computed`` or ``refused``; any further outcome is a bug of the reference."""
    try:
        ReferenceInterpreter(model, arithmetic).run(model.subgraphs[0], inputs)
    except RunError:
        return "refused"
    return "computed"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", JUDGING)
def test_invalid_models_are_computed_or_rejected_with_a_reason(name: str) -> None:
    profile = load_profile(name)
    found = dict.fromkeys(("computed", "refused"), 0)
    sixth = operators(profile)[JUDGING.index(name) % 6 :: 6]
    several = (reject_cases(profile, opcode, "smoke", 0, lambda name: True) for opcode in sixth)
    for case in (made for made in chain.from_iterable(several) if isinstance(made, SuiteCase)):
        opcodes = {operator.opcode for graph in case.model.subgraphs for operator in graph.operators}
        tried = {
            str([load_arithmetic(arithmetic).variants(opcode) for opcode in sorted(opcodes)]): arithmetic
            for arithmetic in PUBLISHED
        }
        for arithmetic in tried.values():
            for inputs in zeros(case.model):
                found[outcome(case.model, inputs, arithmetic)] += 1
    assert min(found.values()) > 20, found


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        (["ADD"], ["ADD"]),
        (["MAX_*/*"], ["MAX_POOL_2D"]),
        (["ADD/*", "SOFTMA?"], ["ADD", "SOFTMAX"]),
        (["add"], []),
    ],
)
def test_operators_are_selected_by_patterns(select: list[str], expected: list[str]) -> None:
    profile = load_profile("litert-int8")
    assert sorted(operators(profile, select)) == expected
    assert set(operators(profile)) == profile.operators.keys() - {"OPERATOR", "TENSOR", "SUBGRAPH"}
