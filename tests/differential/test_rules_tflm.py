"""The profile tflm and LiteRT for Microcontrollers: models that TFLM rejects or miscomputes violate, correct models
conform.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("tflite_micro", reason="needs tflite_micro")

from litecheck.model.save import model_bytes
from tests.checks.person_detect import person_detect
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.rules import distance, results
from tests.differential.rules_cases_tflm import cases, svdf
from tests.differential.rules_changes import changed
from tests.differential.rules_tflm import BAD, FAULTS, LIMITS, Referee, agrees, at_limit
from tests.differential.tflm import Tflm

pytestmark = pytest.mark.slow

CASES = [(dtype, case) for dtype in ("int8", "int16") for case in cases(dtype)]
#: An operator for each kind of rule, with changes that have an impact on it and changes that have none.
SLICE = {
    "int8": (
        "CONV_2D per-tensor",
        "FULLY_CONNECTED",
        "RELU6",
        "ADD",
        "SOFTMAX",
        "PADV2",
        "SVDF int8",
        "SQUEEZE",
    ),
    "int16": ("CONV_2D", "MUL", "CONCATENATION"),
}
CHANGES = ("scale*1.5", "zp=40000", "per-axis", "no-quant", "qdim=9", "absent -1", " int32", " int16")


@pytest.fixture(scope="module")
def tflm() -> Iterator[Tflm]:
    with Tflm(60) as started:
        yield started


@pytest.fixture(scope="module")
def litert() -> Iterator[Oracle]:
    with Oracle(60) as started:
        yield started


@pytest.fixture
def referee(tflm, litert, tmp_path) -> Referee:
    return Referee(tflm, litert, tmp_path)


@pytest.mark.parametrize(("dtype", "case"), CASES, ids=lambda v: getattr(v, "name", v))
def test_correct_models_conform_and_wrong_models_violate(referee, dtype, case):
    outcome = referee.judge(case, "unchanged", case.model)
    assert outcome.covered
    assert bool(outcome.paths) == (outcome.tflm in BAD), outcome


@pytest.mark.parametrize(("dtype", "name"), [(d, name) for d in SLICE for name in SLICE[d]])
def test_single_changes(referee, dtype, name):
    case = next(case for d, case in CASES if (d, case.name) == (dtype, name))
    seen = set()
    for change, model in changed(case, referee.rule(case)):
        if change.endswith(CHANGES):
            outcome = referee.judge(case, change, model)
            assert outcome.kind not in FAULTS, outcome
            seen.add(outcome.tflm)
    assert seen & set(BAD)


@pytest.mark.parametrize(("dtype", "name"), [("int16", "SOFTMAX"), ("int16", "MUL"), ("int8", "EQUAL")])
def test_stated_effects_are_observed_effects(referee, dtype, name):
    case = next(case for d, case in CASES if (d, case.name) == (dtype, name))
    seen = defaultdict(Counter)
    for change, model in changed(case, referee.rule(case)):
        outcome = referee.judge(case, change, model)
        if len(set(outcome.paths)) == 1:
            seen[outcome.paths[0]][outcome.tflm] += 1
    assert len(seen) > 8
    assert [path for path, counts in seen.items() if not agrees(referee, path, counts)] == []
    assert not agrees(referee, f"{name}/operands", Counter(crashed=1))


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.dtype} {limit.name}")
def test_limits_are_those_of_the_kernel(referee, limit):
    inside, outside = (at_limit(referee, limit, steps) for steps in (limit.inside, limit.outside))
    assert (inside.tflm, inside.paths, inside.noted) == ("right", (), ())
    assert outside.tflm in BAD
    assert {*outside.paths, *outside.noted} == {f"{limit.opcode}/limits/{limit.measurement}"}


def test_a_profile_without_the_requirement_is_noticed(tflm, litert, tmp_path):
    """LiteRT's profile lets RELU6 rescale, which TFLM's kernel cannot (negative control)."""
    case = next(case for dtype, case in CASES if (dtype, case.name) == ("int8", "RELU6"))
    outcomes = []
    for profile in ("tflm", "litert-runtime"):
        referee = Referee(tflm, litert, tmp_path, profile)
        change = dict(changed(case, referee.rule(case)))["output0 output scale*1.5"]
        outcomes.append(referee.judge(case, "output0 output scale*1.5", change).kind)
    assert outcomes == ["agree", "silent"]


def test_int8_states_of_svdf_are_wrong_on_litert(tflm, litert):
    """LiteRT reads the int8 state as int16, beyond its end, so that a single result can be near by chance."""
    case = svdf("SVDF int8", "int8")
    data, output = model_bytes(case.model), results(case.model)[0]
    scale, zero = output.quantization.scale, output.quantization.zero_point
    draws = [
        case.inputs,
        *([np.flip(x, axis) for x in case.inputs] for axis in (0, -1)),
        [~x for x in case.inputs],
    ]
    for resolver in RESOLVERS:
        distances = []
        for inputs in draws:
            expected = (tflm.run(data, inputs)[0].astype(np.float64) - zero) * scale
            got = litert.run(data, inputs, resolver)
            distances.append(np.inf if isinstance(got, Refused) else distance(got[0], expected, output))
        assert max(distances) > 2, distances


def test_a_bias_dimension_beyond_its_rank(tflm, litert):
    """LiteRT rejects person_detect, which TFLM runs like a model with quantized dimension 0."""
    odd, plain = (model_bytes(person_detect(axis)) for axis in (3, 0))
    x = np.random.default_rng(1).integers(-128, 128, (1, 24, 24, 1)).astype(np.int8)
    assert all(isinstance(litert.run(odd, [x], resolver), Refused) for resolver in RESOLVERS)
    assert np.array_equal(tflm.run(odd, [x])[0], tflm.run(plain, [x])[0])
    assert len(np.unique(tflm.run(odd, [x])[0])) > 1
