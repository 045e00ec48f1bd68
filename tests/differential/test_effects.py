"""A slice of the measured effects: one violated requirement for each effect, and a control with a wrong effect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck import load_profile
from litecheck.checks.validate import validate
from litecheck.finding import STATED_EFFECTS, Effect
from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes
from litecheck.quantization import Quantization
from tests.differential.effects import comparisons, wrong_own_effects
from tests.differential.effects_oracle import Failure, ForkingOracle
from tests.differential.effects_samples import EffectObserver, Sample, by_path, derived

pytestmark = pytest.mark.runtime

#: Effects that distinguish resolvers, which tests/differential/test_types.py proves.
BY_RESOLVER: set[Effect] = {
    "rejected by the reference resolver only",
    "crashes the reference resolver only", "wrong results without the default delegate",
}  # fmt: skip
#: (profile, operator, mutant, path, effect): each effect at least once.
SAMPLES = [
    ("litert-runtime", "ADD", "input lhs no-quant", "ADD/lhs/granularity", "crashes"),
    ("litert-runtime", "SPLIT", "option num_splits=3", "SPLIT/limits/miscounted_operands", "crashes"),
    ("litert-runtime", "CONV_2D", "input bias absent -1", "CONV_2D/bias/operands", "fails to load"),
    ("litert-int16x8", "ADD", "input lhs zp+1", "ADD/lhs/zero_point", "fails to load"),
    ("litert-runtime", "CONV_2D", "output output all scales zero", "CONV_2D/output/scale",
     "rejected by the default interpreter only"),
    ("litert-runtime", "REDUCE_MAX", "output output zp+7", "REDUCE_MAX/same_quantization",
     "rejected without the default delegate"),
    ("litert-int16x8", "REDUCE_MAX", "output output scale*1.5", "REDUCE_MAX/same_quantization", "fails at run time"),
    ("litert-int16x8", "SQUARED_DIFFERENCE", "unchanged", "SQUARED_DIFFERENCE/unsupported", "fails at run time"),
    ("litert-runtime", "SOFTMAX", "output output scale*1.5", "SOFTMAX/output/scale", "fails to load"),
    ("litert-int16x8", "TRANSPOSE", "output output scale*1.5", "TRANSPOSE/same_quantization", "wrong results"),
    ("litert-runtime", "CONV_2D", "weight all scales subnormal, bias follows", "CONV_2D/weight/scale",
     "ignored by LiteRT, may matter on hardware"),
    ("litert-runtime", "CONV_2D", "weight all scales zero, bias follows", "CONV_2D/weight/scale",
     "outside the specification"),
    ("litert-runtime", "CONV_2D", "input weight has -128", "CONV_2D/weight/range", "outside the specification"),
    ("litert-runtime", "SOFTMAX", "output output zp+7", "SOFTMAX/output/zero_point", "fails to load"),
    ("litert-uint8", "GATHER", "input input all scales zero", "GATHER/input/scale", "wrong results"),
    ("litert-hybrid", "CONV_2D", "input weight all scales zero", "CONV_2D/weight/scale",
     "ignored by LiteRT, may matter on hardware"),
    ("litert-runtime", "TRANSPOSE_CONV", "weight 1 scale", "TRANSPOSE_CONV/bias/granularity",
     "rejected by the default interpreter only"),
    ("litert-runtime", "SLICE", "output output absent -1", "SLICE/output/operands", "fails to load"),
    ("litert-runtime", "IF", "output results int16", "IF/limits/boundary_types",
     "ignored by LiteRT, may matter on hardware"),
    ("litert-runtime", "PRELU", "input input uint8", "PRELU/input/dtype", "wrong results"),
    ("litert-runtime", "LSTM", "cell_to_output_weights per-axis", "LSTM/cell_to_output_weights/granularity",
     "wrong results"),
    ("litert-runtime", "UNIDIRECTIONAL_SEQUENCE_LSTM", "cell_to_input_weights per-axis",
     "UNIDIRECTIONAL_SEQUENCE_LSTM/cell_to_input_weights/granularity", "wrong results"),
    ("litert-runtime", "LSTM", "forget_gate_bias all scales nan", "LSTM/forget_gate_bias/scale",
     "ignored by LiteRT, may matter on hardware"),
    ("litert-runtime", "CONV_2D", "input all scales subnormal, bias follows", "CONV_2D/input/scale",
     "ignored by LiteRT, may matter on hardware"),
]  # fmt: skip


@pytest.fixture(scope="module")
def oracle():
    with ForkingOracle(60) as oracle:
        yield oracle


@pytest.mark.parametrize(("profile", "operator", "change", "path", "effect"), SAMPLES)
def test_the_stated_effect_is_the_observed_effect(oracle, profile, operator, change, path, effect):
    observer = EffectObserver(oracle, profile)
    samples = [s for s in observer.samples(operator, change) if s.path == path]
    assert samples
    assert {(s.said, s.observed) for s in samples} == {(effect, effect)}


def test_every_effect_has_a_sample_except_effects_of_profiles():
    compilers = {effect for effect in STATED_EFFECTS if "compiler" in effect or "CPU" in effect}
    assert len(compilers) == 7
    proved = {effect for *_, effect in SAMPLES} | BY_RESOLVER
    assert proved == set(STATED_EFFECTS) - compilers - {"the profile forbids it", "information loss"}


def test_a_wrong_effect_is_noticed(oracle):
    """A wrong effect in a rule is reported (negative control)."""
    observer = EffectObserver(oracle, "litert-runtime")
    found = by_path(observer.samples("CONV_2D", "bias absent -1"))
    requirement = observer.requirements["CONV_2D/bias/operands"]
    assert [c.wrong for c in comparisons([requirement], found)] == [False]
    lie = replace(requirement, effect="wrong results")
    assert [(c.wrong, c.observed) for c in comparisons([lie], found)] == [(True, "fails to load")]


def test_the_gravest_effect_of_a_fifth_of_the_plain_mutants_holds():
    def samples(*seen: tuple[str, Effect]) -> list[Sample]:
        said: Effect = "crashes"
        return [Sample("A/b", "A", change, "", "", said, False, effect, "") for change, effect in seen]

    wrong, ignored = ("scale*2", "wrong results"), ("scale*2", "ignored by LiteRT, may matter on hardware")
    assert derived([]) is None
    assert derived(samples(("zp 2**33", "crashes"), *[wrong] * 5)) == "wrong results"
    assert derived(samples(("zp 2**33", "crashes"), *[wrong] * 4)) == "crashes"
    assert derived(samples(*[ignored] * 2, ("scale +1ulp", "wrong results"))) == ignored[1]


def test_rounding_hides_only_faint_changes_with_a_larger_change_that_shows_the_effect():
    def sample(change: str, observed: Effect) -> Sample:
        return Sample("A/b", "A", change, "", "", "wrong results", True, observed, "")

    faint = sample("input x scale +1ulp", "outside the specification")
    larger = sample("input x scale*1.5", "wrong results")
    assert wrong_own_effects([faint, larger]) == []
    assert wrong_own_effects([faint]) == [faint]
    crash = sample("input x scale +1ulp", "crashes")
    assert wrong_own_effects([crash, larger]) == [crash]
    hidden = sample("input x scale*2", "outside the specification")
    assert wrong_own_effects([hidden, larger]) == [hidden]


def test_a_crash_does_not_reach_the_next_run(oracle):
    """Each run has a separate process: a crash does not affect the next model."""
    observer = EffectObserver(oracle, "litert-runtime")
    (crash,) = {s.observed for s in observer.samples("ADD", "input lhs no-quant")}
    again = observer.samples("CONV_2D", "input bias absent -1")
    assert (crash, {s.observed for s in again}) == ("crashes", {"fails to load"})
    assert str(Failure("load", "a  b\nc")) == "load: a b c"


def test_litert_loads_no_tensor_whose_parameters_do_not_fit(oracle):
    """LiteRT rejects tensors with parameters that do not fit, of any operator; it accepts zero points without scales."""
    scale, zeros = np.float32([1]), np.zeros(3, np.int64)
    assert tensors(oracle, Quantization(scale, zeros[:1], 0)) == ([], True)
    assert tensors(oracle, Quantization(scale[:0], zeros, 9)) == ([], True)
    for bad in (
        Quantization(scale, zeros),
        Quantization(scale, zeros[:1], 9),
        Quantization(scale, zeros[:0]),
    ):
        assert tensors(oracle, bad) == (["fails to load"], False)


def tensors(oracle, quantization):
    """Return the effects that litecheck finds for a float model with these parameters, and True if LiteRT runs it."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y = (graph.tensor(n, (2, 3), "float32", quantization if n == "x" else None) for n in "xy")
    graph.add("ADD", [x, x], [y])
    graph.inputs(x)
    graph.outputs(y)
    model = builder.finish()
    found = [
        f for f in validate(model, [load_profile("litert-runtime")]).findings if f.path.startswith("TENSOR/")
    ]
    got = oracle.ask(model_bytes(model), [np.ones((2, 3), np.float32)], "optimized")
    assert isinstance(got, list) or got.stage == "load"
    return [f.effect for f in found], isinstance(got, list)
