"""Devices with a known arithmetic: litecheck's own kernels with a chosen variant or a planted defect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.cases.probes.catalogue import probed_operators
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.diagnosis.hypotheses import USUAL
from litecheck.diagnosis.result import OperatorDiagnosis
from litecheck.rendering.wording.hypotheses import excluded_sentence
from tests.verification.inprocess import InProcess
from tests.verification.planted import changed, of, published, two_operators


def first_group(device: Any, opcode: str) -> OperatorDiagnosis:
    """Return the diagnosis of an operator's first group."""
    return of(device, opcode).operators[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", USUAL)
def test_published_arithmetics_are_recognised(name: str) -> None:
    diagnosis = published(name)
    assert len(diagnosis.operators) >= len(probed_operators())
    for diagnosed in diagnosis.operators:
        assert diagnosed.fits, diagnosed.opcode
        assert any(name in way.published for way in diagnosed.fits), diagnosed.opcode
        assert not any(excluded.way in diagnosed.fits for excluded in diagnosed.excluded)
    assert diagnosis.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opcode", "stages"),
    [
        ("CONV_2D", {"requantize": "single"}),
        ("CONV_2D", {"requantize": "float64-half-even"}),
        ("CONV_2D", {"requantize": "rndnu"}),
        ("CONV_2D", {"requantize": "half-even-16-bits-once"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "half-away-8-bits-twice"}),
        ("CONV_2D", {"requantize": "reduced-8", "defect": "zero-padding"}),
        ("CONV_2D", {"requantize": "double", "defect": "no-bias"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "double-by-eight"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "float32", "defect": "padding-ahead"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "double", "defect": "largest-weight-scale"}),
        ("FULLY_CONNECTED", {"requantize": "double", "multiplier": "float64"}),
        ("FULLY_CONNECTED", {"requantize": "float64", "defect": "accumulator-24-bias-first"}),
        ("ADD", {"requantize": "float32"}),
        ("SUB", {"requantize": "floor", "defect": "no-activation"}),
        ("AVERAGE_POOL_2D", {"round": "half-even"}),
        ("RESIZE_BILINEAR", {"interpolate": "float32-half-even"}),
        ("MEAN", {"requantize": "truncate", "defect": "no-input-zero-point"}),
        ("QUANTIZE", {"requantize": "single", "defect": "no-output-zero-point"}),
    ],
)
def test_a_planted_variant_or_defect_is_named(opcode: str, stages: dict[str, str]) -> None:
    found = first_group(InProcess(changed(opcode, **stages)), opcode)
    defect = stages.pop("defect", "")
    assert found.conclusion == "identified"
    assert dict(found.fits[0].stages) == stages
    assert found.fits[0].defect == defect


def test_groups_of_one_operator_have_the_condition_that_distinguishes_them() -> None:
    silent = InProcess("litert-reference", instead=lambda job: Failure(Outcome.CRASHED, job.name))
    forms = {opcode: [d.form for d in of(silent, opcode).operators] for opcode in ("CONV_2D", "ADD")}
    assert forms == {"CONV_2D": ["int8", "int8, grouped"], "ADD": ["int8"]}


def test_an_exclusion_has_an_example_element() -> None:
    found = first_group(InProcess("litert-optimized"), "CONV_2D")
    double = next(e for e in found.excluded if e.way.stages == (("requantize", "double"),))
    assert double.probe.startswith("ties")
    assert double.accumulator is not None
    assert double.expected + 1 == double.actual  # half away and half up differ at negative ties
    assert 0 < double.differing < double.size
    assert f"accumulator {double.accumulator}: would be {double.expected:g}" in excluded_sentence(double)


def test_an_exclusion_of_an_operator_on_elements_names_its_operands() -> None:
    found = first_group(InProcess("litert-xnnpack"), "ADD")
    double = next(e for e in found.excluded if e.way.stages == (("requantize", "double"),))
    (at,) = (n for n in double.index if n)
    assert double.inputs == (at // 256 - 128, at % 256 - 128)


@pytest.mark.slow
def test_without_a_match_the_nearest_hypothesis_is_reported() -> None:
    """No arithmetic explains a single changed element."""

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        if outputs[0].size > 5:
            outputs[0].reshape(-1)[5] ^= 1
        return outputs

    found = first_group(InProcess("litert-optimized", change), "CONV_2D")
    assert found.conclusion == "unknown"
    assert found.fits == ()
    assert found.nearest is not None
    assert found.nearest.example.way.stages == (("requantize", "double-half-up"),)
    assert found.nearest.differing == found.probes + 3  # a probe has four inputs
    assert sum(found.nearest.example.index) == 5


def test_failed_probes_are_reported_and_the_rest_is_compared() -> None:
    def instead(job: Job) -> Failure | Answer | None:
        number = int(job.name[:4])
        if number == 0:
            return Failure(Outcome.CRASHED, "SIGSEGV")
        if number == 1:
            return Answer(((np.zeros(3, np.int8),),))
        return Answer((), delegated=(False,)) if number == 2 else None

    found = first_group(InProcess("litert-reference", instead=instead), "ADD")
    assert found.fits[0].stages == (("requantize", "double"),)
    assert [u.outcome for u in found.unanswered] == [
        Outcome.CRASHED, Outcome.WRONG_SHAPE, Outcome.NOT_DELEGATED,
    ]  # fmt: skip
    silent = of(InProcess(instead=lambda job: Failure(Outcome.REFUSED, "no")), "ADD", "SUB")
    assert {d.conclusion for d in silent.operators} == {"not answered"}
    assert silent.exit_code == 2


def test_a_models_own_operators_are_tried_too() -> None:
    device = InProcess("litert-reference")
    found = of(device, model=two_operators())
    assert [d.opcode for d in found.operators] == ["ADD", "LEAKY_RELU"]
    alone = of(InProcess("litert-reference"), "ADD", "LEAKY_RELU")
    assert [d.probes for d in found.operators] == [d.probes + 2 for d in alone.operators]

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        if outputs[0].shape == (1, 32):
            outputs[0][0, 0] ^= 1
        return outputs

    wrong = of(InProcess("litert-reference", change), "ADD", model=two_operators()).operators[0]
    assert wrong.nearest is not None
    assert wrong.nearest.example.probe.startswith("#0, ")
