"""Options of the quantizer's commands: numbers, shapes, tolerances, and mutually exclusive options."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from litecheck.cli.quantizer_options import (
    ParameterOptions,
    TensorOptions,
    Tolerance,
    check_own_choice,
    in_float32,
    parse_shape,
    parse_tolerance,
    select_parameters,
    tensor,
)
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.quantizer.types import Parameters

FREE = SimpleNamespace(name="litert", default_dtype="int8")
DYNAMIC = SimpleNamespace(name="onnx-dynamic", choose=lambda x: Parameters(np.array([x.max()], np.float32)))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (None, None),
        ("1x96x96x3", (1, 96, 96, 3)),
        ("1,2x3", (1, 2, 3)),
        ("7", (7,)),
        ("0", (0,)),
        ("9" * 18, (10**18 - 1,)),
    ],
)
def test_shapes(text: str | None, shape: tuple[int, ...] | None) -> None:
    assert parse_shape(text) == shape


@pytest.mark.parametrize("text", ["", "1x", "-1", "1.5", "axb", "9" * 19])
def test_no_shapes(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a shape such as 1x96x96x3"):
        parse_shape(text)


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        ("1", Tolerance(1)),
        ("0", Tolerance(0)),
        ("1lsb", Tolerance(1, "LSB")),
        (" 2 LSB ", Tolerance(2, "LSB")),
        ("4ulp", Tolerance(4, "ULP")),
        ("9" * 18, Tolerance(10**18 - 1)),
        ("1e-6", Tolerance(1e-6, "share")),
        ("0.001", Tolerance(0.001, "share")),
        (".5", Tolerance(0.5, "share")),
        ("0.0e3", Tolerance(0, "share")),
    ],
)
def test_tolerances(text: str, tolerance: Tolerance) -> None:
    assert parse_tolerance(text) == tolerance


@pytest.mark.parametrize("text", ["", "-1", "1.0", "1.5", "1e3", "lsb", "1e-1000", "0.1lsb", "nan", "9" * 19])
def test_no_tolerances(text: str) -> None:
    with pytest.raises(ConfigError, match="expected steps, such as 1lsb or 4ulp, or a share, such as 1e-6"):
        parse_tolerance(text)


def given(**more: object) -> Parameters:
    found = tensor(ParameterOptions(**more), None, None).parameters  # type: ignore[arg-type]
    assert found is not None
    return found


def test_numbers_of_scales() -> None:
    """Fractions are exact before the conversion to float32; a list is given in a single option or in several."""
    assert given(scale=("1/256",)).scale.tolist() == [1 / 256]
    several = given(scale=("0.5, 0.25", "1/3"), axis=1, zero_point=("1,2", "3.0"), block_size=4)
    assert several.scale.dtype == np.float32
    assert several.scale.tolist() == [0.5, 0.25, float(np.float32(1 / 3))]
    assert several.zero_point is not None
    assert (several.zero_point.tolist(), several.zero_point.dtype) == ([1, 2, 3], np.int64)
    assert (several.axis, several.block_size) == (1, 4)
    one = given(scale=("2",))
    assert (one.zero_point, one.axis, one.block_size) == (None, None, 0)


def test_large_zero_points_stay_exact() -> None:
    """2^24 + 1 is not a float32."""
    assert given(scale=("1",), zero_point=(str(2**24 + 1),)).zero_point == 2**24 + 1


def test_numbers_of_a_file(tmp_path: Path) -> None:
    with (tmp_path / "s.NPY").open("wb") as file:
        np.save(file, np.array([0.5, 0.125]))
    np.save(tmp_path / "z.npy", np.array([3, 4], np.int8))
    found = given(scale=(str(tmp_path / "s.NPY"),), zero_point=(str(tmp_path / "z.npy"),), axis=0)
    assert found.scale.tolist() == [0.5, 0.125]
    assert found.zero_point is not None
    assert (found.zero_point.tolist(), found.zero_point.dtype) == ([3, 4], np.int8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ParameterOptions(("1",), from_data="symmetric"), "--scale and --from-data: give one of them"),
        (
            ParameterOptions(("1",), from_data="symmetric", like="m:0"),
            "--scale and --from-data and --like: give one of them",
        ),
        (ParameterOptions(zero_point=("1",)), "--zero-point: goes with --scale"),
        (ParameterOptions(axis=0), "--axis: goes with --scale or --from-data"),
        (ParameterOptions(axis=0, like="m:0"), "--axis: goes with --scale$"),
        (ParameterOptions(block_size=4), "--block-size: goes with --scale and --axis"),
        (ParameterOptions(("1",), block_size=4), "--block-size: goes with --scale and --axis"),
        (ParameterOptions(from_data="other"), "--from-data: 'other' is neither symmetric nor asymmetric"),
        (ParameterOptions(("1,2",)), "--scale: 2 scales need --axis"),
        (ParameterOptions(("1",), ("0.5",)), "--zero-point: 0.5 is not a whole number"),
        (ParameterOptions(("1/0",)), "--scale: 1/0 is not a number, list of numbers or .npy file"),
        (ParameterOptions(("1,a.npy",)), "--scale: 1,a.npy is not a number"),
        (ParameterOptions(("1",), ("x",)), "--zero-point: x is not a number"),
    ],
)
def test_options_that_do_not_go_together(options: ParameterOptions, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tensor(options, None, None)


def test_options_that_go_together() -> None:
    for told in (
        ParameterOptions(from_data="symmetric", axis=0),
        ParameterOptions(from_data="asymmetric"),
        ParameterOptions(("1",), axis=0, block_size=4),
    ):
        assert isinstance(tensor(told, "int4", "2x3"), TensorOptions)
    plain = tensor(ParameterOptions(), "int4", "2x3")
    assert (plain.dtype, plain.shape, plain.parameters) == ("int4", (2, 3), None)


def test_a_tensor_of_a_model(tmp_path: Path) -> None:
    """Type, shape and parameters are those of the tensor; options take precedence, an open shape is unknown."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 3), "int16", qparams(0.5))
    y = main.tensor("y", (1, 3), "int16", qparams(0.5), shape_signature=(-1, 3))
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    save_model(builder.finish(), tmp_path / "m.tflite")
    found = tensor(ParameterOptions(like=f"{tmp_path / 'm.tflite'}:x"), None, None)
    assert (found.dtype, found.shape) == ("int16", (1, 3))
    assert found.parameters is not None
    assert found.parameters.scale.tolist() == [0.5]
    other = tensor(ParameterOptions(like=f"{tmp_path / 'm.tflite'}:x"), "int8", "5")
    assert (other.dtype, other.shape) == ("int8", (5,))
    assert tensor(ParameterOptions(like=f"{tmp_path / 'm.tflite'}:y"), None, None).shape is None


def test_a_semantics_that_chooses_its_parameters() -> None:
    check_own_choice(ParameterOptions(), DYNAMIC)  # type: ignore[arg-type]
    check_own_choice(ParameterOptions(("1",), block_size=2), FREE)  # type: ignore[arg-type]
    for told, option in (
        (ParameterOptions(("1",)), "--scale"),
        (ParameterOptions(axis=0), "--axis"),
        (ParameterOptions(block_size=2), "--block-size"),
    ):
        with pytest.raises(ConfigError, match=f"^{option}: onnx-dynamic has no such parameter"):
            check_own_choice(told, DYNAMIC)  # type: ignore[arg-type]


def test_chosen_parameters() -> None:
    """Given parameters come first, then parameters from the data, then parameters of the semantics; otherwise
    an error."""
    x = np.array([-1.0, 0.5], np.float32)
    own = Parameters(np.array([0.25], np.float32))
    assert select_parameters(TensorOptions(parameters=own), ParameterOptions(), x, FREE) is own  # type: ignore[arg-type]
    symmetric = select_parameters(TensorOptions(), ParameterOptions(from_data="symmetric"), x, FREE)  # type: ignore[arg-type]
    assert symmetric.scale.tolist() == pytest.approx([1 / 127])
    wide = select_parameters(TensorOptions("int16"), ParameterOptions(from_data="symmetric"), x, FREE)  # type: ignore[arg-type]
    assert wide.scale.tolist() == pytest.approx([1 / 32767])
    assert select_parameters(TensorOptions(), ParameterOptions(), x, DYNAMIC).scale.tolist() == [0.5]  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="the scale is missing"):
        select_parameters(TensorOptions(), ParameterOptions(), x, FREE)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (np.array([0.1, 0.5, np.nan]), "note: a: float64, rounded to float32, which changes 1 of 3 values"),
        (np.array([0.25, 0.5]), "note: a: float64, rounded to float32, which changes none of its values"),
        (np.array([0.1, 1e300]), "note: a: float64, rounded to float32, which changes 2 of 2 values"),
        (np.array([0.1], np.float32), ""),
        (np.array([1]), ""),
    ],
)
def test_float64_input_is_rounded_with_a_note(values: np.ndarray, note: str) -> None:
    message: list[str] = []
    made = in_float32("a", values, message.append)
    assert "".join(message) == note
    assert made.dtype == (np.float32 if note else values.dtype)
