"""litecheck compare."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

Run = Callable[..., Result]
#: good.tflite's tensor x has scale 0.5 and zero point -1.
REAL = (np.arange(-40, 40, dtype=np.float32) / 4).reshape(4, 20)
EVEN = (np.rint(REAL / np.float32(0.5)) - 1).astype(np.int8)


@pytest.fixture(autouse=True)
def inputs(folder: Path, run: Run) -> None:
    np.save("x.npy", REAL)
    np.save("device.npy", EVEN)
    EVEN.tofile("device.bin")
    REAL.tofile("x.bin")
    run("quantize", "x.npy", "-o", "ours.npy", "--like", "good.tflite:x")
    np.savez("two.npz", x=REAL, device=EVEN)


def test_the_same_is_exact(run: Run) -> None:
    result = run("compare", "ours.npy", "ours.npy")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "ours.npy against ours.npy: exact\ntensor     int8 4x20, 80 elements\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "x.npy device.npy --like good.tflite:x",
        "x.npy device.npy --scale 1/2 --zero-point -1",
        "x.npy device.bin --like good.tflite:x --shape 4x20",
        "x.npy device.bin --scale 0.5 --zero-point -1 --dtype int8",
        "x.bin device.npy --scale 0.5 --zero-point -1 --expected-dtype float32",
        "two.npz:x two.npz:device --scale 0.5 --zero-point -1",
    ],
)
def test_real_values_are_quantized_and_the_cause_is_named(run: Run, arguments: str) -> None:
    result = run("compare", *arguments.split())
    assert result.exit_code == 1
    assert "half-even: The device rounds ties to even where litert" in result.stdout
    assert "This reproduces all 80 elements." in result.stdout


def test_raw_bytes_have_the_type_and_shape_of_expected(run: Run) -> None:
    EVEN.tofile("same.bin")
    result = run("compare", "device.npy", "same.bin")
    assert result.stdout == "same.bin against device.npy: exact\ntensor     int8 4x20, 80 elements\n"


def test_the_tolerance_decides(run: Run) -> None:
    for tolerance in ("1lsb", "1", "1 LSB", "2"):
        result = run("compare", "ours.npy", "device.npy", "--tolerance", tolerance)
        assert (result.exit_code, "within tolerance" in result.stdout) == (0, True)
    assert run("compare", "ours.npy", "device.npy", "--tolerance", "0lsb").exit_code == 1


def test_semantics_change_the_expected_integers(run: Run) -> None:
    told = ("x.npy", "device.npy", "--scale", "0.5", "--zero-point", "-1")
    assert run("compare", *told, "--semantics", "onnx").exit_code == 0
    assert run("compare", *told, "--semantics", "onednn:half-away").exit_code == 1


def test_dynamic_semantics_choose_their_own_parameters(run: Run) -> None:
    told = ("--semantics", "onnx-dynamic")
    assert run("quantize", "x.npy", "-o", "d.npy", *told).exit_code == 0
    assert "exact" in run("compare", "x.npy", "d.npy", *told).stdout
    np.save("d.npy", np.load("d.npy") ^ 1)
    assert run("compare", "x.npy", "d.npy", *told).exit_code == 1


@pytest.mark.parametrize(
    "option", ["--scale 0.1", "--zero-point 3", "--axis 0", "--block-size 2", "--like good.tflite:x"]
)
def test_dynamic_semantics_take_no_parameters(run: Run, option: str) -> None:
    result = run("compare", "x.npy", "device.npy", "--semantics", "onnx-dynamic", *option.split())
    assert (result.exit_code, result.stdout) == (64, "")
    assert f"{option.split()[0]}: onnx-dynamic has no such parameter" in result.stderr


def test_the_default_interpreter_is_no_faulty_device(run: Run) -> None:
    parameters = ("--scale", "0.5", "--zero-point", "-1")
    assert (
        run("quantize", "x.npy", "-o", "d.npy", *parameters, "--semantics", "litert:xnnpack").exit_code == 0
    )
    assert (
        "by litert:xnnpack; scale 0.5"
        in run("quantize", "x.npy", "-o", "d.npy", *parameters, "--semantics", "litert:xnnpack").stdout
    )
    assert run("compare", "x.npy", "d.npy", *parameters, "--semantics", "litert:xnnpack").exit_code == 0
    told = run("compare", "x.npy", "d.npy", *parameters)
    assert (told.exit_code, "litert:xnnpack: LiteRT's default" in told.stdout) == (1, True)
    assert run("compare", "x.npy", "d.npy", *parameters, "--semantics", "litert:reference").exit_code == 1


def test_real_values_on_both_sides(run: Run) -> None:
    other = REAL.copy()
    other[0, 0] = np.nextafter(other[0, 0], np.float32(0))
    np.save("other.npy", other)
    assert "x.npy against x.npy: exact" in run("compare", "x.npy", "x.npy").stdout
    result = run("compare", "x.npy", "other.npy")
    assert result.exit_code == 1
    assert "1 (1.25 %), by at most 1 ULP, 9.54e-08 of the largest value" in result.stdout
    assert "[0, 0]: expected -10.0, the device gives -9.999999, +1 ULP" in result.stdout
    for tolerance, code in (("1ulp", 0), ("1", 0), ("1e-6", 0), ("1e-9", 1)):
        assert run("compare", "x.npy", "other.npy", "--tolerance", tolerance).exit_code == code
    document = json.loads(run("compare", "x.npy", "other.npy", "-f", "json", "--tolerance", "1e-6").stdout)
    assert (document["unit"], document["tolerance"], document["verdict"]) == (
        "share",
        1e-6,
        "within tolerance",
    )
    assert document["worst"]["difference"] == document["largest"] == 1


def test_float64_is_rounded_with_a_note(run: Run) -> None:
    np.save("wide.npy", REAL.astype(np.float64) + 1e-12)
    result = run("compare", "wide.npy", "device.npy", "--like", "good.tflite:x", "--tolerance", "1")
    assert result.exit_code == 0
    assert result.stderr == "note: wide.npy: float64, rounded to float32, which changes 80 of 80 values\n"
    assert run("compare", "wide.npy", "x.npy", "--tolerance", "1e-9").exit_code == 0


def test_json(run: Run) -> None:
    result = run("compare", "x.npy", "device.npy", "--like", "good.tflite:x", "-f", "json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["exit_code"], document["verdict"]) == (1, 1, "differs")
    assert [cause["name"] for cause in document["causes"]] == ["litert:xnnpack", "half-even"]
    assert document["first"]["quotient"].endswith("/2")


def test_packed_integers(run: Run) -> None:
    np.save("four.npy", np.array([-8, 7, 3, 1], np.int8))
    Path("four.bin").write_bytes(bytes([0x78, 0x13]))
    assert run("compare", "four.npy", "four.bin", "--dtype", "int4").exit_code == 0
    Path("four.bin").write_bytes(bytes([0x87, 0x31]))
    result = run("compare", "four.npy", "four.bin", "--dtype", "int4")
    assert (result.exit_code, "high-bits-first" in result.stdout) == (1, True)


def test_a_constant_of_a_model(run: Run) -> None:
    np.save("ones.npy", np.ones((2, 4), np.int8))
    assert run("compare", "ones.npy", "good.tflite:kernel").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        ("x.npy device.npy", "its scale and zero point are needed", 2),
        ("x.npy x.npy --scale 1", "holds float32, no stored integers; without parameters and type two", 2),
        (
            "ours.npy x.npy",
            "holds float32, no stored integers; quantize it first, or give real values on both",
            2,
        ),
        ("x.npy x.npy --tolerance 1lsb", "compare: tolerance: 1 LSB; it is a number of ULP or a share", 2),
        ("ours.npy device.npy --tolerance 1ulp", "is in ULP; stored integers differ in LSB", 2),
        ("ours.npy device.npy --tolerance 0.1", "is in share; stored integers differ in LSB", 2),
        ("ours.npy device.npy --axis 1", "--axis: goes with --scale or --from-data", 64),
        ("x.npy device.npy --like good.tflite:x --axis 1", "--axis: goes with --scale", 64),
        ("x.npy device.bin --scale 1", "raw bytes need a type", 64),
        ("device.bin device.bin", "raw bytes need a type", 64),
        (
            "good.tflite ours.npy",
            "good.tflite: got a model, expected a tensor: good.tflite:TENSOR; 'litecheck inspect good.tflite --tensors'",
            64,
        ),
        ("ours.npy device.bin --dtype int16", "80 bytes; int16 4x20 has 160", 2),
        ("ours.npy device.bin --dtype int8 --shape 8x10", "expected has 4x20, actual has 8x10", 2),
        ("ours.npy device.npy --tolerance some", "--tolerance: got 'some', expected steps", 64),
        ("ours.npy device.npy --tolerance -1", "--tolerance: got '-1', expected steps", 64),
        ("ours.npy no.npy", "no.npy: cannot be read", 2),
        ("ours.npy two.npz", "two.npz: holds several arrays; there is x, device", 64),
        ("ours.npy device.npy --like good.tflite:q", "there is no tensor 'q'", 64),
        ("x.npy device.npy --scale 1 --semantics none", "no semantics 'none'", 64),
        ("x.npy device.npy --scale 1,2,3 --axis 0", "3 scales along axis 0 do not fit", 64),
        ("ours.npy tiny.yaml --dtype int8", "tiny.yaml:", 2),
    ],
)
def test_inputs_that_cannot_be_compared(run: Run, arguments: str, message: str, code: int) -> None:
    result = run("compare", *arguments.split())
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_arrays_without_elements_are_not_checked(run: Run) -> None:
    np.save("none.npy", np.zeros((0, 3), np.int8))
    result = run("compare", "none.npy", "none.npy")
    assert (result.exit_code, "not checked" in result.stdout) == (2, True)
