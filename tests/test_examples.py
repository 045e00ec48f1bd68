"""Example programs as devices: operators that they implement are exact, and gaps are reported."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from litecheck import convert, trace, validate
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Limits
from litecheck.devices.registry import open_device
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.verification.device_run import verify
from litecheck.verification.result import Verification
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "fixtures" / "conv_int8.tflite"
PROGRAM = ROOT / "examples" / "device.c"


def verified(device: str, **settings: object) -> Verification:
    opened = open_device(device, Limits(60.0))
    try:
        return verify(load_model(MODEL), opened, Settings(**settings))  # type: ignore[arg-type]
    finally:
        opened.close()


def outcomes(report: Verification) -> dict[str, Outcome]:
    return {v.opcode: v.outcome for v in report.verdicts}


def compiled(source: str, folder: Path) -> str:
    """Compile a C program without warnings and return its device."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "device.c").write_text(source)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    command = [compiler, *flags, str(folder / "device.c"), "-o", str(folder / "device"), "-lm"]
    subprocess.run(command, check=True)
    return f"command:{folder / 'device'} {{model}} {{runs}}"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the C example as a device."""
    return compiled(PROGRAM.read_text(), tmp_path_factory.mktemp("examples"))


def test_the_program_in_c_is_exact_for_supported_operators(board: str) -> None:
    report = verified(board, arithmetics=("tflm",))
    found = outcomes(report)
    assert [found.pop(opcode) for opcode in ("FULLY_CONNECTED", "RESHAPE")] == [Outcome.EXACT] * 2
    assert set(found.values()) == {Outcome.NOT_SUPPORTED}
    assert report.described.endswith("(example device in C 1.0)")
    assert (report.verdict, report.counts()[Outcome.NOT_SUPPORTED]) == ("conforms", 5)


#: Defects of the program, each as (original text, replacement). It implements no operator with state or a window.
FAULTS = {
    "no zero point": ("(in[k] - x->zero)", "in[k]"),
    "zero point kept in int8": ("(in[k] - x->zero)", "(in[k] + (int8_t)-x->zero)"),
    "only the first image": ("(const int8_t *)x->data + row * depth", "(const int8_t *)x->data + 0 * row"),
    "weights of channel 31 for 32": ("w->data + unit * depth", "w->data + (unit == 32 ? 31 : unit) * depth"),
    "offset of 16 bits": ("((int8_t *)y->data)[n]", "((int8_t *)y->data)[(uint16_t)n]"),
    "sums of 16 bits beyond depth 256": (
        "sum += (in[k] - x->zero) * weights[k];",
        "{ sum += (in[k] - x->zero) * weights[k]; if (depth > 256 && sum != (int16_t)sum) sum = sum < 0 ? -32768 : 32767; }",
    ),
    "sums in float16": (
        "sum += (in[k] - x->zero) * weights[k];",
        "{ int e; double m = frexp(sum + (in[k] - x->zero) * weights[k], &e); sum = ldexp(rint(m * 2048) / 2048, e); }",
    ),
    "bias of the neighbour": (
        "entry(b->data - 4, unit)", "entry(b->data - 4, unit / 4 == (units - 1) / 4 ? unit - 1 : unit)",
    ),
    "scales of pairs swapped": ("scale(w, unit)", "scale(w, unit ^ 1)"),
    "bias of 16 bits": ("entry(b->data - 4, unit)", "(int16_t)entry(b->data - 4, unit)"),
    "the previous answer": (
        "&tensors[entry(outputs, n)];",
        "&tensors[entry(outputs, n)]; static uint8_t kept[1 << 18]; for (uint32_t k = 0; k < from->size; ++k) "
        "{ uint8_t one = kept[k]; kept[k] = from->data[k]; from->data[k] = one; }",
    ),
    "a stale last element": (
        "&tensors[entry(outputs, n)];",
        "&tensors[entry(outputs, n)]; static uint8_t kept; uint8_t one = kept; kept = from->data[from->size - 1]; "
        "from->data[from->size - 1] = one;",
    ),
    "one answer in 200": (
        "&tensors[entry(outputs, n)];",
        "&tensors[entry(outputs, n)]; static int times; if (++times % 200 == 0) from->data[0] ^= 1;",
    ),
}  # fmt: skip


def faulty(name: str, folder: Path) -> str:
    """Return the device of a program with the defect."""
    source, (right, wrong) = PROGRAM.read_text(), FAULTS[name]
    assert right in source
    return compiled(source.replace(right, wrong), folder)


def rows(count: int, depth: int, units: int) -> Model:
    """Return a FULLY_CONNECTED with a scale per unit, biases beyond 16 bits and the input zero point -128."""
    random = np.random.default_rng(7)
    builder = ModelBuilder("rows")
    graph = builder.subgraph("main")
    scales = random.uniform(0.005, 0.02, units).astype(np.float32)
    x = graph.tensor("x", (count, depth), "int8", qparams(1 / 16, -128))
    weights = random.integers(-127, 128, (units, depth)).astype(np.int8)
    w = graph.constant("w", weights, qparams(scales, np.zeros(units, np.int64)))
    biases = random.integers(-60_000, 60_000, units).astype(np.int32)
    b = graph.constant("b", biases, qparams(scales / 16, np.zeros(units, np.int64)))
    y = graph.tensor("y", (count, units), "int8", qparams(float(depth) ** 0.5 / 2, 3))
    graph.add("FULLY_CONNECTED", [x, w, b], [y], version=5)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def judged(device: str, model: Model, repeat: int = 2) -> Outcome:
    """Return the outcome of a model with a single operator on a device."""
    opened = open_device(device, Limits(60.0))
    try:
        settings = Settings(arithmetics=("tflm",), kinds=("propagated", "random"), repeat=repeat)
        (verdict,) = verify(model, opened, settings).verdicts
    finally:
        opened.close()
    return verdict.outcome


#: Many outputs of few products, and few outputs of many.
LARGE, DEEP = (2200, 2, 32), (4, 300, 36)
#: Defects with varying outputs, and the number of runs of each input that the test makes to detect them.
UNSTEADY = {"the previous answer": 2, "a stale last element": 2, "one answer in 200": 120}


@pytest.mark.parametrize("shape", [LARGE, DEEP])
def test_the_program_without_a_fault_is_exact(shape: tuple[int, int, int], board: str) -> None:
    assert judged(board, rows(*shape)) is Outcome.EXACT


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_program_is_found(name: str, tmp_path: Path) -> None:
    model = rows(*LARGE) if name == "offset of 16 bits" else rows(*DEEP)
    found = judged(faulty(name, tmp_path), model, UNSTEADY.get(name, 2))
    assert found is (Outcome.FLAKY if name in UNSTEADY else Outcome.MISMATCH)


def test_a_fault_of_one_operator_is_not_laid_on_another(tmp_path: Path) -> None:
    found = outcomes(verified(faulty("no zero point", tmp_path), arithmetics=("tflm",)))
    assert found["FULLY_CONNECTED"] is Outcome.MISMATCH
    assert found["RESHAPE"] is Outcome.EXACT


def test_an_unsupported_operator_fails_if_it_is_claimed(board: str) -> None:
    for claim, verdict in {"SOFTMAX": "fails", "all": "fails", "FULLY_CONNECTED": "conforms"}.items():
        report = verified(
            board, arithmetics=("tflm",), claims=(claim,), select=("FULLY_CONNECTED", "SOFTMAX")
        )
        assert report.verdict == verdict


@pytest.mark.runtime
def test_the_program_in_python_is_exact_for_supported_operators() -> None:
    pytest.importorskip("ai_edge_litert")
    report = verified(f"command:{sys.executable} {ROOT / 'examples' / 'device.py'} {{model}} {{runs}}")
    found = outcomes(report)
    assert found.pop("SOFTMAX") is Outcome.NOT_SUPPORTED
    assert set(found.values()) == {Outcome.EXACT}
    assert "example device 1.0" in report.described


def test_a_claim_to_an_unknown_operator_is_an_error() -> None:
    with pytest.raises(ConfigError, match="did you mean 'CONV_2D'"):
        verify(load_model(MODEL), InProcess(), Settings(claims=("CONV2D",)))


def test_a_pytorch_network_becomes_int8(tmp_path: Path) -> None:
    pytest.importorskip("litert_torch", reason="litert-torch is not installed")
    subprocess.run([sys.executable, ROOT / "examples" / "pytorch.py", tmp_path], check=True)
    made = convert(tmp_path / "float.tflite", data=(str(tmp_path / "samples.npz"),))
    assert {d.becomes for d in made.conversion.plan.operators} == {"int8"}
    assert validate(load_model(tmp_path / "pt2e.tflite")).coverage["conforms"] == 10
    found = trace(tmp_path / "float.tflite", tmp_path / "pt2e.tflite", data=(str(tmp_path / "samples.npz"),))
    assert found.culprits == ()
    assert found.worst > 40
