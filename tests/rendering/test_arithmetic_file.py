"""The arithmetic file a diagnosis becomes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from litecheck.arrays import Arrays
from litecheck.cases.probes.catalogue import probed_operators
from litecheck.devices.port import Job
from litecheck.diagnosis.hypotheses import USUAL
from litecheck.diagnosis.result import Diagnosis
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.rendering.arithmetic_file import arithmetic_yaml, base_of, slug
from tests.verification.inprocess import InProcess
from tests.verification.planted import changed, of, published

pytestmark = pytest.mark.slow


def written(diagnosis: Diagnosis, folder: Path) -> Arithmetic:
    path = folder / "device.arithmetic.yaml"
    path.write_text(arithmetic_yaml(diagnosis, "Acme NPU (2)"))
    return load_arithmetic(path)


@pytest.mark.parametrize("name", USUAL)
def test_the_written_arithmetic_computes_like_the_device(name: str, tmp_path: Path) -> None:
    diagnosis = published(name)
    found, wanted = written(diagnosis, tmp_path), load_arithmetic(name)
    assert base_of(diagnosis) == name
    assert found.name == "acme-npu-2"
    for opcode in probed_operators():
        assert {**wanted.variants(opcode), **found.variants(opcode)} == found.variants(opcode)
        assert all(wanted.variants(opcode).get(s, v) == v for s, v in found.variants(opcode).items()), opcode


def test_a_conditional_variant_is_written_with_its_condition(tmp_path: Path) -> None:
    device = InProcess(changed("CONV_2D", **{"requantize": "single", "requantize/grouped": "floor"}))
    diagnosis = of(device, "CONV_2D")
    stated = yaml.safe_load(arithmetic_yaml(diagnosis, "acme"))["operators"]["CONV_2D"]["requantize"]
    assert stated == {"default": "single", "grouped": "floor"}
    found = written(diagnosis, tmp_path)
    assert diagnosis.operators == of(InProcess(found), "CONV_2D").operators


def test_a_departure_is_written_with_its_evidence(tmp_path: Path) -> None:
    device = InProcess(changed("CONV_2D", defect="wraps", requantize="single"))
    found = written(of(device, "CONV_2D", "ADD"), tmp_path)
    assert found.variants("CONV_2D")["defect"] == "wraps"
    assert found.variants("CONV_2D")["requantize"] == "single"
    assert "requantize: single, defect: wraps gives all" in found.reasons["CONV_2D"]
    assert "defect" not in found.variants("ADD")


def test_unexplained_operators_are_omitted(tmp_path: Path) -> None:
    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        return (outputs[0] ^ 1,) if "ADD" in job.name else outputs

    diagnosis = of(InProcess("litert-reference", change), "ADD", "AVERAGE_POOL_2D")
    text = arithmetic_yaml(diagnosis, "acme")
    assert "# ADD (int8): unknown\n" in text
    assert list(yaml.safe_load(text)["operators"]) == ["AVERAGE_POOL_2D"]
    assert diagnosis.exit_code == 1


def test_names_become_valid_names_of_arithmetics() -> None:
    assert slug("delegate:/a b/libAcme.so,cores=2") == "delegate-a-b-libacme.so-cores-2"
    assert slug("..") == "device"
