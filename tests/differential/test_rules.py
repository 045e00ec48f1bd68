"""A slice of the comparison of the rules with LiteRT: models that LiteRT rejects violate, correct models conform."""

from __future__ import annotations

import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.rules import FAULTS, PROFILES, SPOILED, Referee, cases
from tests.differential.rules_changes import changed

pytestmark = pytest.mark.slow

CASES = [(dtype, case) for dtype in PROFILES for case in cases(dtype)]
#: An operator for each kind of rule: affine, rescaling, comparing, fixed output, same quantization, raw.
OPERATORS = (
    "CONV_2D per-tensor",
    "FULLY_CONNECTED",
    "HARD_SWISH",
    "LESS",
    "SOFTMAX",
    "PACK",
    "RESHAPE",
    "FLOOR_DIV",
)
CHANGES = (
    "no-quant",
    "zp array absent",
    "n scales+1",
    "qdim=9",
    "zp+1",
    "scale*100",
    "absent -1",
    "one fewer",
    " int16",
)


@pytest.fixture(scope="module")
def oracle():
    with Oracle(60) as oracle:
        yield oracle


@pytest.mark.parametrize(("dtype", "case"), CASES[::2], ids=lambda v: getattr(v, "name", v))
def test_a_good_model_conforms_and_runs(oracle, tmp_path, dtype, case):
    referee = Referee(oracle, tmp_path, dtype)
    resolvers = referee.usable(case)
    outcome = referee.judge(case, "unchanged", case.model, resolvers)
    if referee.profile.operators[case.opcode].unsupported:
        assert (resolvers, outcome.paths) == ((), (f"{case.opcode}/unsupported",))
    else:
        assert resolvers
        assert outcome.covered
        assert outcome.paths == ()


SPOILT = [(dtype, case) for dtype, spoiled in SPOILED.items() for case in spoiled()]


@pytest.mark.parametrize(("dtype", "case"), SPOILT, ids=lambda v: getattr(v, "name", v))
def test_models_that_every_kernel_miscomputes_have_one_violation(oracle, tmp_path, dtype, case):
    referee = Referee(oracle, tmp_path, dtype)
    outcome = referee.judge(case, "as it is", case.model, referee.usable(case) or RESOLVERS)
    assert outcome.litert in ("refused", "wrong")
    assert len(outcome.paths) == 1


@pytest.mark.parametrize("name", OPERATORS)
def test_models_that_litert_rejects_are_violations(oracle, tmp_path, name):
    referee = Referee(oracle, tmp_path, "int8")
    case = next(case for dtype, case in CASES if (dtype, case.name) == ("int8", name))
    resolvers = referee.usable(case)
    seen = set()
    for change, model in changed(case, referee.profile.operators[case.opcode]):
        if change.endswith(CHANGES):
            outcome = referee.judge(case, change, model, resolvers)
            assert outcome.kind not in FAULTS, outcome
            seen.add(outcome.litert)
    assert "refused" in seen


def test_a_profile_without_the_requirement_is_noticed(oracle, tmp_path):
    """The page's profile does not require the bias that the kernel requires (negative control)."""
    referee = Referee(oracle, tmp_path, "int8")
    case = next(case for dtype, case in CASES if case.name == "CONV_2D")
    change, model = next(
        (c, m) for c, m in changed(case, referee.profile.operators["CONV_2D"]) if "bias absent" in c
    )
    outcome = referee.judge(case, change, model, ("reference",))
    assert (outcome.litert, outcome.page, outcome.paths) == ("refused", (), ("CONV_2D/bias/operands",))
