"""Each operator version and ONNX's schemas, and cases for additions and rejected arguments of each version."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.quantizer.onnx import Onnx, dequantize_linear, operator_version, quantize_linear
from litecheck.quantizer.onnx_types import DEQUANTIZE, NUMBERS, QUANTIZE, name_of, storage, type_name
from litecheck.quantizer.types import QuantizerError

pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")

VERSIONS = list(QUANTIZE)
REAL = ("float32", "float16", "bfloat16", "int32", "float64")
SCALE = (*REAL, "float8e8m0")
STORED = (
    "int8", "uint8", "int16", "uint16", "int4", "uint4", "int2", "uint2", "float4e2m1",
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "int32", "uint32",
)  # fmt: skip


def scalar(name, value=1):
    return np.array(value).astype(storage(name))


def zero_point(name):
    return {"y_zero_point": scalar(name, 0), "zero_point_dtype": name}


def refusal(function, *args, **kwargs):
    """Return the argument that a call is rejected for, empty if the call is accepted."""
    try:
        function(*args, **kwargs)
    except QuantizerError as error:
        return error.argument if error.semantics == f"onnx:{kwargs['version']}" else str(error)
    return ""


# The tables


def schema(operator, version):
    """Return (types by parameter name, attributes) of ONNX's schema."""
    onnx = pytest.importorskip("onnx")
    found = onnx.defs.get_schema(operator, version)
    assert found.since_version == version
    types = {t.type_param_str: t.allowed_type_strs for t in found.type_constraints}
    both = [*found.inputs, *found.outputs]
    words = {p.name: types.get(p.type_str, [p.type_str]) for p in both}
    names = {k: {type_name(w[len("tensor(") : -1]) for w in v} for k, v in words.items()}
    parameters = {p.name: p.type_str for p in both}
    return names, parameters, set(found.attributes)


@pytest.mark.parametrize("version", VERSIONS)
def test_quantize_table_is_onnx_schema(version):
    types, parameters, attributes = schema("QuantizeLinear", version)
    facts = QUANTIZE[version]
    assert set(facts.real) == types["x"]
    assert set(facts.stored) == types["y"] == types["y_zero_point"]
    assert set(facts.attributes) == attributes
    assert (facts.scale == ()) == (parameters["x"] == parameters["y_scale"])
    assert set(facts.scale or facts.real) == types["y_scale"]


@pytest.mark.parametrize("version", list(DEQUANTIZE))
def test_dequantize_table_is_onnx_schema(version):
    types, _, attributes = schema("DequantizeLinear", version)
    facts = DEQUANTIZE[version]
    assert set(facts.stored) == types["x"]
    assert set(facts.scale) == types["x_scale"]
    assert set(facts.real) == types["y"]
    assert set(facts.attributes) == attributes


def test_numbers_are_tensorprotos():
    onnx = pytest.importorskip("onnx")
    for name, number in NUMBERS.items():
        word = {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
        assert onnx.TensorProto.DataType.Value(word) == number
        assert type_name(word) == type_name(number) == type_name(name) == name
        assert name_of(np.zeros(1, onnx.helper.tensor_dtype_to_np_dtype(number))) == name


@pytest.mark.parametrize("word", ["int5", "", "string", 8, 27, -1])
def test_unknown_types_have_no_name(word):
    with pytest.raises(ValueError, match="not a type"):
        type_name(word)


# Every mix of types


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_mix_is_accepted_or_refused(version):
    """x, scale and zero point in every type: exactly the document's types are accepted, the first wrong argument is
    named.
    """
    facts, accepted = QUANTIZE[version], 0
    for real in REAL:
        for scale in SCALE:
            for stored in STORED:
                wrong = (
                    "x" if real not in facts.real
                    else "y_scale" if scale not in (facts.scale or (real,))
                    else "y_zero_point" if stored not in facts.stored
                    else ""
                )  # fmt: skip
                call = zero_point(stored) if stored in NUMBERS else {"y_zero_point": np.zeros((), stored)}
                assert refusal(quantize_linear, scalar(real), scalar(scale), **call, version=version) == wrong
                accepted += not wrong
    counts = {10: 4, 13: 4, 19: 24, 21: 40, 23: 176, 24: 220, 25: 260}
    assert accepted == counts[version]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_dequantize_type_mix(version):
    facts = DEQUANTIZE[version]
    for stored in STORED:
        for scale in SCALE:
            for result in (None, *REAL):
                if version >= 25 or stored not in ("int4", "uint4", "int2", "uint2"):
                    x = np.zeros(2, storage(stored) if stored in NUMBERS else stored)
                    kept = name_of(x)
                    wrong = (
                        "output_dtype" if result and "output_dtype" not in facts.attributes
                        else "x" if kept not in facts.stored
                        else "x_scale" if scale not in facts.scale
                        else "output_dtype" if (result or scale) not in facts.real
                        else ""
                    )  # fmt: skip
                    call = {"output_dtype": result, "version": version}
                    assert refusal(dequantize_linear, x, scalar(scale), **call) == wrong
                    if not wrong:
                        assert name_of(dequantize_linear(x, scalar(scale), **call)) == (result or scale)


# Attributes


ATTRIBUTES = {"axis": 0, "block_size": 2, "output_dtype": "uint8", "precision": "float32", "saturate": 0}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_a_version_does_not_have(version, name):
    first = {"axis": 13, "saturate": 19, "block_size": 21, "output_dtype": 21, "precision": 23}[name]
    call = {name: ATTRIBUTES[name], "version": version}
    assert refusal(quantize_linear, scalar("float32"), scalar("float32"), **call) == (
        "" if version >= first else name
    )


@pytest.mark.parametrize("opset", [1, 9])
def test_opsets_before_the_first_version(opset):
    assert refusal(quantize_linear, scalar("float32"), scalar("float32"), version=opset) == "version"
    assert refusal(dequantize_linear, scalar("int8"), scalar("float32"), version=opset) == "version"
    with pytest.raises(QuantizerError, match="below opset 10"):
        Onnx(opset)


@pytest.mark.parametrize(
    ("opset", "version", "name"),
    [(10, 10, "onnx:10"), (11, 10, "onnx:11 (version 10)"), (22, 21, "onnx:22 (version 21)"),
     (28, 25, "onnx:28 (version 25)")],
)  # fmt: skip
def test_an_opset_has_the_newest_version_at_or_below_it(opset, version, name):
    assert operator_version(QUANTIZE, opset) == version
    assert Onnx(opset).name == name


def test_attributes_are_those_of_the_version_of_an_opset():
    """block_size came with version 21: opset 20 has version 19, opset 22 has version 21."""
    call = {"block_size": ATTRIBUTES["block_size"]}
    with pytest.raises(QuantizerError, match=r"version 19.*block_size"):
        quantize_linear(scalar("float32"), scalar("float32"), version=20, **call)
    assert refusal(quantize_linear, scalar("float32"), scalar("float32"), version=22, **call) == ""


def test_output_type():
    """The zero point's type, then output_dtype, then uint8; both given must agree; by name and by number."""
    x, scale = np.array([200.0], np.float32), scalar("float32")
    assert quantize_linear(x, scale).dtype == np.uint8
    assert quantize_linear(x, scale, output_dtype=0).dtype == np.uint8
    for word in ("int8", "INT8", 3):
        assert quantize_linear(x, scale, output_dtype=word).dtype == np.int8
        assert quantize_linear(x, scale, scalar("int8", 0), output_dtype=word).dtype == np.int8
    assert (
        refusal(quantize_linear, x, scale, scalar("int8", 0), output_dtype="uint8", version=21)
        == "output_dtype"
    )
    assert refusal(quantize_linear, x, scale, output_dtype="int2", version=24) == "output_dtype"
    assert refusal(quantize_linear, x, scale, output_dtype="int32", version=25) == "output_dtype"
    assert refusal(quantize_linear, x, scale, output_dtype="int5", version=25) == "output_dtype"


def test_zero_points_of_types_numpy_does_not_have():
    import ml_dtypes

    x, scale = np.array([-100.0, 100.0], np.float32), scalar("float32")
    assert quantize_linear(x, scale, np.array(1, ml_dtypes.int4)).tolist() == [-8, 7]
    assert quantize_linear(x, scale, **zero_point("uint2")).tolist() == [0, 3]
    wide = {"y_zero_point": scalar("int8", 8), "zero_point_dtype": "int4", "version": 25}
    assert refusal(quantize_linear, x, scale, **wide) == "zero_point"
    other = {"y_zero_point": scalar("uint8", 0), "zero_point_dtype": "int4", "version": 25}
    assert refusal(quantize_linear, x, scale, **other) == "zero_point_dtype"


def test_saturate_is_a_flag():
    assert (
        refusal(quantize_linear, scalar("float32"), scalar("float32"), saturate=2, version=19) == "saturate"
    )


# Shapes


SHAPES = [
    # version, shape of the scale, attributes, rejected argument; x has shape (2, 6)
    (10, (2,), {}, "scale"),
    (10, (1,), {}, ""),
    (13, (6,), {}, ""),
    (13, (2,), {}, "scale"),
    (13, (2,), {"axis": 0}, ""),
    (13, (2,), {"axis": -2}, ""),
    (13, (2,), {"axis": 2}, "axis"),
    (13, (2,), {"axis": -3}, "axis"),
    (13, (), {"axis": 9}, ""),
    (19, (2, 3), {}, "scale"),
    (21, (2, 3), {}, "block_size"),
    (21, (2, 3), {"block_size": 2}, ""),
    (21, (2, 3), {"block_size": 3}, "block_size"),
    (21, (2, 3), {"block_size": -2}, "block_size"),
    (21, (2, 4), {"block_size": 2}, "block_size"),
    (21, (1, 6), {"block_size": 2, "axis": 0}, ""),
    (21, (1, 6), {"block_size": 2, "axis": -2}, ""),
    (21, (3, 3), {"block_size": 2}, "scale"),
    (21, (3,), {"block_size": 2}, "scale"),
    (25, (), {"block_size": 2}, ""),
]


@pytest.mark.parametrize(("version", "shape", "attributes", "refused"), SHAPES)
def test_shapes(version, shape, attributes, refused):
    scale = np.ones(shape, np.float32)
    call = {**attributes, "version": version}
    assert refusal(quantize_linear, np.zeros((2, 6), np.float32), scale, **call) == refused
    assert refusal(dequantize_linear, np.zeros((2, 6), np.int8), scale, **call) == refused


def test_zero_point_shape_matches_the_scale():
    x = np.zeros((2, 6), np.float32)
    for shape in ((6, 1), (2,), (1,)):
        call = {"y_zero_point": np.zeros(shape, np.uint8), "version": 25}
        assert refusal(quantize_linear, x, np.ones(6, np.float32), **call) == "zero_point"


def test_rank_one():
    """With one scale the axis is unnecessary; with a scale for each element it is required."""
    x = np.zeros(3, np.float32)
    assert refusal(quantize_linear, x, np.ones((), np.float32), version=25) == ""
    assert refusal(quantize_linear, x, np.ones(3, np.float32), version=25) == "axis"
    assert refusal(quantize_linear, x, np.ones(3, np.float32), axis=-1, version=25) == ""


# The type of the division


#: 0.1 rounded to float16 is 0.0999756; 1.25 divided by it is 12.503 in float32 and the tie 12.5 in float16.
TIE_IN_HALF = 1.25


def test_quotient_is_in_the_scales_type():
    """Until version 21 both types are the same; from version 23 the scale's type decides."""
    wide, half = (np.array(TIE_IN_HALF, t) for t in (np.float32, np.float16))
    tenth = np.array(0.1, np.float16)
    for version in (19, 21, 23, 25):
        assert quantize_linear(half, tenth, version=version) == 12
        assert quantize_linear(wide, tenth.astype(np.float32), version=version) == 13
    for version in (23, 24, 25):
        assert quantize_linear(wide, tenth, version=version) == 12
        assert quantize_linear(half, tenth.astype(np.float32), version=version) == 13


@pytest.mark.parametrize("version", [23, 24, 25])
def test_precision_overrides_the_type_of_the_scale(version):
    wide, tenth = np.array(TIE_IN_HALF, np.float32), np.array(0.1, np.float16)
    call = {"version": version}
    assert quantize_linear(wide, tenth.astype(np.float32), precision=10, **call) == 12
    assert quantize_linear(wide, tenth, precision="float", **call) == 13
    assert quantize_linear(wide, tenth, precision="float16", **call) == 12
    assert quantize_linear(wide, tenth, precision=0, **call) == 12
    assert quantize_linear(wide, tenth, precision="double", **call) == 13
    assert refusal(quantize_linear, wide, tenth, precision="int8", **call) == "precision"
    assert refusal(quantize_linear, wide, tenth, precision="int32", **call) == "precision"
    assert refusal(quantize_linear, wide, scalar("int32", 2), precision="int32", **call) == ""


@pytest.mark.parametrize("version", VERSIONS)
def test_int32_with_a_float32_scale_is_divided_in_float32(version):
    """16777217 is not a float32 and rounds to 16777216: the quotient is a different integer."""
    x, scale = np.array(16777217, np.int32), np.array(2.0**24 / 1.5, np.float32)
    if version in (19, 21):
        assert refusal(quantize_linear, x, scale, version=version) == "y_scale"
        return
    assert quantize_linear(x, scale, version=version) == 2  # 1.5 exactly, half to even
    x = np.array(16777219, np.int32)  # rounds to 16777220
    want = np.rint(np.float32(16777220) / np.float32(66845.5))
    assert quantize_linear(x, np.array(66845.5, np.float32), version=version) == want


@pytest.mark.parametrize("version", [19, 21, 23, 24, 25])
def test_int32_scales_divide_exactly(version):
    """x / 2 of 2**24 + 1 is a tie, x / 3 of 2**31 - 1 lies between two float32 values."""
    x = np.array([5, 7, -5, 2**31 - 1], np.int32)
    assert quantize_linear(x, np.array(2, np.int32), scalar("int8", 0), version=version).tolist() == [
        2,
        4,
        -2,
        127,
    ]
    big = np.array(2**24 + 1, np.int32)
    scale = np.array(2**18 * 2 + 2, np.int32)
    assert quantize_linear(big, scale, version=version) == round((2**24 + 1) / (2**19 + 2))


def test_e8m0_scales_are_powers_of_two():
    x = np.array([3.0, 5.0, -3.0, 1e-30], np.float32)
    two = scalar("float8e8m0", 2)
    for version in (24, 25):
        assert quantize_linear(x, two, scalar("int8", 0), version=version).tolist() == [2, 2, -2, 0]
    tiny = scalar("float8e8m0", 2.0**-127)
    assert quantize_linear(np.array([2.0**-126, 1e30], np.float32), tiny).tolist() == [2, 255]
    assert quantize_linear(np.array([2.0**-24], np.float16), scalar("float8e8m0", 2.0**-30)).tolist() == [64]


# DequantizeLinear


def test_product_is_in_the_output_type():
    """The difference and the scale are rounded to the output type before they are multiplied; the product is rounded too."""
    x, zero = np.array([-30000], np.int16), np.array(30001, np.int16)
    half, single = np.array(0.1, np.float16), np.array(0.1, np.float32)
    for version in (21, 23, 25):
        y = dequantize_linear(x, half, zero, version=version)
        assert y.dtype == np.float16
        assert y[0] == np.float16(-60001) * np.float16(0.1)
        assert dequantize_linear(x, single, zero, version=version)[0] == np.float32(-60001) * single
    y = dequantize_linear(np.array([3], np.int8), single, output_dtype="float16", version=23)
    assert y[0] == np.float16(3) * np.float16(0.1)
    assert y[0] != np.float16(np.float32(3) * single)  # rounded only after the product


def test_int32_has_no_zero_point():
    x, scale = np.array([7], np.int32), scalar("float32", 0.5)
    for version in VERSIONS:
        assert dequantize_linear(x, scale, scalar("int32", 0), version=version) == 3.5
        assert refusal(dequantize_linear, x, scale, scalar("int32", 1), version=version) == "x_zero_point"
    assert refusal(dequantize_linear, x, scale, scalar("int8", 0), version=25) == "x_zero_point"


def test_e8m0_scale_needs_an_output_type():
    x, scale = np.array([3], np.int8), scalar("float8e8m0", 0.5)
    assert refusal(dequantize_linear, x, scale, version=24) == "output_dtype"
    assert dequantize_linear(x, scale, output_dtype="float", version=24) == np.float32(1.5)
    assert dequantize_linear(x, scale, output_dtype="bfloat16", version=25).astype(np.float32) == 1.5


def test_small_floats_subtract_their_zero_point():
    """The formula is the same for small floats; the difference of e5m2's extremes needs more bits than float32 has."""
    x, zero = scalar("float8e5m2", 57344), scalar("float8e5m2", 2.0**-16)
    assert dequantize_linear(x, scalar("float32"), zero, version=19) == np.float32(57344)
    four = np.array([6, -6, 0.5]).astype(storage("float4e2m1"))
    assert dequantize_linear(four, scalar("float32", 2), scalar("float4e2m1", 1.5)).tolist() == [9, -15, -2]
