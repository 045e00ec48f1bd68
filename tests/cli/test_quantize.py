"""litecheck quantize and litecheck dequantize."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

Run = Callable[..., Result]
REAL = np.array([[0.5, -0.75, 1.25, 100], [0.25, 0, -0.25, -100]], np.float32)


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    np.save("x.npy", REAL)
    REAL.tofile("x.bin")
    np.save("bytes.npy", np.ones((2, 2), np.int8))
    np.save("short.npy", np.ones((2, 2), np.int16))
    np.savez("both.npz", a=REAL, b=REAL * 2)


def quantized(run: Run, *arguments: str) -> np.ndarray:
    result = run("quantize", arguments[0], "-o", "q.npy", *arguments[1:])
    assert (result.exit_code, result.stderr) == (0, "")
    return np.load("q.npy", allow_pickle=False)


def test_litert_is_the_default(run: Run) -> None:
    result = run("quantize", "x.npy", "-o", "q.npy", "--scale", "0.5", "--zero-point", "-3")
    assert result.stdout == "q.npy: int8 2x4 by litert; scale 0.5, zero point -3\n"
    assert np.load("q.npy").tolist() == [[-2, -5, 0, 127], [-2, -3, -4, -128]]
    assert np.load("q.npy").dtype == np.int8


@pytest.mark.parametrize("more", [["--zero-point", "3"], []], ids=["zero point", "none"])
def test_onnx_gives_uint8_unless_a_type_is_named(run: Run, more: list[str]) -> None:
    assert quantized(run, "x.npy", "--semantics", "onnx", "--scale", "0.5", *more).dtype == np.uint8
    found = quantized(run, "x.npy", "--semantics", "onnx", "--from-data", "asymmetric")
    assert (found.dtype, found.min(), found.max()) == (np.uint8, 0, 255)


def test_an_unusual_scale_that_onnx_accepts_gives_a_warning(run: Run) -> None:
    done = run("quantize", "x.npy", "-o", "q.npy", "--semantics", "onnx", "--scale", "0")
    assert (done.exit_code, done.stderr.partition(":")[0]) == (0, "warning")
    assert "scale 0: 1 of 1 not finite and positive" in done.stderr


@pytest.mark.parametrize("name", ["onnx", "onnx:13", "onednn"])
def test_other_semantics_round_to_even(run: Run, name: str) -> None:
    found = quantized(run, "x.npy", "--semantics", name, "--dtype", "int8", "--scale", "1/2")
    assert found.tolist() == [[1, -2, 2, 127], [0, 0, 0, -128]]


@pytest.mark.parametrize("semantics", ["litert", "litert:xnnpack", "onnx", "onnx-dynamic", "onednn"])
def test_float64_is_rounded_with_a_note(run: Run, semantics: str) -> None:
    np.save("wide.npy", REAL.astype(np.float64))
    how = (
        ["--semantics", semantics]
        if semantics == "onnx-dynamic"
        else ["--semantics", semantics, "--scale", "0.5"]
    )
    plain = quantized(run, "x.npy", *how)
    result = run("quantize", "wide.npy", "-o", "q.npy", *how)
    assert result.stderr == "note: wide.npy: float64, rounded to float32, which changes none of its values\n"
    assert np.array_equal(np.load("q.npy"), plain)
    np.save("wide.npy", np.array([0.1, 0.5, 1e300, np.nan]))
    assert "changes 2 of 4 values" in run("quantize", "wide.npy", "-o", "q.npy", "--scale", "1").stderr


@pytest.mark.parametrize("name", ["reference", "optimized", "xnnpack"])
def test_interpreters_of_litert(run: Run, name: str) -> None:
    ties = np.array([0.5, 2.5, -0.5, 4.5, 0.5, 2.5, -0.5, 4.5, 0.5, 2.5], np.float32)
    np.save("ties.npy", ties)
    found = quantized(run, "ties.npy", "--semantics", f"litert:{name}", "--scale", "1")
    away, even = [1, 3, -1, 5], [0, 2, 0, 4]
    whole, rest = (away if name == "reference" else even), (even if name == "xnnpack" else away)
    assert found.tolist() == whole * 2 + rest[:2]


@pytest.mark.parametrize(
    "option",
    [
        "--scale 0.1",
        "--from-data symmetric",
        "--axis 0",
        "--block-size 4",
        "--like good.tflite:x",
        "--zero-point 1",
    ],
)
def test_parameters_that_dynamic_quantization_lacks_are_errors(run: Run, option: str) -> None:
    result = run("quantize", "x.npy", "-o", "q.npy", "--semantics", "onnx-dynamic", *option.split())
    assert (result.exit_code, result.stdout, os.path.exists("q.npy")) == (64, "", False)
    assert f"{option.split()[0]}: onnx-dynamic has no such parameter" in result.stderr
    assert quantized(run, "x.npy", "--semantics", "onnx-dynamic").dtype == np.uint8


def test_four_bits_there_and_back(run: Run) -> None:
    for semantics in ("litert", "litert:optimized", "onnx:21"):
        how = ["--semantics", semantics, "--dtype", "int4", "--scale", "0.25", "--zero-point", "-3"]
        run("quantize", "x.npy", "-o", "q.npy", *how)
        assert run("dequantize", "q.npy", "-o", "r.npy", *how).exit_code == 0
        assert np.load("r.npy").tolist() == [[0.5, -0.75, 1.25, 2.5], [0.25, 0, -0.25, -1.25]]
    np.save("q.npy", np.array([100], np.int8))
    result = run("dequantize", "q.npy", "-o", "r.npy", "--dtype", "int4", "--scale", "1")
    assert (result.exit_code, "holds int8 from 100 to 100, which is not int4" in result.stderr) == (2, True)


def test_per_axis_and_blocks(run: Run) -> None:
    per_axis = quantized(
        run, "x.npy", "--scale", "0.25,0.5", "--zero-point", "0", "--zero-point", "1", "--axis", "0"
    )
    assert per_axis.tolist() == [[2, -3, 5, 127], [2, 1, 0, -128]]
    np.save("s.npy", np.array([[0.25, 1], [1, 0.25]], np.float32))
    blocks = quantized(run, "x.npy", "--scale", "s.npy", "--axis", "1", "--block-size", "2")
    assert blocks.tolist() == [[2, -3, 1, 100], [0, 0, -1, -128]]


def test_from_data(run: Run) -> None:
    symmetric = quantized(run, "x.npy", "--from-data", "symmetric")
    assert (symmetric.min(), symmetric.max()) == (-127, 127)
    asymmetric = run(
        "quantize", "x.npy", "-o", "q.npy", "--from-data", "asymmetric", "--axis", "0", "-f", "json"
    )
    told = json.loads(asymmetric.stdout)
    assert (told["dtype"], told["shape"], told["axis"], len(told["scale"])) == ("int8", [2, 4], 0, 2)
    assert told["zero_point"] == [-126, 126]
    assert told["scale"][1] == float(np.float32(100.25) / np.float32(255))


def test_the_parameters_printed_quantize_the_same_again(run: Run) -> None:
    told = json.loads(
        run("quantize", "x.npy", "-o", "q.npy", "--from-data", "asymmetric", "-f", "json").stdout
    )
    scale, zero = repr(told["scale"][0]), str(told["zero_point"][0])
    assert np.array_equal(np.load("q.npy"), quantized(run, "x.npy", "--scale", scale, "--zero-point", zero))


def test_like_a_tensor_of_a_model(run: Run) -> None:
    result = run("quantize", "x.npy", "-o", "q.npy", "--like", "good.tflite:x")
    assert result.stdout == "q.npy: int8 2x4 by litert; scale 0.5, zero point -1\n"
    assert quantized(run, "x.npy", "--like", "good.tflite:0").tolist()[0] == [0, -3, 2, 127]


def test_raw_bytes_and_npz(run: Run) -> None:
    whole = quantized(run, "x.npy", "--scale", "0.5")
    assert np.array_equal(quantized(run, "x.bin", "--shape", "2x4", "--scale", "0.5"), whole)
    assert np.array_equal(quantized(run, "both.npz:a", "--scale", "0.5"), whole)
    run("quantize", "x.npy", "-o", "q.bin", "--dtype", "int4", "--scale", "0.25")
    assert Path("q.bin").read_bytes() == bytes([0xD2, 0x75, 0x01, 0x8F])
    run("dequantize", "q.bin", "-o", "r.npy", "--dtype", "int4", "--shape", "2,4", "--scale", "0.25")
    assert np.load("r.npy").tolist() == [[0.5, -0.75, 1.25, 1.75], [0.25, 0, -0.25, -2]]


def test_dequantize(run: Run) -> None:
    quantized(run, "x.npy", "--scale", "0.25", "--zero-point", "4")
    result = run("dequantize", "q.npy", "-o", "r.npy", "--scale", "0.25", "--zero-point", "4")
    assert result.stdout == "r.npy: float32 2x4 by litert; scale 0.25, zero point 4\n"
    assert np.load("r.npy").tolist() == [[0.5, -0.75, 1.25, 30.75], [0.25, 0, -0.25, -33]]


def test_a_constant_brings_its_own_parameters(run: Run) -> None:
    assert run("dequantize", "good.tflite:kernel", "-o", "w.npy").exit_code == 0
    assert np.load("w.npy").tolist() == [[0.25] * 4] * 2


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        ("quantize x.npy", "the scale is missing: give --scale, --from-data or --like", 64),
        ("quantize x.npy --scale 0.5 --like good.tflite:x", "--scale and --like: give one of them", 64),
        ("quantize x.npy --scale half", "--scale: half is not a number", 64),
        ("quantize x.npy --scale 1/0", "--scale: 1/0 is not a number", 64),
        ("quantize x.npy --scale 1 --zero-point 0.5", "--zero-point: 0.5 is not a whole number", 64),
        ("quantize x.npy --zero-point 1", "--zero-point: goes with --scale", 64),
        ("quantize x.npy --scale 1 --block-size 2", "--block-size: goes with --scale and --axis", 64),
        ("quantize x.npy --scale 1,2", "--scale: 2 scales need --axis", 64),
        (
            "quantize x.npy --scale 1,2 --axis 1",
            "--scale: has shape (2,), a tensor (2, 4) needs (4,)",
            64,
        ),
        (
            "quantize x.npy --scale 0",
            "--scale: got 0, expected finite numbers above 0, by the semantics litert",
            64,
        ),
        (
            "quantize x.npy --scale 0 --semantics onednn",
            "--scale: got 0, expected finite numbers above 0",
            64,
        ),
        (
            "quantize x.npy --scale -1 --semantics onednn",
            "--scale: got -1, expected finite numbers above 0",
            64,
        ),
        ("quantize x.npy --scale 1,2 --axis 7 --semantics onednn", "--axis: is 7; for rank 2", 64),
        ("dequantize bytes.npy --scale 1,2 --axis 7 --semantics onednn", "--axis: is 7; for rank 2", 64),
        (
            "dequantize bytes.npy --scale -1 --semantics onednn",
            "--scale: got -1, expected finite numbers above 0",
            64,
        ),
        ("dequantize bytes.npy --scale 1,2 --axis 7", "--axis: is 7", 64),
        ("dequantize bytes.npy --scale 1,2 --axis 7 --semantics onnx", "--axis: ", 64),
        (
            "dequantize short.npy --scale 1 --zero-point 5",
            "--zero-point: DEQUANTIZE takes int16 with zero point 0",
            64,
        ),
        (
            "quantize x.npy --scale 1 --semantics litert:tflm",
            "litert:tflm: resolver: is none of reference, optimized",
            2,
        ),
        (
            "quantize x.npy --scale 1 --semantics litert:xnnpack --dtype int32",
            "litert:xnnpack: dtype: is int32; QUANTIZE takes",
            2,
        ),
        ("quantize x.npy --like good.tflite:x --axis 0", "--axis: goes with --scale", 64),
        ("quantize x.npy --scale 1 --zero-point 128", "--zero-point: ", 64),
        ("quantize x.npy --scale 1 --dtype int7", "litert: dtype: int7", 2),
        ("quantize x.npy --scale 1 --semantics onnix", "no semantics 'onnix'", 64),
        ("quantize x.npy --scale 1 --semantics onnx:3", "onnx:3: version", 2),
        ("quantize x.npy --from-data both", "--from-data: 'both' is neither symmetric nor asymmetric", 64),
        ("quantize x.npy --like good.tflite:z", "good.tflite: there is no tensor 'z'", 64),
        ("quantize x.npy --like broken.tflite:z", "broken.tflite", 2),
        ("quantize x.npy --like float.tflite:x", "quantization", 2),
        ("quantize no.npy --scale 1", "no.npy: cannot be read", 2),
        ("quantize tiny.yaml --scale 1 --shape 3", "tiny.yaml:", 2),
        ("quantize x.bin --scale 1 --shape two", "--shape: 'two' is not a shape", 64),
        ("dequantize x.npy", "the scale is missing: give --scale or --like", 64),
        ("dequantize x.npy --scale 1", "litert", 2),
        ("dequantize good.tflite:x", "is not a constant", 64),
    ],
)
def test_an_error_writes_no_file(run: Run, arguments: str, message: str, code: int) -> None:
    result = run(*arguments.split(), "-o", "out.npy")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert not os.path.exists("out.npy")


def test_the_output_is_checked_before_the_work(run: Run) -> None:
    for place in ("x.npy/q.npy", "."):
        result = run("quantize", "x.npy", "-o", place, "--scale", "1")
        assert (result.exit_code, "cannot be written" in result.stderr) == (64, True)
