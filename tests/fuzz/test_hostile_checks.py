"""Each check of hostile inputs finds a planted fault, and nothing in a run without faults."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.checks import CHECKS, Run, faults, raw
from tests.fuzz.hostile.sandbox import Sandbox


def sound(
    box: Sandbox, argv: tuple[str, ...] = ("validate", "m.tflite"), writes: tuple[str, ...] = ()
) -> Run:
    """Return a run without faults."""
    states = box.states()
    return Run(Case("x", argv, writes), box, 0, "", b"m.tflite: conforms\n", b"", states, states, ())


@pytest.fixture
def box(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "box").make()


def found(run: Run) -> dict[str, str]:
    """Return the evidence of each check that fires."""
    return {fault.check: fault.evidence for fault in faults(run)}


def test_a_valid_run_has_no_faults(box: Sandbox) -> None:
    assert found(sound(box)) == {}


def test_a_limit(box: Sandbox) -> None:
    assert found(replace(sound(box), code=None, ended="memory: 9 MB")) == {"limits": "memory: 9 MB"}


@pytest.mark.parametrize("code", [3, 70, 120, -9, -11])
def test_an_exit_code_that_is_not_documented(box: Sandbox, code: int) -> None:
    assert found(replace(sound(box), code=code)) == {"exit code": f"exit code {code}"}


@pytest.mark.parametrize("code", [0, 1, 2, 64, 74, 130, 141])
def test_documented_exit_codes(box: Sandbox, code: int) -> None:
    assert found(replace(sound(box), code=code)) == {}


@pytest.mark.parametrize(
    "text",
    [
        'Traceback (most recent call last):\n  File "/x/litecheck/a.py", line 3, in f\nValueError: x\n',
        "This is a mistake in litecheck, not in your model; please report it.\nx\n",
        "Exception ignored in: <x>\nBrokenPipeError\n",
    ],
)
def test_a_traceback(box: Sandbox, text: str) -> None:
    assert list(found(replace(sound(box), stderr=text.encode()))) == ["traceback"]


@pytest.mark.parametrize(
    "code",
    [
        0x1B,
        0x07,
        0x08,
        0x09,
        0x0D,
        0x7F,
        0x85,
        0x9B,
        0xAD,
        0x200B,
        0x200F,
        0x2028,
        0x202E,
        0x2066,
        0xFEFF,
        0xE0041,
    ],
)
def test_a_raw_character(box: Sandbox, code: int) -> None:
    for stream in ("stdout", "stderr"):
        run = replace(sound(box), **{stream: f"a{chr(code)}b\n".encode()})  # type: ignore[arg-type]
        assert found(run)["printed"].startswith(f"{stream}: raw U+{code:04X} in ")


def test_text_that_is_not_utf_8() -> None:
    assert list(raw(b"a\xff\n")) == ["not UTF-8 at byte 1"]


@pytest.mark.parametrize("line", ["::error::x", "  ::stop-commands::x", "##[error]x", "\t##vso[task.x]"])
def test_a_line_with_a_workflow_command(line: str) -> None:
    assert any(fault.startswith("a line that is a command") for fault in raw(f"a\n{line}\n".encode()))


@pytest.mark.parametrize("text", ["a ::error::x", "'::error::x'", "## heading", "é ü 数 ✅ \u05d0"])
def test_harmless_text(text: str) -> None:
    assert list(raw(text.encode())) == []


def test_annotations_of_the_format_github(box: Sandbox) -> None:
    run = replace(
        sound(box, ("validate", "-f", "github", "m")), stdout=b"::error file=m,title=a%3A b::x::error::\n"
    )
    assert found(run) == {}
    for line in (b"::error title=pwned::x\n", b"::add-mask::x\n", b"::error file=a:b::x\n"):
        assert list(found(replace(run, stdout=line))) == ["printed"]


@pytest.mark.parametrize(
    ("file", "content", "evidence"),
    [
        ("r.txt", b"a\x1b[31m\n", "raw U+001B"),
        ("r.txt", b"::error::x\n", "a line that is a command"),
        ("r.md", b"<script>pwned()</script>\n", "markup"),
        ("r.html", b"<p><img src=x onerror=pwned()></p>", "markup"),
        ("r.json", b'{"a": ', "not JSON"),
        ("r.json", b'{"a": "\xe2\x80\xae"}', "raw U+202E"),
        ("r.xml", b"<a>", "not XML"),
        ("r.csv", b"a,=cmd()\n", "a cell"),
        ("r.github", b"::add-mask::x\n", "a line that is a command"),
        ("r.py", b"def\n", "not Python"),
    ],
)
def test_a_report_with_text_that_its_format_forbids(
    box: Sandbox, file: str, content: bytes, evidence: str
) -> None:
    before = sound(box, writes=(file,))
    (box.work / file).write_bytes(content)
    assert evidence in found(replace(before, after=box.states()))["written"]


def test_files_outside_the_requested_output(box: Sandbox) -> None:
    before = sound(box, writes=("out",))
    (box.work / "out").mkdir()
    (box.work / "out" / "a.npy").write_bytes(b"x")
    (box.root / "cache" / "litecheck").mkdir()
    assert found(replace(before, after=box.states())) == {}
    with open(box.home / ".bashrc", "a") as file:
        file.write("x")
    assert found(replace(before, after=box.states())) == {"elsewhere": "changed: 'home/.bashrc'"}
    (box.home / ".bashrc").unlink()
    assert found(replace(before, after=box.states())) == {"elsewhere": "removed: 'home/.bashrc'"}


@pytest.mark.parametrize("place", ["above/x", "above/work/x", "tmp/litecheck-1", "config/x"])
def test_a_new_file_outside_the_requested_output(box: Sandbox, place: str) -> None:
    before = sound(box)
    (box.root / place).write_bytes(b"x")
    assert found(replace(before, after=box.states())) == {"elsewhere": f"written: '{place}'"}


def test_a_changed_mode_and_a_changed_link(box: Sandbox) -> None:
    os.symlink("a", box.work / "link")
    before = sound(box)
    (box.home / ".bashrc").chmod(0o777)
    (box.work / "link").unlink()
    os.symlink("b", box.work / "link")
    evidence = [fault.evidence for fault in faults(replace(before, after=box.states()))]
    assert evidence == ["changed: 'above/work/link'", "changed: 'home/.bashrc'"]


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="needs file modes as POSIX has them")
def test_a_cache_file_readable_by_all_users(box: Sandbox) -> None:
    before = sound(box)
    file = box.root / "cache" / "litecheck" / "j.jsonl"
    file.parent.mkdir()
    file.touch()
    file.chmod(0o600)
    assert found(replace(before, after=box.states())) == {}
    file.chmod(0o644)
    assert found(replace(before, after=box.states())) == {"private": "cache/litecheck/j.jsonl has mode 644"}


def test_foreign_code(box: Sandbox) -> None:
    before = sound(box)
    exec(box.python("json"))
    assert found(replace(before, after=box.states())) == {"foreign code": "json ran"}


def test_a_program_in_the_path(box: Sandbox) -> None:
    os.system(f"{box.root / 'bin' / 'gs'} --version")
    assert box.canary("gs").exists()


def test_the_content_of_a_foreign_file_in_a_message(box: Sandbox) -> None:
    secret = (box.root / "secret.yaml").read_bytes()
    assert list(found(replace(sound(box), stderr=b"error: not a profile: " + secret))) == ["disclosed"]


def test_a_process_that_still_runs(box: Sandbox) -> None:
    assert found(replace(sound(box), leftovers=("sleep 9",))) == {"processes": "still runs: sleep 9"}


def test_every_check_has_a_planted_fault() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in CHECKS if f'"{name}"' not in source] == []
    assert sys.modules[__name__]
