"""The tables of types on the runtimes, by a fixed slice of ``python -m tests.differential.operator_types``."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("tflite_micro", reason="needs tflite-micro")

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.profile.custom_operators import has_kernel
from tests.differential.operator_types.bases import bases
from tests.differential.operator_types.explore import Tried, cast_difference, explore_kept, try_signatures
from tests.differential.operator_types.runtimes import LITERT, RUNTIMES, Request, Runtimes
from tests.differential.operator_types.signatures import retyped, twin
from tests.differential.operator_types.sweep import draws, outcomes_of
from tests.differential.operator_types.table import fits, impact, rows

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
NAMES = ("TFLite_Detection_PostProcess", "AudioSpectrogram", "Mfcc", "NumericVerify", "SignalRfft", "CIRCULAR_BUFFER",
         "ethos-u", "edgetpu-custom-op", "FlexErf", "Nonsense")  # fmt: skip


@pytest.mark.parametrize("opcode", ["ADD", "CONV_2D", "GATHER", "SOFTMAX", "STRIDED_SLICE"])
def test_verdicts_agree_with_the_runtimes(opcode: str) -> None:
    found = list(outcomes_of(opcode, draws(60, 5, opcode)[opcode]))
    assert [(o.kind, o.runtime, o.signature, o.stage) for o in found if o.disagrees] == []
    assert {o.stage == "runs" for o in found} == {True, False}


def test_outputs_that_are_right_by_chance_are_wrong() -> None:
    """REDUCE_MIN writes int32 into a uint8 output: its zeros are near the minimum of the values, not near half of it."""
    with Runtimes() as runtimes:
        tried = explore_kept(runtimes, bases()["REDUCE_MIN"])
    assert {
        tried["input", (dtype, "int32", "uint8")].stages["optimized"] for dtype in ("int32", "int64")
    } == {"wrong"}


@pytest.mark.parametrize(
    ("opcode", "signature", "stage", "verdict"),
    [
        ("CAST", ("float32", "bool"), "runs", "silent"),
        ("CAST", ("uint8", "int8"), "runs", "silent"),
        ("CAST", ("float64", "complex64"), "runs", "silent"),
        ("CAST", ("float32", "bfloat16"), "crashes", "violation"),
        ("LSH_PROJECTION", ("float32", "int64", "-", "int32"), "runs", "silent"),
        ("LSH_PROJECTION", ("float32", "int2", "-", "int32"), "runs", "silent"),
        ("LSH_PROJECTION", ("uint32", "int32", "-", "int32"), "wrong results", "violation"),
        ("LSH_PROJECTION", ("float32", "int32", "-", "float32"), "wrong results", "violation"),
    ],
)
def test_conversions_and_hashes(opcode: str, signature: tuple[str, ...], stage: str, verdict: str) -> None:
    litert = next(iter(outcomes_of(opcode, [(0, signature)])))
    assert (litert.stage, litert.verdict) == (stage, verdict)


def test_casts_are_compared_with_numpy() -> None:
    """A float that an unsigned type cannot hold has no value in C."""
    base = bases()["CAST"][0]
    model, (values,) = retyped(base, ("float32", "uint8"))
    tensor = model.subgraphs[0].tensors[model.subgraphs[0].outputs[0]]
    values = values.copy()
    values.flat[0] = -1.5
    right = np.abs(values).astype(np.uint8)
    assert cast_difference(model, (values,), tensor, right) == ""
    assert (
        cast_difference(model, (values,), tensor, right + np.uint8(1))
        == f"{right.size - 1} of {right.size} differ"
    )


def test_the_twin_of_a_hash_has_the_same_bytes() -> None:
    base = bases()["LSH_PROJECTION"][0]
    model, inputs = retyped(base, ("float32", "int8", "-", "int32"))
    other, (values,) = twin(base, model, inputs)
    assert (other.subgraphs[0].tensors[1].shape, values.dtype) == ((3, 4), np.int32)
    assert values.tobytes() == inputs[0].tobytes()
    known = {b.signature for b in bases()["LSH_PROJECTION"]}
    assert fits(base.rule, ("float32", "int8", "-", "int32"), known)
    assert not fits(base.rule, ("uint32", "int32", "-", "int32"), known)


def test_custom_operators_have_the_kernels_that_are_listed() -> None:
    with Runtimes() as runtimes:
        answers = runtimes.run([_custom(name) for name in NAMES])
    for name, ran in zip(NAMES, answers, strict=True):
        missing = {"optimized": ("custom op", "Select TensorFlow"), "tflm": ("Failed to get registration",)}
        for runtime, words in missing.items():
            known = not any(word in ran[runtime].message for word in words)
            assert known == has_kernel("litert" if runtime == "optimized" else "tflm", name), (
                name,
                ran[runtime],
            )


def _custom(name: str) -> Request:
    builder = ModelBuilder("custom")
    main = builder.subgraph()
    x, y = (main.tensor(tensor, (1, 4), "float32") for tensor in "xy")
    main.add("CUSTOM", [x], [y], custom_code=name)
    main.inputs(x)
    main.outputs(y)
    return Request(model_bytes(builder.finish()), (np.zeros((1, 4), np.float32),))


def test_rows_hold_exactly_the_combinations() -> None:
    given = [("int8", "int8"), ("int8", "int16"), ("uint8", "uint8"), ("float32", "int16")]
    cells = [[cell.split("|") for cell in row.split()] for row in rows(given)]
    held = [(a, b) for left, right in cells for a in left for b in right]
    assert sorted(held) == sorted(given)


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ("runs runs runs", ""),
        ("rejected runs runs", "rejected by the reference resolver only"),
        ("rejected rejected runs", "rejected without the default delegate"),
        ("runs runs rejected", "rejected by the default interpreter only"),
        ("runs crashes wrong", "crashes"),
        ("wrong runs runs", ""),
        ("crashes runs runs", "crashes the reference resolver only"),
        ("fails fails fails", "fails at run time"),
    ],
)
def test_the_gravest_stage_of_the_default_interpreter_counts(stages: str, expected: str) -> None:
    by_runtime = dict(zip(("reference", "optimized", "xnnpack"), stages.split(), strict=True))
    assert impact(Tried(by_runtime, {}), "litert") == expected


@pytest.mark.parametrize(
    ("opcode", "dtype", "expected"),
    [
        ("CEIL", "float32", "rejected by the reference resolver only"),
        ("RSQRT", "float16", "rejected without the default delegate"),
        ("RSQRT", "int32", "fails to load"),
        ("RSQRT", "float32", ""),
    ],
)
def test_resolvers_differ_in_their_types(opcode: str, dtype: str, expected: str) -> None:
    with Runtimes() as runtimes:
        (tried,) = try_signatures(runtimes, [(bases()[opcode][0], (dtype, dtype))])
    assert impact(tried, "litert") == expected


def test_a_tensor_without_effect_proves_no_support_of_its_types() -> None:
    """The hidden state of RNN starts at 0, which is 0 in every type; the weights have an effect."""
    base = bases()["RNN"][0]
    state, weights = (tuple("int16" if n == at else c for n, c in enumerate(base.signature)) for at in (4, 2))
    with Runtimes() as runtimes:
        found = try_signatures(runtimes, [(base, state), (base, base.signature), (base, weights)])
    assert [t.stages["optimized"] for t in found][:2] == ["chance", "runs"]
    assert found[2].stages["optimized"] in ("wrong", "rejected", "crashes", "chance")


@pytest.mark.parametrize(("name", "stage"), [("PRELU int8", "runs"), ("PRELU int16", "wrong")])
def test_models_are_compared_with_the_float_kernel(name: str, stage: str) -> None:
    """PRELU of int16 loads, and computes no product."""
    (base,) = (b for b in bases()["PRELU"] if b.name == name)
    with Runtimes() as runtimes:
        (tried,) = try_signatures(runtimes, [(base, base.signature)])
    assert {tried.stages[r] for r in LITERT} == {stage}
    assert [f.effect for f in validate(base.model).findings] == ["wrong results"] * (stage == "wrong")


@pytest.mark.parametrize(("beta", "crashes"), [(0.0, True), (1.0, False)])
def test_a_softmax_with_beta_0_crashes_the_reference_kernels_and_tflm(beta: float, crashes: bool) -> None:
    x, y = (run_time(n, (1, 10), "int8", q) for n, q in (("x", qparams(0.05)), ("y", qparams(1 / 256, -128))))
    model = one_operator("SOFTMAX", [x], [y], {"beta": beta}, version=2)
    with Runtimes() as runtimes:
        (ran,) = runtimes.run([Request(model_bytes(model), (np.zeros((1, 10), np.int8),))])
    ends = {r: "crashes" if crashes and r in ("reference", "tflm") else "runs" for r in RUNTIMES}
    assert {r: a.stage for r, a in ran.items()} == ends
    violations = {f.effect for f in validate(model).findings if f.level == "violation"}
    assert violations == ({"crashes the reference resolver only"} if crashes else set())


@pytest.mark.parametrize(
    ("columns", "weight", "wrong"), [(16, -128, True), (16, -127, False), (8, -128, False)]
)
def test_a_hybrid_weight_of_minus_128_is_wrong_without_the_delegate(
    columns: int, weight: int, wrong: bool
) -> None:
    """On x86 the kernel negates weights for negative inputs, 16 at a time."""
    filters = np.full((4, columns), weight, np.int8)
    w = constant("w", filters, qparams(0.01))
    model = one_operator(
        "FULLY_CONNECTED", [run_time("x", (1, columns), "float32"), w, None], [run_time("y", (1, 4), "float32")],
        version=9,
    )  # fmt: skip
    with Runtimes() as runtimes:
        (ran,) = runtimes.run([Request(model_bytes(model), (np.full((1, columns), -1, np.float32),), LITERT)])
    right = -weight * 0.01 * columns
    found = {
        r: not np.allclose(a.outputs[0], right, rtol=0.02) for r, a in ran.items() if a.outputs[0] is not None
    }
    assert found == {"reference": wrong, "optimized": wrong, "xnnpack": False}
    warned = {f.path for f in validate(model).findings}
    assert ("FULLY_CONNECTED/weight/range" in warned) == (weight == -128)
