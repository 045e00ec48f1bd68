"""Models of few operators that violate a requirement, each with a valid model of the same inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product as combinations
from typing import Any

import numpy as np

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from tests.profile import zero_models
from tests.profile.folded_models import folded_models, sliced_shape
from tests.profile.rank_models import rank_models

HALF = qparams(0.5)
PAGE, IGNORED = "outside the specification", "ignored by LiteRT, may matter on hardware"
LOAD, RUN, WRONG, CRASH = "fails to load", "fails at run time", "wrong results", "crashes"
NO_DELEGATE, DEFAULT_ONLY = (
    "rejected without the default delegate",
    "rejected by the default interpreter only",
)
REFERENCE_CRASH = "crashes the reference resolver only"


@dataclass(frozen=True)
class ImpactModel:
    """A model that violates a requirement, with its path and its stated impact; ``path`` is None without a finding.

    ``sound`` is a model with the same outputs.
    """

    name: str
    broken: Model
    inputs: tuple[np.ndarray, ...]
    path: str | None
    impact: str
    sound: Model | None = None


def indices(*values: int) -> np.ndarray:
    """Return values of an int32 tensor."""
    return np.array(values, np.int32)


def lookup(table: Quantization, output: Quantization, dtype: str = "int8") -> Model:
    """Return an EMBEDDING_LOOKUP that copies two of four rows."""
    rows = np.arange(-6, 6).reshape(4, 3).astype(dtype)
    operands = [run_time("i", (2,), "int32"), constant("t", rows, table)]
    return one_operator("EMBEDDING_LOOKUP", operands, [run_time("y", (2, 3), dtype, output)])


def product(
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    output: tuple[int, ...],
    dtype: str,
    right: Quantization | None = None,
) -> Model:
    """Return a BATCH_MATMUL of two inputs; ``right`` is the quantization of the second, if it differs."""
    q = None if dtype == "float32" else HALF
    sides = (("x", lhs, q), ("w", rhs, right or q), ("y", output, q))
    x, w, y = (run_time(n, shape, dtype, stated) for n, shape, stated in sides)
    return one_operator("BATCH_MATMUL", [x, w], [y], version=2)


def transposed(dtype: str, output: tuple[int, ...], padding: str) -> Model:
    """Return a TRANSPOSE_CONV of stride 2 from (1, 4, 4, 2)."""
    q = None if dtype == "float32" else HALF
    weight = np.ones((3, 3, 3, 2), "int8" if dtype == "int16" else dtype)
    operands = [
        constant("o", indices(*output)),
        constant("w", weight, q),
        run_time("x", (1, 4, 4, 2), dtype, q),
    ]
    options = {"padding": padding, "stride_w": 2, "stride_h": 2}
    return one_operator("TRANSPOSE_CONV", operands, [run_time("y", output, dtype, q)], options, version=3)


def sliced(begin: list[int], output: tuple[int, ...], **masks: int) -> Model:
    """Return a STRIDED_SLICE of (2, 3, 4), with an element from each begin on."""
    first, last = indices(*begin), indices(*(n + 1 for n in begin))
    ends = [constant(n, v) for n, v in (("b", first), ("e", last), ("s", np.ones_like(first)))]
    x, y = run_time("x", (2, 3, 4), "int8", HALF), run_time("y", output, "int8", HALF)
    return one_operator("STRIDED_SLICE", [x, *ends], [y], masks, version=2)


def activated(activation: str, weight: str) -> Model:
    """Return a FULLY_CONNECTED of float32 activations and integer or float32 weights, with a fused activation."""
    stored = (np.arange(24).reshape(3, 8) % 7 - 3).astype(weight)
    w = constant("w", stored, None if weight == "float32" else HALF)
    options = {"fused_activation_function": activation}
    x, y = run_time("x", (2, 8), "float32"), run_time("y", (2, 3), "float32")
    return one_operator("FULLY_CONNECTED", [x, w], [y], options, version=9)


def reduced(
    opcode: str, dtype: str, shape: tuple[int, ...], output: tuple[int, ...], computed: bool
) -> Model:
    """Return a reduction along axis 1, which may be an input."""
    q = None if dtype == "float32" else qparams(0.5, 3)
    axis = run_time("a", (1,), "int32") if computed else constant("a", indices(1))
    x, y = run_time("x", shape, dtype, q), run_time("y", output, dtype, q)
    return one_operator(opcode, [x, axis], [y], version=2)


def dense(dtype: str, weight: Any, bias: Any, bias_type: str = "") -> Model:
    """Return a FULLY_CONNECTED with these scales of weight and bias; the correct bias scale is 0.125."""
    bias_type = bias_type or ("int64" if dtype == "int16" else "int32")
    narrow = "uint8" if dtype == "uint8" else "int8"
    w = constant("w", (np.arange(24).reshape(3, 8) % 7).astype(narrow), qparams(weight))
    b = constant("b", np.array([100, -200, 300], bias_type), qparams(bias))
    x, y = run_time("x", (2, 8), dtype, HALF), run_time("y", (2, 3), dtype, qparams(0.3))  # no ties
    return one_operator("FULLY_CONNECTED", [x, w, b], [y], version=4)


def dense_rows(dtype: str, size: int, constant_weight: bool) -> Model:
    """Return a FULLY_CONNECTED of ``size`` values with rows of 6 weights."""
    q = None if dtype == "float32" else HALF
    values = np.ones((4, 6), "int8" if dtype == "int16" else dtype)
    w = constant("w", values, q) if constant_weight else run_time("w", (4, 6), values.dtype.name, q)
    x, y = run_time("x", (1, size), dtype, q), run_time("y", (1, 4), dtype, q)
    return one_operator("FULLY_CONNECTED", [x, w], [y], version=4)


def depthwise(dtype: str, filters: int) -> Model:
    """Return a DEPTHWISE_CONV_2D with ``filters`` as the first dimension of its weight, which should be 1."""
    q = None if dtype == "float32" else HALF
    w = constant("w", np.ones((filters, 1, 1, 2), "int8" if dtype == "int16" else dtype), q)
    bias = {"int16": "int64", "float32": "float32"}.get(dtype, "int32")
    b = constant("b", np.zeros(2, bias), None if dtype == "float32" else qparams(0.25))
    x, y = (run_time(name, (1, 4, 4, 2), dtype, q) for name in "xy")
    options = {"padding": "VALID", "stride_w": 1, "stride_h": 1, "depth_multiplier": 1}
    return one_operator("DEPTHWISE_CONV_2D", [x, w, b], [y], options, version=3)


def without_options(model: Model) -> Model:
    """Return the model without the options of its operator."""
    graph = model.subgraphs[0]
    operators = tuple(replace(operator, options=None) for operator in graph.operators)
    return replace(model, subgraphs=(replace(graph, operators=operators),))


def square(dtype: str) -> Model:
    """Return a FULLY_CONNECTED with scales of weight (4, 4) along the inputs."""
    w = constant("w", np.arange(16).reshape(4, 4).astype(np.int8), qparams([0.5, 0.25, 1, 2], 0, 1))
    x, y = (run_time(n, (2, 4), dtype, None if dtype == "float32" else HALF) for n in "xy")
    return one_operator("FULLY_CONNECTED", [x, w], [y], version=9)


def softmax(dtype: str, beta: float) -> Model:
    """Return a SOFTMAX of two rows."""
    out = qparams(1 / 256, -128 if dtype == "int8" else 0)
    x, y = run_time("x", (2, 8), dtype, HALF), run_time("y", (2, 8), dtype, out)
    return one_operator("SOFTMAX", [x], [y], {"beta": beta}, version=3)


def flattened(batch: int, width: int) -> Model:
    """Return a RESHAPE of (batch, 8, 8, 2) to (batch, width); SHAPE, STRIDED_SLICE and PACK give the new shape."""
    builder = ModelBuilder("flattened")
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 8, 8, 2), "float32", shape_signature=(batch, 8, 8, 2))
    shape, first = graph.tensor("s", (4,), "int32"), graph.tensor("n", (), "int32")
    wanted, y = graph.tensor("p", (2,), "int32"), graph.tensor("y", (1, width), "float32")
    begin, end, step = (
        graph.constant(name, indices(value)) for name, value in (("b", 0), ("e", 1), ("t", 1))
    )
    graph.add("SHAPE", [x], [shape], out_type=2)
    graph.add("STRIDED_SLICE", [shape, begin, end, step], [first], shrink_axis_mask=1)
    graph.add("PACK", [first, graph.constant("w", np.array(width, np.int32))], [wanted], values_count=2)
    graph.add("RESHAPE", [x, wanted], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def _ones(*shape: int, dtype: str = "int8") -> np.ndarray:
    return np.ones(shape, dtype)


def narrow(opcode: str, dtype: str) -> Model:
    """Return an operator that moves the values of a constant (2, 3)."""
    x, y = constant("x", np.arange(6).reshape(2, 3).astype(np.int8), HALF, dtype), np.zeros(2, np.int64)
    shape, more, options = {
        "BROADCAST_TO": ((4, 2, 3), [constant("s", indices(4, 2, 3))], {}),
        "DILATE": ((3, 5), [constant("d", indices(2, 2)), constant("p", np.int8(-1), HALF, dtype)], {}),
        "MATRIX_DIAG": ((2, 3, 3), [], {}),
        "MATRIX_SET_DIAG": ((2, 3), [constant("d", np.int8([5, 6]), HALF, dtype)], {}),
        "STABLEHLO_PAD": (
            (3, 4), [constant("p", np.int8(-1), HALF, dtype)],
            {"edge_padding_low": y + 1, "edge_padding_high": y, "interior_padding": y},
        ),
    }[opcode]  # fmt: skip
    version = 2 if opcode == "BROADCAST_TO" else 1
    return one_operator(opcode, [x, *more], [run_time("y", shape, dtype, HALF)], options, version=version)


def litert_models() -> Iterator[ImpactModel]:
    """Yield models for LiteRT's three resolvers."""
    two, nan = (indices(2, 0),), float("nan")
    rows = "EMBEDDING_LOOKUP/limits/copied_row"
    yield ImpactModel("rows", lookup(HALF, HALF), two, None, "")
    yield ImpactModel("rows, scale", lookup(HALF, qparams(0.25)), two, f"{rows}_mismatches", WRONG)
    yield ImpactModel("rows, zero", lookup(qparams(0.5, 3), HALF), two, f"{rows}_mismatches", WRONG)
    yield ImpactModel("rows, int16", lookup(HALF, qparams(1), "int16"), two, f"{rows}_mismatches", WRONG)
    yield ImpactModel("rows, scales", lookup(qparams([0.5] * 4), HALF), two, f"{rows}_scales", LOAD)
    for activation in ("TANH", "SIGN_BIT"):
        hybrid, real = activated(activation, "int8"), activated(activation, "float32")
        given = (_ones(2, 8, dtype="float32"),)
        yield ImpactModel(f"hybrid {activation}", hybrid, given, None, "")
        yield ImpactModel(f"float {activation}", real, given, "FULLY_CONNECTED/limits/fused_activation", LOAD)
    for opcode in ("BROADCAST_TO", "DILATE", "MATRIX_DIAG", "MATRIX_SET_DIAG", "STABLEHLO_PAD"):
        model, sound = narrow(opcode, "int4"), narrow(opcode, "int8")
        yield ImpactModel(f"{opcode} of int4", model, (), f"{opcode}/types", WRONG, sound)
    empty = "BATCH_MATMUL/limits/delegated_empty_dimensions"
    for dtype in ("float32", "int8", "int16"):
        rejected = (empty, DEFAULT_ONLY) if dtype != "int16" else (None, "")
        for lhs, rhs, output in (
            ((2, 0, 3), (2, 3, 4), (2, 0, 4)),
            ((1, 2, 3), (0, 3, 4), (0, 2, 4)),
            ((0, 1, 2, 3), (1, 0, 3, 4), (0, 0, 2, 4)),
        ):
            given = (_ones(*lhs, dtype=dtype), _ones(*rhs, dtype=dtype))
            yield ImpactModel(f"product {lhs} {dtype}", product(lhs, rhs, output, dtype), given, *rejected)
    given = (_ones(2, 0, 3), _ones(2, 3, 4))
    for right in (qparams(0.5, 3), qparams(0.5, -7)):
        model = product((2, 0, 3), (2, 3, 4), (2, 0, 4), "int8", right)
        yield ImpactModel(f"product that XNNPACK declines {right.zero_point}", model, given, None, "")
    given = (_ones(0, 2, 3), _ones(0, 3, 4))
    yield ImpactModel(
        "product of no batch", product((0, 2, 3), (0, 3, 4), (0, 2, 4), "int8"), given, None, ""
    )
    image, shapes = _ones(1, 8, 8, 2, dtype="float32"), "RESHAPE/shapes"
    yield ImpactModel("flat", flattened(-1, 128), (image,), None, "")
    yield ImpactModel("flat, too wide", flattened(1, 512), (image,), shapes, RUN)
    yield ImpactModel("flat, too wide for any batch", flattened(-1, 512), (image,), shapes, RUN)
    for name, model, impact in folded_models():
        given = (_ones(1, 16, 24, dtype="float32"),)
        yield ImpactModel(name, model, given, shapes if impact else None, impact)
    given = (_ones(1, 16, 24, dtype="float32"),)
    for option, stated, gathered in combinations((2, 4), ("int32", "int64"), (False, True)):
        ends = ("STRIDED_SLICE/limits/data_types", LOAD) if option == 4 else (None, "")
        yield ImpactModel(
            f"shape {option} {stated} {gathered}", sliced_shape(option, stated, gathered), given, *ends
        )
    for dtype, scale, fused in combinations(("int8", "int16"), (0.0, nan), ("RELU", "RELU6")):
        given, path = (_ones(1, 4, dtype=dtype),), "FULLY_CONNECTED/limits/fused_bound"
        yield ImpactModel(
            f"{fused} {dtype} {scale}", zero_models.fused(dtype, scale, fused), given, path, LOAD
        )
    for opcode, dtype, scale in combinations(
        zero_models.OPCODES, ("int8", "int16"), (0.0, 1e-45, 4e-41, 1e-38)
    ):
        if opcode == "FULLY_CONNECTED" and not scale:
            continue  # reference kernels compute with 0 * infinity
        broken, sound = (zero_models.of_zeros(opcode, dtype, s) for s in (scale, 0.5))
        default = dtype == "int8" and opcode not in ("FILL", "MUL")
        ends = (f"{opcode}/output/scale", DEFAULT_ONLY) if default else (None, "")
        given = (np.arange(4).reshape(1, 4).astype(dtype),)
        yield ImpactModel(f"{opcode} of zeros {dtype} {scale}", broken, given, *ends, sound)
    shapes = "TRANSPOSE_CONV/shapes"
    for dtype in ("float32", "int8", "int16"):
        batch, valid = (RUN, LOAD) if dtype == "int16" else (NO_DELEGATE, NO_DELEGATE)
        given = (_ones(1, 4, 4, 2, dtype=dtype),)
        for output, padding, impact in (
            ((2, 8, 8, 3), "SAME", batch), ((1, 8, 9, 3), "VALID", valid), ((1, 9, 8, 3), "SAME", LOAD),
            ((2, 8, 9, 4), "VALID", LOAD),
        ):  # fmt: skip
            model = transposed(dtype, output, padding)
            yield ImpactModel(f"transposed {dtype} {output}", model, given, shapes, impact)
    given = (np.arange(24).reshape(2, 3, 4).astype(np.int8),)
    model = sliced([0, 0], (2, 3, 4), ellipsis_mask=3)
    yield ImpactModel("two ellipses", model, given, "STRIDED_SLICE/shapes", IGNORED)
    begin = [1, 0, 1, 0]
    for output, masks, impact in (
        ((1, 1, 1), {}, IGNORED), ((1, 1, 1, 1), {}, WRONG), ((1, 1), {"shrink_axis_mask": 9}, IGNORED),
        ((1, 1, 1, 1), {"new_axis_mask": 2}, ""),
    ):  # fmt: skip
        model = sliced(begin, output, **masks)
        yield ImpactModel(
            f"begin of four {output} {masks}",
            model,
            given,
            "STRIDED_SLICE/shapes" if impact else None,
            impact,
        )
    for name, model, path, impact in rank_models():
        image = model.subgraphs[0].tensors[0]
        yield ImpactModel(name, model, (_ones(*image.shape, dtype=image.dtype),), path, impact)
    for dtype, ignored in (("int8", PAGE), ("int16", IGNORED)):
        given = (np.arange(16).reshape(2, 8).astype(dtype),)
        for bad in (nan, float("inf")):
            name, scale = f"bias {bad} {dtype}", "FULLY_CONNECTED/bias/scale"
            drift = "FULLY_CONNECTED/limits/bias_scale_drift"
            yield ImpactModel(f"{name}, one", dense(dtype, 0.25, bad), given, drift, LOAD)
            model, sound = (dense(dtype, [0.25] * 3, [s] * 3) for s in (bad, 0.125))
            yield ImpactModel(f"{name}, three", model, given, scale, ignored, sound)
    for dtype, impact in (("int8", LOAD), ("int16", LOAD), ("float32", WRONG)):
        given = (_ones(2, 4, dtype=dtype),)
        yield ImpactModel(f"columns {dtype}", square(dtype), given, "FULLY_CONNECTED/weight/axis", impact)
    given = (np.arange(16).reshape(2, 8).astype(np.uint8),)
    model = dense("uint8", 0.25, nan)
    yield ImpactModel("bias nan uint8", model, given, "FULLY_CONNECTED/limits/bias_scale_drift", LOAD)
    model, drift = dense("int16", 0.25, 0.25), "FULLY_CONNECTED/limits/bias_scale_drift"
    yield ImpactModel("bias int16", model, (_ones(2, 8, dtype="int16"),), drift, LOAD)
    for dtype in ("int8", "uint8"):
        given = (np.arange(16).reshape(2, 8).astype(dtype),)
        yield ImpactModel(f"bias drift {dtype}", dense(dtype, 0.25, 0.5), given, drift, NO_DELEGATE)
        yield ImpactModel(f"negative bias {dtype}", dense(dtype, 0.25, -0.5), given, drift, LOAD)
    for dtype, constant_weight in combinations(("int8", "uint8", "int16", "float32"), (True, False)):
        model = dense_rows(dtype, 7, constant_weight)
        impact = DEFAULT_ONLY if constant_weight and dtype != "int16" else WRONG
        weights = () if constant_weight else (_ones(4, 6, dtype=model.subgraphs[0].tensors[1].dtype),)
        given = (_ones(1, 7, dtype=dtype), *weights)
        yield ImpactModel(f"rows {dtype} {constant_weight}", model, given, "FULLY_CONNECTED/shapes", impact)
    filters = "DEPTHWISE_CONV_2D/shapes"
    for dtype in ("int8", "uint8", "int16", "float32"):
        given = (_ones(1, 4, 4, 2, dtype=dtype),)
        model, impact = depthwise(dtype, 4), LOAD if dtype == "int16" else NO_DELEGATE
        yield ImpactModel(f"four filters {dtype}", model, given, filters, impact)
    given = (_ones(1, 6, dtype="int16"),)
    model, sound = without_options(dense_rows("int16", 6, True)), dense_rows("int16", 6, True)
    yield ImpactModel("no options int16", model, given, "FULLY_CONNECTED/limits/options_table", LOAD, sound)
    given = (np.arange(16).reshape(2, 8).astype(np.int8),)
    model = dense("int8", 0.25, 0.125, "int64")
    yield ImpactModel("bias of int64", model, given, "FULLY_CONNECTED/bias/dtype", WRONG)
    for dtype in ("float16", "float64"):
        x, y, z = (run_time(name, (2, 4), dtype) for name in "xyz")
        model = one_operator("STABLEHLO_ADD", [x, y], [z])
        given = (np.linspace(-2, 2, 8).reshape(2, 4).astype(dtype),) * 2
        yield ImpactModel(f"sums of {dtype}", model, given, None, "")
    step = "SOFTMAX/limits/exponent_step"
    for dtype in ("int8", "uint8"):
        given = (np.arange(16).reshape(2, 8).astype(dtype),)
        yield ImpactModel(f"beta nan {dtype}", softmax(dtype, nan), given, step, REFERENCE_CRASH)
        yield ImpactModel(f"beta 0 {dtype}", softmax(dtype, 0.0), given, step, REFERENCE_CRASH)


def tflm_models() -> Iterator[ImpactModel]:
    """Yield models for LiteRT for Microcontrollers."""
    nan = float("nan")
    values = np.arange(24).reshape(2, 3, 4).astype(np.int8)
    for perm, found in (([0, 2, 1], None), ([0, -1, 1], "TRANSPOSE/limits/perm.smallest")):
        x, y = run_time("x", (2, 3, 4), "int8", HALF), run_time("y", (2, 4, 3), "int8", HALF)
        model = one_operator("TRANSPOSE", [x, constant("p", indices(*perm))], [y], version=2)
        yield ImpactModel(f"perm {perm}", model, (values,), found, LOAD if found else "")
    yield ImpactModel(
        "begin, far in front", sliced([-9, 0, 0], (1, 1), shrink_axis_mask=1), (values,), None, ""
    )
    same, two = lookup(qparams(0.5, 3), qparams(0.5, 3)), (indices(2, 0),)
    yield ImpactModel("rows, same zero point", same, two, None, "")
    whole = "STRIDED_SLICE/limits/whole_dimensions"
    yield ImpactModel("begin, short", sliced([0], (1, 3, 4)), (values,), whole, LOAD)
    for opcode in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
        for output, path in (((2, 3), f"{opcode}/limits/axis.constant"), ((2, 3, 4), f"{opcode}/shapes")):
            model = reduced(opcode, "int8", (2, 3, 4), output, computed=True)
            yield ImpactModel(f"{opcode} to {output}", model, (values, indices(1)), path, WRONG)
    x, y = run_time("x", (4, 3), "float32"), run_time("y", (13,), "float32")
    model = one_operator("RESHAPE", [x, run_time("s", (1,), "int32")], [y])
    given = (_ones(4, 3, dtype="float32"), indices(12))
    yield ImpactModel("another number of elements", model, given, "RESHAPE/limits/element_gap", LOAD)
    nothing = (_ones(2, 0, 4, dtype="float32"),)
    model = reduced("MEAN", "float32", (2, 0, 4), (2, 4), computed=False)
    yield ImpactModel("MEAN of nothing", model, nothing, "MEAN/limits/results_of_nothing", CRASH)
    model = reduced("SUM", "int8", (2, 0, 4), (2, 4), computed=False)
    yield ImpactModel("SUM of nothing", model, (_ones(2, 0, 4),), "SUM/limits/results_of_nothing", WRONG)
    given, drift = (np.arange(16).reshape(2, 8).astype(np.int8),), "FULLY_CONNECTED/limits/bias_scale_drift"
    yield ImpactModel("bias nan, one", dense("int8", 0.25, nan), given, drift, LOAD)
    model, sound = (dense("int8", [0.25] * 3, [s] * 3) for s in (nan, 0.125))
    yield ImpactModel("bias nan, three", model, given, "FULLY_CONNECTED/bias/scale", IGNORED, sound)
    yield ImpactModel("beta nan", softmax("int8", nan), given, "SOFTMAX/limits/exponent_step", CRASH)
