"""Devices whose arithmetic is known: litecheck's own kernels with something chosen or planted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.reference.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.values import RunError
from litecheck.verify.device import Answer, Arrays, Failure, Job
from litecheck.verify.diagnose import diagnose
from litecheck.verify.diagnosis import Diagnosed, Diagnosis, Way
from litecheck.verify.found import arithmetic_yaml, base_of, slug
from litecheck.verify.groups import prepared
from litecheck.verify.outcome import Outcome
from litecheck.verify.probes.catalogue import FAMILIES
from litecheck.verify.ways import USUAL
from tests.verify.inprocess import InProcess


def changed(opcode: str, base: str = "litert-reference", **stages: str) -> Arithmetic:
    found = load_arithmetic(base)
    return replace(found, stages={**found.stages, opcode: {**found.how(opcode), **stages}})


def of(device: Any, *opcodes: str, model: Model | None = None) -> Diagnosis:
    return diagnose(device, prepared(model, opcodes), jobs=1)


def one(device: Any, opcode: str) -> Diagnosed:
    """What is found about an operator's first group."""
    return of(device, opcode).operators[0]


@pytest.mark.parametrize("name", USUAL)
def test_published_arithmetics_are_recognised(name: str) -> None:
    diagnosis = of(InProcess(name))
    assert len(diagnosis.operators) >= len(FAMILIES)
    for diagnosed in diagnosis.operators:
        assert diagnosed.fits, diagnosed.opcode
        assert any(name in way.published for way in diagnosed.fits), diagnosed.opcode
        assert not any(excluded.way in diagnosed.fits for excluded in diagnosed.excluded)
    assert diagnosis.exit_code == 0


@pytest.mark.parametrize(
    ("opcode", "stages"),
    [
        ("CONV_2D", {"requantize": "single"}),
        ("CONV_2D", {"requantize": "float64-half-even"}),
        ("CONV_2D", {"requantize": "rndnu"}),
        ("CONV_2D", {"requantize": "reduced-8", "departure": "zero-padding"}),
        ("CONV_2D", {"requantize": "double", "departure": "no-bias"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "double-by-eight"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "float32", "departure": "padding-ahead"}),
        ("DEPTHWISE_CONV_2D", {"requantize": "double", "departure": "largest-weight-scale"}),
        ("FULLY_CONNECTED", {"requantize": "double", "multiplier": "float64"}),
        ("FULLY_CONNECTED", {"requantize": "float64", "departure": "accumulator-24-bias-first"}),
        ("ADD", {"requantize": "float32"}),
        ("SUB", {"requantize": "floor", "departure": "no-activation"}),
        ("AVERAGE_POOL_2D", {"round": "half-even"}),
        ("RESIZE_BILINEAR", {"interpolate": "float32-half-even"}),
        ("MEAN", {"requantize": "truncate", "departure": "no-input-zero-point"}),
        ("QUANTIZE", {"requantize": "single", "departure": "no-output-zero-point"}),
    ],
)
def test_what_is_planted_is_named(opcode: str, stages: dict[str, str]) -> None:
    found = one(InProcess(changed(opcode, **stages)), opcode)
    departure = stages.pop("departure", "")
    assert found.conclusion == "named"
    assert dict(found.fits[0].stages) == stages
    assert found.fits[0].departure == departure


def test_an_exclusion_names_an_element_that_shows_it() -> None:
    found = one(InProcess("litert-optimized"), "CONV_2D")
    double = next(e for e in found.excluded if e.way.stages == (("requantize", "double"),))
    assert double.probe.startswith("ties")
    assert double.accumulator is not None
    assert double.expected + 1 == double.actual  # half away against half up differ at negative ties
    assert 0 < double.differing < double.size
    assert f"accumulator {double.accumulator}: would be {double.expected:g}" in double.sentence


def test_an_exclusion_of_an_operator_on_elements_names_its_operands() -> None:
    found = one(InProcess("litert-xnnpack"), "ADD")
    double = next(e for e in found.excluded if e.way.stages == (("requantize", "double"),))
    (at,) = (n for n in double.index if n)
    assert double.inputs == (at // 256 - 128, at % 256 - 128)


def test_where_nothing_fits_the_nearest_is_told() -> None:
    """One element that no arithmetic explains."""

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        outputs[0].reshape(-1)[5] ^= 1
        return outputs

    found = one(InProcess("litert-optimized", change), "CONV_2D")
    assert found.conclusion == "none fits"
    assert found.fits == ()
    assert found.nearest is not None
    assert found.nearest.example.way.stages == (("requantize", "double-half-up"),)
    assert found.nearest.differing == found.probes
    assert sum(found.nearest.example.index) == 5


def test_what_is_not_answered_is_told_and_the_rest_judged() -> None:
    def instead(job: Job) -> Failure | Answer | None:
        number = int(job.name[:4])
        if number == 0:
            return Failure(Outcome.CRASHED, "SIGSEGV")
        if number == 1:
            return Answer(((np.zeros(3, np.int8),),))
        return Answer((), delegated=(False,)) if number == 2 else None

    found = one(InProcess("litert-reference", instead=instead), "ADD")
    assert found.fits[0].stages == (("requantize", "double"),)
    assert [u.outcome for u in found.unanswered] == [
        Outcome.CRASHED, Outcome.WRONG_SHAPE, Outcome.NOT_DELEGATED,
    ]  # fmt: skip
    silent = of(InProcess(instead=lambda job: Failure(Outcome.REFUSED, "no")), "ADD", "SUB")
    assert {d.conclusion for d in silent.operators} == {"not answered"}
    assert silent.exit_code == 2


def small_model() -> Model:
    builder = ModelBuilder("small")
    graph = builder.subgraph()
    q = quantized(0.07, 3)
    x, y, z, end = (graph.tensor(name, (1, 20), "int8", q) for name in "xyze")
    graph.add("ADD", [x, x], [y], version=2)
    graph.add("LEAKY_RELU", [y], [z], version=2, alpha=0.2)
    graph.add("RESHAPE", [z], [end])
    graph.inputs(x)
    graph.outputs(end)
    return builder.finish()


def test_a_models_own_operators_are_tried_too() -> None:
    device = InProcess("litert-reference")
    found = of(device, model=small_model())
    assert [d.opcode for d in found.operators] == ["ADD", "LEAKY_RELU"]
    alone = of(InProcess("litert-reference"), "ADD", "LEAKY_RELU")
    assert [d.probes for d in found.operators] == [d.probes + 2 for d in alone.operators]

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        if outputs[0].shape == (1, 20):
            outputs[0][0, 0] ^= 1
        return outputs

    wrong = of(InProcess("litert-reference", change), "ADD", model=small_model()).operators[0]
    assert wrong.nearest is not None
    assert wrong.nearest.example.probe.startswith("0000-ADD 'y'")


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(RunError, match="there are no probes for 'RESHAPE'; there are CONV_2D"):
        prepared(None, ["RESHAPE"])
    with pytest.raises(RunError, match="the model has no 'CONV_2D'; there are ADD, LEAKY_RELU"):
        prepared(small_model(), ["CONV_2D"])


# --- The arithmetic that is written -------------------------------------------------------------------------------


def written(diagnosis: Diagnosis, folder: Path) -> Arithmetic:
    path = folder / "device.arithmetic.yaml"
    path.write_text(arithmetic_yaml(diagnosis, "Acme NPU (2)"))
    return load_arithmetic(path)


@pytest.mark.parametrize("name", USUAL)
def test_what_is_written_computes_as_the_device(name: str, tmp_path: Path) -> None:
    diagnosis = of(InProcess(name))
    found, wanted = written(diagnosis, tmp_path), load_arithmetic(name)
    assert base_of(diagnosis) == name
    assert found.name == "acme-npu-2"
    for opcode in FAMILIES:
        assert {**wanted.how(opcode), **found.how(opcode)} == found.how(opcode)
        assert all(wanted.how(opcode).get(s, v) == v for s, v in found.how(opcode).items()), opcode


def test_a_departure_is_written_with_its_evidence(tmp_path: Path) -> None:
    device = InProcess(changed("CONV_2D", departure="wraps", requantize="single"))
    found = written(of(device, "CONV_2D", "ADD"), tmp_path)
    assert found.how("CONV_2D")["departure"] == "wraps"
    assert found.how("CONV_2D")["requantize"] == "single"
    assert "requantize: single, departure: wraps gives all" in found.reasons["CONV_2D"]
    assert "departure" not in found.how("ADD")


def test_what_nothing_explains_is_left_out(tmp_path: Path) -> None:
    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        return (outputs[0] ^ 1,) if "ADD" in job.name else outputs

    diagnosis = of(InProcess("litert-reference", change), "ADD", "AVERAGE_POOL_2D")
    text = arithmetic_yaml(diagnosis, "acme")
    assert "# ADD (int8): none fits\n" in text
    assert list(yaml.safe_load(text)["operators"]) == ["AVERAGE_POOL_2D"]
    assert diagnosis.exit_code == 1


def test_names_become_what_arithmetics_may_be_called() -> None:
    assert slug("delegate:/a b/libAcme.so,cores=2") == "delegate-a-b-libacme.so-cores-2"
    assert slug("..") == "device"


def test_a_way_reads_as_the_file_does() -> None:
    assert str(Way((("requantize", "single"),), "wraps")) == "requantize: single, departure: wraps"
    assert str(Way(())) == "the only way there is"
