"""A slice of ``python -m tests.differential --resolver tflm``, whole models, known faults, and negative controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tflite_micro", reason="needs tflite_micro")

from litecheck.model.build import qparams
from litecheck.profile.known_faults import bind_operands, faults_of
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.registry import kernels
from litecheck.reference.runtime_tensors import RunError
from tests.differential import affine, binary, detection, movement, recurrent, recurrent_float, reduce, unary
from tests.differential.one_operator import Tensor, Trial, answers, changed, outputs, score, trial
from tests.differential.operands import places
from tests.differential.oracle import Refused
from tests.differential.sweep import Family, right, sweep, trials
from tests.differential.tflm import MODELS, Tflm, faulty, served, whole

pytestmark = pytest.mark.slow

FAMILIES = (affine, binary, movement, recurrent, reduce, unary)
PRODUCTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "BATCH_MATMUL")
#: Kinds that TFLM supports, of the types of microcontroller models.
KINDS = [
    *((affine, f"{op} int8") for op in PRODUCTS),
    (affine, "CONV_2D int8 grouped"), (affine, "CONV_2D int8 x int4"), (affine, "DEPTHWISE_CONV_2D int8 x int4"),
    (affine, "FULLY_CONNECTED int8 x int4"),
    *((affine, f"{op} int16") for op in PRODUCTS),
    *((binary, f"{op} int8 pairs") for op in ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE",
                                              *binary.COMPARISONS)),
    *((binary, f"{op} int16") for op in ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM")),
    *((reduce, f"{op} {t}") for op in ("MEAN", "SUM", "AVERAGE_POOL_2D", "MAX_POOL_2D") for t in ("int8", "int16")),
    *((reduce, f"{op} int8") for op in ("REDUCE_MAX", "REDUCE_MIN", "ARG_MAX", "ARG_MIN", "SELECT_V2")),
    *((movement, op) for op in movement.CASES if op != "TILE"),
    (recurrent, "UNIDIRECTIONAL_SEQUENCE_LSTM"), (recurrent, "SVDF"),
    *((unary, k) for k in unary.KINDS if k.split()[1] in ("int8", "int16") and k.split()[3] in ("int8", "int16")
      and k.split()[0] not in ("CAST", "EXP", "LOG", "GELU", "ELU", "LOG_SOFTMAX", "L2_NORMALIZATION")
      and not k.startswith(("RELU_", "SOFTMAX int8 to int16"))),
]  # fmt: skip
#: Operators with variants of the arithmetic tflm beyond litert-reference, and a kind that shows them.
OWN = [
    (affine, "FULLY_CONNECTED int8", "FULLY_CONNECTED"), (affine, "TRANSPOSE_CONV int16", "TRANSPOSE_CONV"),
    (affine, "CONV_2D int16", "CONV_2D"), (affine, "FULLY_CONNECTED int16", "FULLY_CONNECTED"),
    (binary, "ADD int16", "ADD"), (binary, "SUB int16", "SUB"),
    (recurrent, "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"),
    (unary, "LOGISTIC int8 to int8 body", "LOGISTIC"), (unary, "TANH int8 to int8 body", "TANH"),
    (unary, "RELU6 int8 to int8 body", "RELU6"),
]  # fmt: skip


@pytest.fixture(scope="module")
def tflm() -> Iterator[Tflm]:
    with Tflm() as started:
        yield started


@pytest.mark.parametrize(("module", "kind"), KINDS, ids=lambda v: v if isinstance(v, str) else "")
def test_no_element_differs(tflm, module, kind):
    found = sweep(served(module.FAMILY), kind, "tflm", tflm, 12, 3)
    assert found.score.compared, found.score.refused
    assert found.small == []


@pytest.mark.parametrize(("module", "kind", "opcode"), OWN, ids=lambda v: v if isinstance(v, str) else "")
def test_variants_of_tflm_are_needed(tflm, module, kind, opcode):
    """litert-reference's variant for a single operator differs from TFLM (negative control)."""
    usual = {cell.path: cell.variants[0] for kernel in kernels()[opcode] for cell in kernel.slots()}
    reference = {**usual, **load_arithmetic("litert-reference").variants(opcode)}
    without = replace(served(module.FAMILY), faults={opcode: reference})
    assert right(without, "tflm").variants(opcode) == reference
    few = (sweep(without, kind, "tflm", tflm, 10, seed, shown=0) for seed in range(15))
    assert any(found.score.different for found in few)


def test_16_bit_products_multiply_the_scales_in_float64(tflm):
    """-75563 steps give -4031, and -4030 with the scales multiplied in float32 (negative control)."""
    sides = [
        Tensor(np.int16([[-25187, -2]]), qparams(0.0014595945831388235)),
        Tensor(np.int16([[3], [1]]), qparams(0.0007670379127375782)),
    ]
    made = trial("scales", "BATCH_MATMUL", sides, "int16", qparams(2.0989224140066653e-05), (1, 1), 4)
    assert answers(made, tflm, "tflm")[0][0].tolist() == [[-4031]]
    right = load_arithmetic("tflm")
    assert score(made, tflm, "tflm", right).different == 0
    narrow = changed(right, {"BATCH_MATMUL": {"multiplier/int64_sums": "float32"}})
    assert score(made, tflm, "tflm", narrow).different == 1


@pytest.mark.parametrize(("functions", "different"), [("exp-less-1", 0), ("fdlibm", 1)])
def test_8_bit_elu_subtracts_1_from_exp(tflm, functions, different):
    """The function expm1 changes one of all 256 values."""
    values = Tensor(np.arange(-128, 128).astype(np.int8)[None], qparams(0.004078, 63))
    made = trial("ELU", "ELU", [values], "int8", qparams(0.006292, 63), (1, 256), 1)
    chosen = changed(load_arithmetic("tflm"), {"ELU": {"functions": functions}})
    assert score(made, tflm, "tflm", chosen).different == different


@pytest.mark.models
@pytest.mark.parametrize("name", MODELS)
def test_whole_models(tflm, models: Path, name):
    found = whole(models / name, tflm, runs=2)
    assert found.compared >= 20
    assert found.different == 0, found.examples


@pytest.mark.models
@pytest.mark.parametrize(
    ("name", "other"), [("ad01_int8.tflite", "litert-reference"), ("kws_ref_model.tflite", "single-rounding")]
)
def test_whole_models_with_a_wrong_arithmetic(tflm, models: Path, name, other):
    assert whole(models / name, tflm, other, runs=4).different > 0


def wrong(tflm: Tflm, case: Trial) -> np.ndarray:
    """Return a mask of outputs of the first inference that differ."""
    theirs = answers(case, tflm, "tflm")
    assert not isinstance(theirs, Refused)
    return theirs[0][0] != outputs(case, "tflm", False)[0][0]


def drawn(family: Family, kind: str, count: int = 40) -> list[Trial]:
    return [case for case in trials(family, kind, count) if faulty(case)]


def test_transpose_conv_reads_an_int32_bias_as_int64(tflm):
    cases = drawn(affine.FAMILY, "TRANSPOSE_CONV int16")
    assert len(cases) > 5
    assert sum(wrong(tflm, case).any() for case in cases) > len(cases) / 2


def test_padding_between_space_and_batch_is_not_written(tflm):
    seen = 0
    for case in drawn(movement.FAMILY, "SPACE_TO_BATCH_ND", 80):
        graph = case.model.subgraphs[0]
        if graph.inputs != (places(case)["input"],):  # block shape or paddings are computed
            continue
        zeros = replace(case, runs=(tuple(np.zeros_like(x) for x in case.inputs),))
        ones = replace(case, runs=(tuple(np.ones_like(x) for x in case.inputs),))
        if isinstance(answers(case, tflm, "tflm"), Refused):
            continue
        copied = outputs(zeros, "tflm", False)[0][0] != outputs(ones, "tflm", False)[0][0]
        assert not (wrong(tflm, case) & copied).any()
        seen += int(wrong(tflm, case).sum())
    assert seen > 100


def test_comparisons_of_int16_write_no_output(tflm):
    x, y = np.arange(-6, 7).astype(np.int16), np.zeros(13, np.int16)
    case = trial("", "GREATER", [Tensor(x, qparams(0.5)), Tensor(y, qparams(0.5))], "bool", None, x.shape)
    one, other = answers(replace(case, runs=((x, y), (y, x))), tflm, "tflm")
    # The outputs are previous values of the memory.
    assert not (np.array_equal(one[0], x > y) and np.array_equal(other[0], y > x))


def test_sums_of_int32_are_not_clamped(tflm):
    operands = [Tensor(np.int32([-5, 5])), Tensor(np.int32([0, 9]))]
    case = trial("", "ADD", operands, "int32", None, (2,), fused_activation_function="RELU6")
    assert faulty(case)
    assert answers(case, tflm, "tflm")[0][0].tolist() == [-5, 14]
    assert outputs(case, "tflm", False)[0][0].tolist() == [0, 6]


def test_tanh_ignores_the_parameters_of_its_output(tflm):
    case = unary.Case(
        "TANH",
        ("int8", qparams(0.05)),
        ("int8", qparams(0.5, 3)),
        (np.arange(-128, 128).astype(np.int8),),
    )
    usual = replace(case, target=("int8", qparams(1 / 128)))
    theirs = [answers(c.trial(), tflm, "tflm")[0][0] for c in (case, usual)]
    assert np.array_equal(*theirs)
    assert not wrong(tflm, usual.trial()).any()


def test_a_wrong_variant_of_requantizing_is_noticed(tflm):
    single = changed(load_arithmetic("tflm"), {"CONV_2D": {"requantize": "single"}})
    cases = list(trials(affine.FAMILY, "CONV_2D int8", 30))
    theirs = [answers(case, tflm, "tflm") for case in cases]
    assert any((outputs(c, single)[0][0] != t[0][0]).any() for c, t in zip(cases, theirs, strict=True))


@pytest.mark.parametrize("activation", ["NONE", "RELU6", "TANH"])
def test_svdf_computes_no_activation(tflm, activation):
    computed = 0
    for seed in range(8):
        model, shape = recurrent.svdf(np.random.default_rng(seed), activation)
        given = np.random.default_rng(seed).integers(-128, 128, (3, *shape)).astype(np.int8)
        case = Trial("SVDF", model, tuple((x,) for x in given))
        theirs, ours = answers(case, tflm, "tflm"), outputs(case, "tflm", False)
        if isinstance(theirs, Refused):
            assert model.subgraphs[0].operators[0].inputs[3] < 0
            continue
        computed += 1
        assert all(np.array_equal(a[0], b[0]) for a, b in zip(ours, theirs, strict=True))
        with pytest.raises(RunError, match="wants RELU"):
            outputs(case, "litert-reference", False)
    assert computed > 3


def test_a_divisor_of_zero_is_not_rejected(tflm):
    x, y = np.arange(-128, 128).astype(np.int8), np.full(256, 3, np.int8)
    case = trial(
        "", "DIV", [Tensor(x, qparams(0.4)), Tensor(y, qparams(0.2, 3))], "int8", qparams(0.3), x.shape
    )
    word = changed(
        load_arithmetic("tflm"), {"DIV": {**load_arithmetic("tflm").variants("DIV"), "shift": "word"}}
    )
    theirs = answers(case, tflm, "tflm")[0][0]
    assert np.array_equal(theirs, outputs(case, word, False)[0][0])
    assert len(np.unique(theirs)) > 3
    with pytest.raises(RunError, match="division by zero"):
        outputs(case, "litert-reference", False)


@pytest.mark.parametrize("activation", ["TANH", "RELU", "NONE"])
def test_a_float_lstm_computes_tanh_only(tflm, activation):
    computed = 0
    for seed in range(40):
        case = recurrent_float.lstm(np.random.default_rng(seed), "UNIDIRECTIONAL_SEQUENCE_LSTM", activation)
        theirs = answers(case, tflm, "tflm")
        if isinstance(theirs, Refused):  # peepholes, normalization, projections, no input gate
            continue
        ours = outputs(case, "tflm", False)
        fused = outputs(case, "litert-reference", False)
        assert not any(recurrent_float.too_far(a[0], b[0]).any() for a, b in zip(ours, theirs, strict=True))
        assert recurrent_float.too_far(fused[0][0], theirs[0][0]).any() == (activation != "TANH")
        computed += 1
    assert computed > 1


def test_detections_of_one_class_each_are_equal(tflm):
    compared = several = 0
    for seed in range(30):
        case = detection.detection(np.random.default_rng(seed), "float32", regular=False)
        settings = detection.DetectionOptions.of(case.model.subgraphs[0].operators[0])
        found = score(case, tflm, "tflm", "tflm")
        assert meets_undefined(case, "numbers of detections") == (settings.classes_each > 1)
        if settings.classes_each == 1:
            assert found.different == 0, found.examples
            compared += found.compared
        else:
            several += found.different
    assert compared > 100
    assert several > 100


def meets_undefined(case: Trial, text: str) -> bool:
    """Return True if the first operator meets a known fault of TFLM with a text."""
    operands = bind_operands(case.model, case.model.subgraphs[0], case.model.subgraphs[0].operators[0])
    return any(text in fault.description and "tflm" in fault.resolvers for fault in faults_of(operands))


@pytest.mark.parametrize("regular", [False, True])
def test_memory_after_the_last_detection_is_written_with_regular_suppression_only(tflm, regular):
    followed = different = 0
    for seed in range(200):
        case = detection.drawn(np.random.default_rng(seed), "float32", regular)
        if meets_undefined(case, "numbers of detections"):
            continue
        assert meets_undefined(case, "after the counted detections") == (not regular)
        ours, theirs = outputs(case, "tflm", False)[0], answers(case, tflm, "tflm")[0]
        count = int(ours[3][0])
        assert all(
            np.array_equal(a[:, :count], b[:, :count]) for a, b in zip(ours[:3], theirs[:3], strict=True)
        )
        followed += count < ours[2].size
        different += not all(map(np.array_equal, ours, theirs))
    assert followed > 3
    assert (different > followed / 2) if not regular else different == 0
