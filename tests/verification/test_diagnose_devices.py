"""Real runtimes and a real delegate: diagnose identifies the arithmetic, and verify with this arithmetic is exact."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from litecheck.cases.probes.catalogue import probed_operators
from litecheck.devices.outcome import Outcome
from litecheck.devices.registry import open_device
from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import prepare_probes
from litecheck.diagnosis.result import Diagnosis
from litecheck.rendering.arithmetic_file import arithmetic_yaml
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings
from tests.delegate.build import delegate, device  # noqa: F401  (a fixture)
from tests.delegate.specimens import network, specimen

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

#: The variants that were measured: operator and stage -> litert:reference, litert:optimized, litert:xnnpack, tflm.
FACTS: dict[tuple[str, str], tuple[str, str, str, str]] = {
    ("CONV_2D", "requantize"): ("double", "double-half-up", "float32", "double"),
    ("DEPTHWISE_CONV_2D", "requantize"): ("double", "double-by-eight", "float32", "double"),
    ("FULLY_CONNECTED", "requantize"): ("float64", "double-half-up", "float32", "double"),
    ("ADD", "requantize"): ("double", "vectors", "21-bit", "double"),
    ("MUL", "requantize"): ("double", "vectors", "float32", "double"),
    ("MEAN", "requantize"): ("double", "optimized", "xnnpack", "double"),
    ("QUANTIZE", "requantize"): ("double", "half-up-body", "8-bit-multipliers", "double"),
    ("LEAKY_RELU", "requantize"): ("double", "double", "8-bit-multipliers", "double"),
    ("RESIZE_BILINEAR", "interpolate"): ("q10", "q10", "q11", "q10"),
}
DEVICES = ("litert:reference", "litert:optimized", "litert:xnnpack", "tflm")
OPERATORS = tuple(dict.fromkeys(opcode for opcode, _ in FACTS))


def of(name: str, *opcodes: str) -> Diagnosis:
    opened = open_device(name)
    try:
        return diagnose(opened, prepare_probes((), opcodes), jobs=2)
    finally:
        opened.close()


@pytest.mark.parametrize("name", DEVICES)
def test_runtimes_have_the_measured_arithmetic(name: str) -> None:
    module = "tflite_micro" if name == "tflm" else "ai_edge_litert"
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    found = of(name, *OPERATORS)
    for (opcode, stage), variants in FACTS.items():
        groups = [d for d in found.operators if d.opcode == opcode and stage in d.stages]
        assert len(groups) == 1, opcode
        assert not groups[0].unanswered, opcode
        named = {dict(way.stages)[stage] for way in groups[0].fits}
        assert named == {variants[DEVICES.index(name)]}, opcode
        assert not any(way.defect for way in groups[0].fits)


#: Planted fault -> operator, the step that shows it, and its name; further operators have the fault too.
FAULTS: dict[str, tuple[str, str, str]] = {
    "none": ("CONV_2D", "requantize", "double"),
    "half-up": ("CONV_2D", "requantize", "double-half-up"),
    "single-rounding": ("DEPTHWISE_CONV_2D", "requantize", "single"),
    "float32": ("FULLY_CONNECTED", "requantize", "float32"),
    "truncate": ("MEAN", "requantize", "truncate"),
    "floor": ("LEAKY_RELU", "requantize", "floor"),
    "reduced-multiplier": ("CONV_2D", "requantize", "reduced"),
    "add-single-rounding": ("ADD", "requantize", "single"),
    "no-input-zero-point": ("CONV_2D", "defect", "no-input-zero-point"),
    "no-output-clamp": ("MUL", "defect", "no-activation"),
    "wrap-output": ("QUANTIZE", "defect", "wraps"),
    "accumulator-16": ("DEPTHWISE_CONV_2D", "defect", "accumulator-16"),
    "accumulator-24": ("FULLY_CONNECTED", "defect", "accumulator-24"),
    "per-tensor-scale": ("CONV_2D", "defect", "first-weight-scale"),
    "u8s8": ("CONV_2D", "defect", "u8s8"),
    "same-padding": ("AVERAGE_POOL_2D", "defect", "padding-ahead"),
    "pool-truncate": ("AVERAGE_POOL_2D", "round", "truncate"),
}


#: Faults that are always tested: some of each step and kind.
SLICE = ("none", "single-rounding", "add-single-rounding", "no-output-clamp", "pool-truncate")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named_and_verify_is_then_exact(
    fault: str,
    delegate: Path,  # noqa: F811
    tmp_path: Path,
    beyond_the_slice: Callable[[], None],
) -> None:
    if fault not in SLICE:
        beyond_the_slice()
    opcode, stage, name = FAULTS[fault]
    models = network(), specimen(opcode)
    opcodes = sorted(
        {op.opcode for model in models for op in model.subgraphs[0].operators} & set(probed_operators())
    )
    path = tmp_path / "device.arithmetic.yaml"
    opened = open_device(device(delegate, fault=fault))
    try:
        found = diagnose(opened, prepare_probes((), opcodes), jobs=2)
        path.write_text(arithmetic_yaml(found, "test-delegate"))
        reports = [verify(model, opened, Settings(arithmetics=(str(path),), repeat=1)) for model in models]
    finally:
        opened.close()
    first = next(d for d in found.operators if d.opcode == opcode)
    assert {dict(way.stages).get(stage, way.defect) for way in first.fits} == {name}
    outcomes = [v.outcome for report in reports for v in report.verdicts]
    assert set(outcomes) <= {Outcome.EXACT, Outcome.NOT_DELEGATED}
    assert outcomes.count(Outcome.EXACT) == 6  # all but RESHAPE
