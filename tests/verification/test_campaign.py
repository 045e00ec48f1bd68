"""Journals, resuming and drift."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.devices.port import Answer, Failure, Job
from litecheck.devices.registry import fingerprint
from litecheck.errors import ConfigError
from litecheck.files import atomic_write
from litecheck.processes.locks import LockedError
from litecheck.verification.campaign import run
from litecheck.verification.journal import Journal, hold
from litecheck.verification.result import Verification
from litecheck.verification.serialize import from_note, journal_entry
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional


class Killed(InProcess):
    """Interrupts the program at the third case."""

    def run(self, job: Job) -> Answer | Failure:
        if len(self.jobs) == 3:
            raise KeyboardInterrupt
        return super().run(job)


def timeless(report: Verification) -> Verification:
    return replace(report, started="")


def test_a_resumed_run_repeats_no_case_and_has_the_same_report(tmp_path: Path) -> None:
    model, book = convolutional(), str(tmp_path / "journal.jsonl")
    whole = run(model, InProcess("litert-xnnpack"), Settings(), str(tmp_path / "whole.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        run(model, Killed("litert-xnnpack"), Settings(), book)
    noted = len(Path(book).read_text().splitlines()) - 1
    assert 0 < noted < 7
    device = InProcess("litert-xnnpack")
    again = run(model, device, Settings(), book, resume=True)
    assert len(device.jobs) == 7 - noted
    assert timeless(again) == timeless(whole)
    assert again.fits == whole.fits


def test_a_line_cut_short_is_run_again(tmp_path: Path) -> None:
    book = tmp_path / "journal.jsonl"
    first = run(convolutional(), InProcess(), Settings(), str(book))
    text = book.read_bytes()
    book.write_bytes(text[:-20])
    device = InProcess()
    again = run(convolutional(), device, Settings(), str(book), resume=True)
    assert device.jobs == ["0006-SOFTMAX"]
    assert timeless(again) == timeless(first)
    assert book.read_bytes() == text


@pytest.mark.parametrize("other", [Settings(seed=1), Settings(arithmetics=("tflm",)), Settings(repeat=3)])
def test_a_journal_of_another_run_is_an_error(tmp_path: Path, other: Settings) -> None:
    book = tmp_path / "journal.jsonl"
    run(convolutional(), InProcess(), Settings(), str(book))
    with pytest.raises(ConfigError, match="another run"):
        run(convolutional(), InProcess(), other, str(book), resume=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delegate:{0},fast=1", "command:python3 {0} {{model}} {{runs}}"])
def test_a_program_or_library_built_anew_is_another_device(tmp_path: Path, name: str) -> None:
    built, book = tmp_path / "built", tmp_path / "journal.jsonl"
    named = name.format(built)
    built.write_bytes(b"one")
    run(convolutional(), InProcess(name=named), Settings(), str(book))
    same = InProcess(name=named)
    assert run(convolutional(), same, Settings(), str(book), resume=True).notes == ()
    assert same.jobs == []
    built.write_bytes(b"two")
    other = InProcess(name=named)
    report = run(convolutional(), other, Settings(), str(book), resume=True)
    assert len(other.jobs) == 7
    assert "another build" in report.notes[0]
    assert json.loads(book.read_text().splitlines()[0])["program"] == fingerprint(named)


def test_another_version_of_the_device_starts_anew_and_another_device_is_refused(tmp_path: Path) -> None:
    book = str(tmp_path / "journal.jsonl")
    run(convolutional(), InProcess(), Settings(), book)
    newer = InProcess()
    newer.described = "in-process (version 2)"
    report = run(convolutional(), newer, Settings(), book, resume=True)
    assert len(newer.jobs) == 7
    assert report.described == "in-process (version 2)"
    with pytest.raises(ConfigError, match="another run"):
        run(convolutional(), InProcess(name="board"), Settings(), book, resume=True)


@pytest.mark.parametrize("content", ["my notes", "[1, 2]", '{"a": 1}'])
def test_a_file_that_is_no_journal_is_not_overwritten(tmp_path: Path, content: str) -> None:
    (tmp_path / "notes").write_text(content)
    with pytest.raises(ConfigError, match="is not a journal"):
        run(convolutional(), InProcess(), Settings(), str(tmp_path / "notes"))
    assert (tmp_path / "notes").read_text() == content


def test_without_resume_a_run_starts_over(tmp_path: Path) -> None:
    book = str(tmp_path / "journal.jsonl")
    run(convolutional(), InProcess(), Settings(), book)
    device = InProcess()
    run(convolutional(), device, Settings(seed=5), book)
    assert len(device.jobs) == 7
    assert json.loads(Path(book).read_text().splitlines()[0])["seed"] == 5


def test_an_automatic_journal_is_removed_after_the_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run(convolutional(), InProcess(), Settings())
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    with pytest.raises(KeyboardInterrupt):
        run(convolutional(), Killed(), Settings())
    device = InProcess()
    run(convolutional(), device, Settings(), resume=True)
    assert len(device.jobs) < 7


def test_drift_has_the_origin_and_growth_of_errors(tmp_path: Path) -> None:
    def off(job: Job, number: int, outputs: Arrays) -> Arrays:
        if "DEPTHWISE" in job.name:
            return (np.clip(outputs[0].astype(np.int16) + 9, -128, 127).astype(np.int8),)
        return outputs

    report = run(convolutional(), InProcess(change=off), Settings(drift=True), str(tmp_path / "j"))
    steps = {s.opcode: s for s in report.drift}
    assert [s.opcode for s in report.drift if s.entered] == ["DEPTHWISE_CONV_2D"]
    assert steps["CONV_2D"].largest == 0
    assert steps["DEPTHWISE_CONV_2D"].largest == 9
    assert steps["ADD"].largest > 0
    assert steps["ADD"].share > 0.1
    assert steps["FULLY_CONNECTED"].rms > 0


def test_drift_continues_after_a_failed_operator(tmp_path: Path) -> None:
    refusing = InProcess(instead=lambda job: Failure("refused", "no") if "ADD" in job.name else None)  # type: ignore[arg-type]
    report = run(convolutional(), refusing, Settings(drift=True, select=("0",)), str(tmp_path / "j"))
    assert [s.largest for s in report.drift] == [0] * 7


def test_a_run_that_never_began_leaves_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ConfigError):
        run(convolutional(), InProcess(), Settings(select=("NOWHERE",)))
    assert not list(tmp_path.rglob("*.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        run(convolutional(), Killed(), Settings())
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_an_interrupted_run_states_its_progress_and_the_next_command(tmp_path: Path) -> None:
    book = tmp_path / "journal.jsonl"
    with pytest.raises(KeyboardInterrupt) as stopped:
        run(convolutional(), Killed(), Settings(), str(book))
    noted = len(book.read_text().splitlines()) - 1
    assert f"interrupted: {noted} cases are done, their results are kept in {book}" in str(stopped.value)
    assert "--resume goes on" in str(stopped.value)


def test_an_interruption_before_the_first_case_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    device = Killed()
    device.jobs = ["", "", ""]
    with pytest.raises(KeyboardInterrupt, match=r"^interrupted: no case was done yet$"):
        run(convolutional(), device, Settings())
    assert list(tmp_path.rglob("*.jsonl")) == []


class Nested(InProcess):
    """Device that starts the same verification again during a run."""

    def __init__(self, start: Callable[[], object]) -> None:
        super().__init__()
        self.start, self.made = start, []

    def run(self, job: Job) -> Answer | Failure:
        if len(self.jobs) == 2:
            self.made.append(self.start())
        return super().run(job)


@pytest.mark.parametrize("resume", [False, True])
def test_two_runs_do_not_write_the_same_journal(tmp_path: Path, resume: bool) -> None:
    book = tmp_path / "journal.jsonl"

    def second() -> str:
        with pytest.raises(ConfigError, match=r"journal\.jsonl: another run of litecheck is writing"):
            run(convolutional(), InProcess(), Settings(), str(book), resume)
        return "refused"

    device = Nested(second)
    report = run(convolutional(), device, Settings(), str(book))
    assert device.made == ["refused"]
    assert len(book.read_text().splitlines()) == 8
    again = run(convolutional(), InProcess(instead=lambda job: 1 / 0), Settings(), str(book), resume=True)
    assert timeless(again) == timeless(report)


def test_a_second_run_without_a_journal_of_its_own_goes_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    device = Nested(lambda: run(convolutional(), InProcess(), Settings()))
    first = run(convolutional(), device, Settings())
    (second,) = device.made
    assert second.verdicts == first.verdicts
    assert (len(first.notes), len(second.notes)) == (0, 1)
    assert "another run of the same verification" in second.notes[0]
    assert list(tmp_path.rglob("*.jsonl")) == []


def test_a_held_file_is_free_again_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = hold(path)
    with pytest.raises(LockedError):
        hold(path)
    path.unlink()
    second = hold(path)  # the lock file was replaced
    first.close()
    with pytest.raises(LockedError):
        hold(path)
    second.close()
    hold(path).close()


class Full:
    """A file on a full disk."""

    def write(self, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        pass


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = Journal(tmp_path / "journal.jsonl", {"litecheck": "x"}, False, from_note)
    report = run(convolutional(), InProcess(), Settings(), str(tmp_path / "other.jsonl"))
    book._file = Full()
    with pytest.raises(ConfigError, match=r"journal\.jsonl: cannot be written, the disk is full$"):
        book.note(journal_entry(report.verdicts[0], frozenset()))
    book.close()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space")))
    with pytest.raises(ConfigError, match=r"x: cannot be written, the disk is full$"):
        atomic_write(tmp_path / "x", b"")
