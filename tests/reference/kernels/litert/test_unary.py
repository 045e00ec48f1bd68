"""A few parameter sets of every unary operator on the three resolvers, and negative controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.reference.engine.interpreter import run
from tests.differential.one_operator import noticed
from tests.differential.oracle import RESOLVERS, Refused
from tests.differential.sweep import sweep
from tests.differential.unary import FAMILY, LIBRARY, TAIL, Case

pytestmark = pytest.mark.slow

BYTES = np.arange(-128, 128).astype(np.int8)


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_equal_to_litert(oracle, kind, resolver):
    found = sweep(FAMILY, kind, resolver, oracle, 2)
    if (kind, resolver) in FAMILY.faulty:
        assert found.score.refused
        return
    assert found.score.compared
    assert found.small == []


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_many_tables_of_gelu(oracle, resolver):
    """A 16-bit table in 25 shows the library of LiteRT's erfc and tanh. Controls: correct rounding, and fdlibm."""
    [kind] = (k for k in FAMILY.kinds if k.startswith("GELU int16") and k.endswith("body"))
    if resolver != RESOLVERS[0]:  # the table is built before kernels are chosen
        assert sweep(FAMILY, kind, resolver, oracle, 10).small == []
        return
    assert sweep(FAMILY, kind, resolver, oracle, 100).small == []
    other = {"functions": "fdlibm" if LIBRARY else "rounded"}
    assert sweep(replace(FAMILY, faults={"GELU": other}), kind, resolver, oracle, 100, shown=1).small


def bytes_case(opcode, scale=0.05, scale_out=0.1, zero=3, zero_out=-7, **options):
    ends = ("int8", qparams(scale, zero)), ("int8", qparams(scale_out, zero_out))
    return Case(opcode, *ends, (BYTES,), options)


def differences(oracle, case, wrong, arithmetic="litert-reference", resolver="reference"):
    """Return the number of LiteRT's outputs that differ from the outputs of a changed case or arithmetic."""
    return noticed(case.trial(), wrong.trial(), oracle, resolver, arithmetic)


CONTROLS = [
    bytes_case("RELU"), bytes_case("RELU6"), bytes_case("LEAKY_RELU", alpha=0.2), bytes_case("HARD_SWISH"),
    bytes_case("EXP", 0.03, 0.2), bytes_case("LOG"), bytes_case("GELU"), bytes_case("TANH", 0.02, 0.008),
    bytes_case("ABS"), bytes_case("QUANTIZE"), bytes_case("LOGISTIC", 0.05, 1 / 256, zero_out=-128),
]  # fmt: skip


@pytest.mark.parametrize("case", CONTROLS, ids=lambda case: case.opcode)
def test_slips_are_noticed(oracle, case):
    """An input zero point off by one, or an input scale off by one percent, changes outputs (negative controls)."""
    source, quantization = case.source
    scale, zero = quantization.scale[0], int(quantization.zero_point[0])
    assert differences(oracle, case, case) == 0
    for slip in (qparams(scale, zero + 1), qparams(scale * np.float32(1.01), zero)):
        assert differences(oracle, case, replace(case, source=(source, slip)))


@pytest.mark.parametrize(
    ("case", "arithmetic", "resolver"),
    [
        (bytes_case("LEAKY_RELU", alpha=0.3), "litert-reference", "xnnpack"),
        (bytes_case("QUANTIZE", 0.013, 0.1), "litert-reference", "xnnpack"),
        (bytes_case("QUANTIZE", 0.25, 1.0), "litert-reference", "optimized"),
        (bytes_case("RELU", 0.25, 1.0), "single-rounding", "reference"),
        (bytes_case("ELU", 0.5, 1.0), "litert-reference", "xnnpack"),
    ],
    ids=lambda part: getattr(part, "opcode", part),
)
def test_a_wrong_arithmetic_is_noticed(oracle, case, arithmetic, resolver):
    if (
        case.opcode == "RELU"
    ):  # RELU cuts off the ties below zero, at which the roundings differ: a slope of 1 keeps them
        case = bytes_case("LEAKY_RELU", 0.25, 1.0, alpha=1.0)
    assert differences(oracle, case, case, f"litert-{resolver}", resolver) == 0
    assert differences(oracle, case, case, arithmetic, resolver)


def test_the_position_in_the_tensor_decides_the_rounding(oracle):
    """LiteRT's vectors of sixteen round -2.5 up, the remaining elements round away from zero."""
    x = np.full(16 + TAIL, -10, np.int8)
    case = Case("QUANTIZE", ("int8", qparams(0.25)), ("int8", qparams(1.0)), (x,))
    assert differences(oracle, case, case, "litert-optimized", "optimized") == 0
    assert differences(oracle, case, case, "litert-reference", "optimized") == 16


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_known_faults_are_still_there(oracle, resolver):
    """The faults of rules/arithmetic/known-faults.yaml exist: HARD_SWISH of small inputs, EXP int16 beyond infinity."""
    case = bytes_case("HARD_SWISH", 0.0001, 0.5, 0, 0)
    [[made]] = oracle.run_many(model_bytes(case.model()), [[BYTES]], resolver)
    assert (made == np.where(BYTES < 0, -1, 1)).all()
    x = np.int16([25600])
    exp = Case("EXP", ("int16", qparams(1 / 256)), ("int16", qparams(1.0)), (x,))
    [[made]] = oracle.run_many(model_bytes(exp.model()), [[x]], resolver)
    assert made.tolist() == [0]
    assert run(exp.model(), (x,), arithmetic=f"litert-{resolver}").outputs["y"].tolist() == [32767]


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("through", ["int4", "channels"])
def test_quantize_and_dequantize_in_sequence(oracle, resolver, through):
    """QUANTIZE and DEQUANTIZE of int4, which numpy has no type for, and of channels of the middle dimension, equal
    LiteRT.
    """
    x = np.random.default_rng(5).normal(size=(3, 5, 7)).astype(np.float32) * 5
    for scale in (0.7, 1.3, 1 / 3):
        stated = (
            qparams(scale, -2) if through == "int4" else qparams([scale, 1, 0.1, 2, 0.3], [0, 1, -5, 9, 3], 1)
        )
        builder = ModelBuilder()
        main = builder.subgraph()
        real, back = main.tensor("x", x.shape, "float32"), main.tensor("y", x.shape, "float32")
        stored = main.tensor("q", x.shape, "int4" if through == "int4" else "int8", stated)
        main.add("QUANTIZE", [real], [stored], version=3)
        main.add("DEQUANTIZE", [stored], [back], version=6)
        main.inputs(real)
        main.outputs(back)
        model = builder.finish()
        [theirs] = oracle.run(model_bytes(model), [x], resolver)
        ours = run(model, (x,), arithmetic=f"litert-{resolver}").outputs["y"]
        assert (ours == theirs).all()
        assert len(np.unique(ours)) > 8


@pytest.mark.parametrize("length", [1 << 16, 13])
def test_slopes_below_zero_on_ties(oracle, length):
    """For int16, reference kernels negate a product and vectors multiply directly; each is the control of the second."""
    ways = {"reference": "litert-reference", "optimized": "litert-optimized", "xnnpack": "litert-xnnpack"}
    rng = np.random.default_rng(3)
    words = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
    apart = dict.fromkeys(RESOLVERS, 0)
    for alpha, given, ratio in zip(
        rng.choice([0.25, 0.3, 0.5, 1.0, 0.75], 24),
        rng.choice([2.0**-14, 0.01, 0.3], 24),
        range(24),
        strict=True,
    ):
        wanted = given * alpha * 2.0 ** (ratio % 6 - 1)
        ends = ("int16", qparams(given)), ("int16", qparams(wanted))
        x = words if length > 13 else rng.choice(words, length)
        case = Case("LEAKY_RELU", *ends, (x,), {"alpha": -float(alpha)})
        for resolver in RESOLVERS:
            assert not differences(oracle, case, case, ways[resolver], resolver)
            other = "litert-reference" if resolver != "reference" else "litert-optimized"
            apart[resolver] += differences(oracle, case, case, other, resolver)
    assert all(apart.values())


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("depth", [2000, 2003])
def test_the_order_of_the_sum_of_log_softmax(oracle, resolver, depth):
    """Optimized kernels add on vectors of four, reference kernels in sequence; each is the control of the second."""
    x = np.full((2, depth), -8, np.float32)
    x[:, 0] = 0
    case = Case("LOG_SOFTMAX", ("float32", None), ("float32", None), (x,)).trial()
    [theirs] = oracle.run(model_bytes(case.model), [x], resolver)
    apart = {
        name: np.abs(run(case.model, (x,), arithmetic=f"litert-{name}").outputs["y"] - theirs).max()
        for name in ("reference", "optimized", "xnnpack")
    }
    same = ("reference",) if resolver == "reference" else ("optimized", "xnnpack")
    assert {name for name in apart if apart[name] < 5e-7} == set(same), apart


def test_a_refused_model_is_not_counted_as_equal(oracle):
    case = bytes_case("ELU")
    assert isinstance(oracle.run(model_bytes(case.model()), [BYTES], "reference"), Refused)
