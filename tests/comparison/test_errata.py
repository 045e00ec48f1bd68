"""Known faults of LiteRT: found for the device, operator and types they concern, and for no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.comparison import errata as module
from litecheck.comparison.errata import faults, known_fault
from litecheck.data import rules_dir
from litecheck.devices.outcome import Outcome
from litecheck.errors import ProfileError


def test_every_fault_of_the_file_is_read() -> None:
    text = (rules_dir() / "arithmetic" / "known-faults.yaml").read_text("utf-8")
    assert len(faults()) == text.count("- operator: ")
    assert all(f.operators and f.types and f.resolvers and f.versions and f.does for f in faults())


def test_a_fault_is_told_with_its_version() -> None:
    told = known_fault("litert:reference", "SUM", {"int8", "int32"}, Outcome.MISMATCH)
    assert told == (
        "ai-edge-litert 2.3.0: SUM reads its input and writes its output as uint8, and keeps the int8 zero points"
    )


def test_an_operator_listed_with_others_and_a_device_with_options() -> None:
    assert "empty input" in known_fault(
        "litert:xnnpack,threads=2", "REDUCE_MIN", ["float32"], Outcome.MISMATCH
    )


def test_two_faults_are_both_told() -> None:
    told = known_fault("litert:xnnpack", "BATCH_MATMUL", {"float32", "int8"}, Outcome.MISMATCH)
    assert told.count("ai-edge-litert 2.3.0") == 1
    assert told.count(", and ") == 1


def test_only_a_fault_that_ends_like_that_is_told() -> None:
    told = {o: known_fault("litert:reference", "HARD_SWISH", {"int8"}, o) for o in Outcome}
    assert "2^-9" in told.pop(Outcome.MISMATCH)
    assert "fails to load" in told.pop(Outcome.REFUSED)
    assert not any(told.values())


def test_a_fault_may_need_another_operand_of_some_type() -> None:
    def told(*dtypes: str) -> str:
        return known_fault("litert:reference", "FULLY_CONNECTED", dtypes, Outcome.MISMATCH)

    assert "blockwise scales" in told("float32", "int4")
    assert told("float32", "float32") == ""


@pytest.mark.parametrize(
    ("device", "opcode", "dtypes"),
    [
        ("litert:optimized", "REDUCE_MAX", {"float32"}),
        ("litert:reference", "SUM", {"float32"}),
        ("litert:reference", "CONV_2D", {"int8"}),
        ("litert:reference", "ELUX", {"int8"}),
        ("tflm", "SUM", {"int8"}),
        ("delegate:/litert:reference", "SUM", {"int8"}),
    ],
)
def test_nothing_is_known_of_others(device: str, opcode: str, dtypes: set[str]) -> None:
    assert not any(known_fault(device, opcode, dtypes, outcome) for outcome in Outcome)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("faults: none", "faults is a list"),
        ("faults: [{operator: ADD}]", "without types, resolvers, versions, does, evidence"),
        ("faults: [{operater: ADD}]", "did you mean 'operator'"),
        ("fault: []", "did you mean 'faults'"),
    ],
)
def test_a_broken_file_is_refused(
    content: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "arithmetic"
    folder.mkdir()
    (folder / "known-faults.yaml").write_text(content)
    monkeypatch.setattr(module, "rules_dir", lambda: tmp_path)
    with pytest.raises(ProfileError, match=r"known-faults\.yaml:1") as error:
        faults.__wrapped__()
    assert message in str(error.value)
