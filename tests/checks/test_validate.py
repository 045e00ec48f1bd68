"""Statuses of operators under several profiles, models that cannot be read, and wrong arguments."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.checks.validate import DEFAULT_PROFILES, validate, validate_file
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.quantization import Quantization
from litecheck.report import ModelReport, Report
from tests.checks.table import profile

RELU = """title: A table
source: a test
kinds: {activation: {dtype: int8}}
ops:
  RELU:
    inputs: [input]
    outputs: [output]
    tensors: {input: {kind: activation, zero_point: 3}, output: activation}
"""
CLOSED = RELU.replace("source: a test", "source: a test\nunlisted: violation")


def unary(opcode: str = "RELU", dtype: str = "int8", scale: bool = True, **options: object) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (2, 3), dtype, qparams(0.5) if scale else None) for name in "xy")
    main.add(opcode, [x], [y], **options)  # type: ignore[arg-type]
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def status(report: ModelReport) -> tuple[str, tuple[str, ...]]:
    (operator,) = report.operators
    return operator.status, operator.profiles


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (unary("LOGISTIC", "int8"), ("violates", ("litert-runtime",))),
        (unary("RELU", "int8"), ("conforms", ("litert-runtime",))),
        (unary("RELU", "uint8"), ("conforms", ("litert-uint8",))),
        (unary("RELU", "float32", scale=False), ("structure checked only", ("litert-structure",))),
        (unary("CUSTOM", "int8", custom_code="Acme"), ("not covered", ())),
    ],
    ids=["fixed output", "int8", "uint8", "float", "custom"],
)
def test_the_first_default_profile_of_the_type_judges(
    model: Model, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert status(validate(model)) == expected
    assert set(validate(model).profiles) == {*expected[1]}


def test_integers_without_a_scale() -> None:
    """int32 without a scale conforms; int8 represents real numbers, which requires a scale."""
    assert status(validate(unary("ABS", "int32", scale=False)))[0] in ("conforms", "not covered")
    assert status(validate(unary("RELU", "int8", scale=False)))[0] != "conforms"


def test_all_given_profiles_judge() -> None:
    """Each profile that speaks of the operator adds its findings; the order is that of the profiles."""
    first, second = profile(RELU), load_profile("litert-int8")
    report = validate(unary(), [first, second])
    assert [f.path for f in report.findings] == ["RELU/input/zero_point"]
    assert status(report) == ("violates", tuple(p.name for p in (first, second) if "RELU" in p.operators))
    assert report.profiles == (first.name, second.name)


def test_operators_that_no_profile_lists() -> None:
    open_, closed = profile(RELU), profile(CLOSED)
    assert status(validate(unary("TANH"), [open_])) == ("not covered", ())
    told = validate(unary("TANH"), [closed])
    assert status(told) == ("violates", (closed.name,))
    assert [f.where.opcode for f in told.findings] == ["TANH"]
    assert validate(unary("TANH"), [open_]).operators[0].reason


def test_files(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.tflite", tmp_path / "bad.tflite"
    save_model(unary(), good)
    bad.write_bytes(b"no model")
    seen: list[ModelReport] = []
    (report,) = validate_file(good, progress=seen.append)
    assert seen == [report]
    assert (report.file, report.size, report.problems) == (str(good), good.stat().st_size, ())
    (unread,) = validate_file(str(bad))
    assert (unread.file, unread.member, unread.size, unread.operators) == (str(bad), "", 8, ())
    assert unread.problems
    (missing,) = validate_file(tmp_path / "none.tflite")
    assert missing.size == 0
    assert missing.problems


def test_reports_beside(tmp_path: Path) -> None:
    """A second check adds to the report of each model; an unreadable file has no model to check."""
    save_model(unary(), tmp_path / "m.tflite")
    other = validate(unary("TANH"))
    (report,) = validate_file(tmp_path / "m.tflite", beside=lambda model, found: other)
    assert report is other
    (tmp_path / "bad.tflite").write_bytes(b"no model")
    (report,) = validate_file(tmp_path / "bad.tflite", beside=lambda model, found: other)
    assert report is not other


def test_tensors_are_surveyed_only_if_requested() -> None:
    assert validate(unary()).survey == ()
    assert validate(unary(), survey=True).survey


@pytest.mark.parametrize("enabled", [True, False])
def test_the_search_for_cycles_is_restored(enabled: bool, tmp_path: Path) -> None:
    save_model(unary(), tmp_path / "m.tflite")
    states: list[bool] = []
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        validate_file(tmp_path / "m.tflite", progress=lambda report: states.append(gc.isenabled()))
        assert (states, gc.isenabled()) == ([False], enabled)
    finally:
        (gc.enable if before else gc.disable)()


def test_wrong_arguments() -> None:
    known = load_profile("litert-int8")
    with pytest.raises(TypeError, match="validate"):
        validate(np.zeros(3))  # type: ignore[arg-type]
    for wrong in ("litert-int8", known, ["litert-int8"], [known, "litert-int8"]):
        with pytest.raises(TypeError, match="sequence of Profiles"):
            validate(unary(), wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path"):
        validate_file(b"bytes")  # type: ignore[arg-type]


def test_default_profiles_are_read_when_those_before_are_silent() -> None:
    """An int8 model is checked with the first default profile only. A float model is read by all, and checked
    with the last."""
    assert validate(unary()).profiles == DEFAULT_PROFILES[:1]
    assert validate(unary("RELU", "float32", scale=False)).profiles == DEFAULT_PROFILES[-1:]
    runtimes = validate(unary()).runtimes
    assert {*runtimes} == {DEFAULT_PROFILES[0]}


def scaled(
    opcode: str, shapes: list[tuple[int, ...]], result: tuple[int, ...], index: list[int], **options: Any
) -> Model:
    """Return an operator with different scales of its int8 input and output, and an index constant if it has
    the role."""
    builder = ModelBuilder()
    main = builder.subgraph()
    inputs = [main.tensor(f"x{n}", shape, "int8", qparams(0.5)) for n, shape in enumerate(shapes)]
    constants = [main.constant("index", np.int32(index))] if index else []
    operands = (*constants, *inputs) if opcode == "SPLIT" else (*inputs, *constants)
    outputs = [
        main.tensor(f"y{n}", result, "int8", qparams(0.25)) for n in range(options.get("num_splits", 1))
    ]
    main.add(opcode, operands, outputs, version=2, **options)
    main.inputs(*inputs)
    main.outputs(*outputs)
    return builder.finish()


POOL = {"stride_w": 0, "stride_h": 2, "filter_width": 2, "filter_height": 2}


@pytest.mark.parametrize(
    ("path", "model"),
    [
        (
            "MAX_POOL_2D/limits/smallest_stride",
            scaled(
                "MAX_POOL_2D",
                [(1, 4, 4, 2)],
                (1, 2, 2, 2),
                [],
                stride_w=0,
                stride_h=2,
                filter_width=2,
                filter_height=2,
            ),
        ),
        ("GATHER/limits/axis_out_of_range", scaled("GATHER", [(4, 3)], (2, 3), [0, 1], axis=7)),
        ("SPLIT/limits/split_remainder", scaled("SPLIT", [(4, 3)], (4, 2), [1], num_splits=2)),
        (
            "CONCATENATION/limits/axis_out_of_range",
            scaled("CONCATENATION", [(1, 2), (1, 2)], (1, 4), [], axis=9),
        ),
        ("ADD/shapes", scaled("ADD", [(1, 4), (1, 3)], (1, 4), [])),
    ],
)
def test_a_wrong_scale_hides_no_wrong_shape_or_option(path: str, model: Model) -> None:
    """A hidden fault would let the model conform as soon as the finding of the scale is waived."""
    paths = {f.path for f in validate(model).findings if f.level == "violation"}
    assert path in paths
    if not path.startswith("ADD"):
        assert any(p.endswith("/same_quantization") for p in paths)


def conversion(opcode: str, given: str, made: str) -> Model:
    """Return a QUANTIZE or DEQUANTIZE with a scale per row of its quantized tensors."""
    builder = ModelBuilder()
    main = builder.subgraph()
    per_row = Quantization(np.array([0.5, 0.25], np.float32), np.zeros(2, np.int64), 0)
    x, y = (
        main.tensor(n, (2, 3), d, None if d == "float32" else per_row)
        for n, d in zip("xy", (given, made), strict=True)
    )
    main.add(opcode, [x], [y], version=2)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "violations"),
    [
        (conversion("QUANTIZE", "float32", "int8"), []),
        (conversion("QUANTIZE", "float32", "uint8"), []),
        (conversion("DEQUANTIZE", "int8", "float32"), []),
        (conversion("DEQUANTIZE", "uint8", "float32"), []),
        (conversion("QUANTIZE", "uint8", "uint8"), ["QUANTIZE/input/granularity"]),
        (conversion("QUANTIZE", "int8", "int8"), ["QUANTIZE/input/granularity"]),
    ],
)
def test_simulated_quantization_of_weights_has_one_scale_per_channel(
    model: Model, violations: list[str]
) -> None:
    assert [f.path for f in validate(model).findings if f.level == "violation"] == violations


@pytest.mark.parametrize(("zero", "levels"), [(0, []), (1, ["warning"])])
def test_a_comparison_with_the_constant_zero_is_exact(zero: int, levels: list[str]) -> None:
    """TensorFlow gives the constant of ``x > 0`` a scale of 1e-9."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (2, 3), "int8", qparams(0.5)), main.tensor("y", (2, 3), "bool")
    main.add("GREATER", [x, main.constant("zero", np.int8([zero]), qparams(1e-9))], [y], version=2)
    main.inputs(x)
    main.outputs(y)
    assert [f.level for f in validate(builder.finish()).findings] == levels


@pytest.mark.parametrize(("dtype", "rejected"), [("int8", False), ("float32", True)])
def test_xnnpack_takes_softmax_of_float32_only(dtype: str, rejected: bool) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    scales = (qparams(0.5), qparams(1 / 256, -128)) if dtype == "int8" else (None, None)
    x, y = (main.tensor(n, (1,) * 6 + (4,), dtype, q) for n, q in zip("xy", scales, strict=True))
    main.add("SOFTMAX", [x], [y], version=2, beta=1.0)
    main.inputs(x)
    main.outputs(y)
    paths = [f.path for f in validate(builder.finish()).findings]
    assert ("SOFTMAX/limits/delegated_float_rank" in paths) == rejected


def test_a_wrong_scale_hides_no_wrong_option_under_tflm() -> None:
    options = {**POOL, "stride_w": 2, "fused_activation_function": "TANH"}
    model = scaled("MAX_POOL_2D", [(1, 4, 4, 2)], (1, 2, 2, 2), [], **options)
    paths = {f.path for f in validate(model, [load_profile("tflm")]).findings if f.level == "violation"}
    assert paths >= {"MAX_POOL_2D/same_quantization", "MAX_POOL_2D/limits/fused_activation"}


def test_a_model_with_float16_weights_is_not_checked() -> None:
    """DEQUANTIZE of float16 constants is an operator of a float model, so the model does not pass a gate for int8."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, weights, y = (main.tensor(name, (1, 2), "float32") for name in ("x", "weights", "y"))
    stored = main.constant("stored", np.ones((1, 2), np.float16))
    main.add("DEQUANTIZE", [stored], [weights])
    main.add("ADD", [x, weights], [y])
    main.inputs(x)
    main.outputs(y)
    model = validate(builder.finish())
    assert Report("", (model,)).verdict(model) == "not checked"
    assert Report("", (model,), allow_float=True).verdict(model) == "conforms"
