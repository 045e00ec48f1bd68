"""Journals: permissions, rejected kinds of files, and accepted lines."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from litecheck.errors import ConfigError
from litecheck.verification.campaign import run
from litecheck.verification.journal import Journal, JournalPlaceError
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional

posix = pytest.mark.skipif(os.name == "nt", reason="rights, links and pipes as POSIX has them")
ABOUT = {"litecheck": "1"}


def opened(path: Path, resume: bool = False, private: bool = False) -> Journal[int]:
    def read(entry: Mapping[str, Any]) -> tuple[str, int]:
        if entry["value"] < 0:
            raise ConfigError("a value below 0")
        return entry["case"], entry["value"]

    return Journal(path, ABOUT, resume, read, private)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_private_journal_is_its_owners_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        opened(tmp_path / "cache" / "verify" / "j", private=True).close()
        opened(tmp_path / "named" / "j").close()
    finally:
        os.umask(before)
    private = (tmp_path / "cache", tmp_path / "cache" / "verify", tmp_path / "cache" / "verify" / "j")
    assert [mode(path) for path in private] == [0o700, 0o700, 0o600]
    assert mode(tmp_path / "named" / "j") == 0o666 & ~umask


@posix
@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_a_journal_that_is_no_file_is_refused(tmp_path: Path, kind: str, resume: bool, in_time: None) -> None:
    path = tmp_path / "j"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="expected a regular file"):
        opened(path, resume)


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"case": "b", "value": ' + b"9" * 5000 + b"}", b'{"case": "b", "value": NaN}', b"\xff",
     b'{"case": "b", "value": -1}', b'{"case": [], "value": 1}', b"3"],
)  # fmt: skip
def test_lines_from_a_damaged_one_on_are_run_again(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "j"
    book = opened(path)
    book.note({"case": "a", "value": 1})
    book.close()
    whole = path.read_bytes()
    path.write_bytes(whole + line + b'\n{"case": "c", "value": 3}\n')
    book = opened(path, resume=True)
    assert book.known == {"a": 1}
    book.close()
    assert path.read_bytes() == whole


@pytest.mark.parametrize("first", [b"[" * 100_000, b"9" * 5000, b"\xff", b"[]"])
def test_a_file_that_is_no_journal_is_not_written_over(tmp_path: Path, first: bytes) -> None:
    (tmp_path / "j").write_bytes(first + b"\n")
    with pytest.raises(JournalPlaceError, match="is not a journal; it is not written over"):
        opened(tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == first + b"\n"


@pytest.mark.parametrize("content", [b"important", b"[" * 100_000, b"\0" * 5000, b'{"other": 1}'])
def test_a_file_without_line_ends_is_not_written_over_when_resuming(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(ConfigError, match="is not a journal; it is not written over"):
        opened(tmp_path / "j", resume=True)
    assert (tmp_path / "j").read_bytes() == content
    (tmp_path / "j").write_bytes(b'{"litech')
    opened(tmp_path / "j", resume=True).close()
    assert json.loads((tmp_path / "j").read_bytes()) == ABOUT


@pytest.mark.parametrize("resume", [False, True])
def test_a_cache_folder_that_cannot_be_made_only_disables_resuming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resume: bool
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(
        "litecheck.verification.campaign.default_path", lambda about: tmp_path / "file" / "below" / "j"
    )
    done = run(convolutional(), InProcess(), Settings(), resume=resume)
    assert len(done.verdicts) == 7
    (note,) = (note for note in done.notes if "journal" in note)
    assert note.startswith("no journal is kept, so --resume cannot continue this run: ")
    with pytest.raises(ConfigError, match="cannot be written"):
        run(convolutional(), InProcess(), Settings(), str(tmp_path / "file" / "below" / "j"))


def test_a_journal_of_another_run_is_an_error_also_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "j").write_text(json.dumps({"litecheck": "2"}) + "\n")
    with pytest.raises(ConfigError, match="is the checkpoint file of another run"):
        opened(tmp_path / "j", resume=True, private=True)


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ({"seconds": 30.0}, {"seconds": 60.0}, "another run: --timeout was 30.0, is 60.0. Give"),
        (
            {"memory": 1},
            {"seconds": 2},
            "another run: --memory was 1, is null; --timeout was null, is 2. Give",
        ),
        ({"select": []}, {"select": ["ADD", "MUL"]}, "another run: select was none, is ADD, MUL. Give"),
        ({"inputs": "a" * 99}, {"inputs": "b"}, "another run: another inputs. Give"),
    ],
)
def test_an_error_names_the_options_of_another_run(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], words: str
) -> None:
    path = tmp_path / "j"
    Journal[int](path, {**ABOUT, **before}, False, lambda entry: ("", 0)).close()
    with pytest.raises(ConfigError, match=re.escape(words)):
        Journal[int](path, {**ABOUT, **now}, True, lambda entry: ("", 0))
