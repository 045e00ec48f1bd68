"""The simulator in C on a suite: exact without a fault, and each of some faults is detected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from litecheck.suite.claims_file import load_claims
from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.suite_writer import Scope, make
from tests.differential.npu import SOURCE, NpuFault, compile_simulator, conforms, read_faults, report
from tests.differential.npu_models import effect, read_smallest

pytestmark = pytest.mark.slow

#: Patterns of cases, and faults that they show.
SELECT = (
    "LESS/int8/geometry*",
    "SLICE/int8/open*",
    "SQUEEZE/int8/[fl]*",
    "SOFTMAX/int8/geometry-2-[0-3]",
    "TRANSPOSE/int8/*-plain",
    "CONCATENATION/int8/*-plain",
    "MINIMUM/int8/geometry*",
    "GATHER/int8/geometry*",
)
SHOWN = (120, 154, 172, 884, 908, 927)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("npu") / "suite"
    make(Scope("litert-int8", select=SELECT, arithmetics=("litert-reference",), flags=False), folder)
    return read_suite(folder)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_simulator(tmp_path_factory.mktemp("program"))


@pytest.mark.parametrize("opcode", sorted({pattern.split("/")[0] for pattern in SELECT}))
def test_the_sound_simulator_is_exact(suite: Suite, program: Path, opcode: str) -> None:
    assert conforms(program, 0, suite, opcode)


@pytest.mark.parametrize(
    "fault", [fault for fault in read_faults() if fault.number in SHOWN], ids=lambda f: str(f.number)
)
def test_a_fault_is_detected(suite: Suite, program: Path, fault: NpuFault) -> None:
    assert not conforms(program, fault.number, suite, fault.opcode)


def test_an_undetected_fault_is_printed_and_counted(suite: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    faults = [fault for fault in read_faults() if fault.number in (153, 154)]
    assert report(suite, faults, first=False, least=0.6) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "not detected: 153 SQUEEZE geometry: bytes from 256 are not copied",
        "geometry: 1 of 2 detected",
        "all: 50.0%",
    ]


def test_the_list_of_faults_is_the_list_of_the_source() -> None:
    faults = read_faults()
    used = set(map(int, re.findall(r"\bF\((\d+)\)", SOURCE.read_text("utf-8"))))
    assert {fault.number for fault in faults} == used
    assert sum(fault.kind == "geometry" for fault in faults) >= 60 <= 120 <= len(faults)


def test_the_claims_list_the_operators_that_have_faults() -> None:
    claims = load_claims(SOURCE.with_name("npu-claims.yaml"))
    assert {fault.opcode for fault in read_faults()} <= set(claims.operators)


def test_faults_from_501_show_on_their_smallest_model(program: Path) -> None:
    smallest = read_smallest()
    assert [s.number for s in smallest] == [fault.number for fault in read_faults() if fault.number > 500]
    assert [s.number for s in smallest if not effect(program, s)[1]] == []
