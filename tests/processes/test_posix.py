"""Functions of Linux and macOS only are used in a single module, and in the module that forks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import litecheck
from litecheck.processes import posix

PACKAGE = Path(litecheck.__file__).parent
linux = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(os, "fork"), reason="needs Linux"
)
SYSTEM = re.compile(
    r"import (resource|fcntl|pwd|grp|termios|select)\b|os\.(fork|killpg|setsid|getpgid|wait\w*)\b|\"/proc/"
)


def test_features_of_a_system_are_used_in_two_modules() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if SYSTEM.search(file.read_text("utf-8"))
    }
    assert found == {"processes/posix.py", "devices/job_process.py"}


def test_waiting_for_a_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        assert not posix.wait_for_output(pipe, 0.05) or sys.platform == "win32"
        os.write(writing, b"x")
        assert posix.wait_for_output(pipe, 60)
        assert pipe.read(1) == b"x"
        os.close(writing)
        assert posix.wait_for_output(pipe, 60)


def test_the_expression_finds_features_of_a_system() -> None:
    for line in ("import fcntl", "    os.killpg(1, 9)", 'Path("/proc/self/status")', "import resource"):
        assert SYSTEM.search(line)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_process_ends_itself_by_a_signal(name: str) -> None:
    """Also by a signal that it ignores until then."""
    number = int(getattr(signal, name))
    ignored = f"signal.signal({number}, signal.SIG_IGN); " if name != "SIGKILL" else ""
    text = f"import signal; from litecheck.processes.posix import end_by_signal; {ignored}end_by_signal({number})"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == -number


def _limits(monkeypatch: pytest.MonkeyPatch, hard: int) -> dict[str, tuple[int, int]]:
    """Record the limits that are set; ``hard`` is the upper limit of each."""
    import resource

    names = {getattr(resource, name): name for name in ("RLIMIT_CORE", "RLIMIT_FSIZE", "RLIMIT_AS")}
    found: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "getrlimit", lambda _: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, value: found.update({names[kind]: value}))
    return found


@linux
def test_memory_is_limited_beyond_the_present_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix, "address_space", lambda: 1000)
    found = _limits(monkeypatch, -1)
    posix.limit_memory(500)
    assert found == {"RLIMIT_CORE": (0, 0), "RLIMIT_FSIZE": (500, 500), "RLIMIT_AS": (1500, 1500)}
    assert posix.free_address_space() == float("inf")
    _limits(monkeypatch, 1200)
    assert posix.free_address_space() == 200


@linux
def test_no_limit_exceeds_the_upper_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix, "address_space", lambda: 1000)
    found = _limits(monkeypatch, 400)
    posix.limit_memory(500)
    assert found == {"RLIMIT_CORE": (0, 0), "RLIMIT_FSIZE": (400, 400), "RLIMIT_AS": (400, 400)}


@linux
def test_a_system_without_sizes_has_no_limit_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert posix.can_limit_memory()
    monkeypatch.setattr(posix, "address_space", lambda: None)
    assert not posix.can_limit_memory()
    assert posix.free_address_space() == float("inf")
    found = _limits(monkeypatch, -1)
    posix.limit_memory(500)
    assert set(found) == {"RLIMIT_CORE", "RLIMIT_FSIZE"}


@linux
def test_sizes_of_this_process() -> None:
    """The address space contains the resident memory; a list of 32 MB enlarges both."""
    size, peak = posix.address_space(), posix.peak_resident()
    held = bytearray(b"x" * (1 << 25))
    assert size is not None
    assert peak < size
    assert (posix.address_space() or 0) - size < 1 << 28
    assert posix.peak_resident() >= len(held)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_with_two_threads_is_not_forked() -> None:
    text = "import threading; from litecheck.processes.posix import can_fork; found = [can_fork()]; "
    text += (
        "go = threading.Event(); t = threading.Thread(target=go.wait); t.start(); found.append(can_fork()); "
    )
    text += "go.set(); t.join(); print(found)"
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert done.stdout == "[True, False]\n"


@linux
def test_orphans_end_and_other_children_stay() -> None:
    waiting = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
    before = posix.children()
    kept, orphan = subprocess.Popen(waiting), subprocess.Popen(waiting)
    assert posix.children() == before | {kept.pid, orphan.pid}
    posix.end_orphans(before | {kept.pid})
    assert posix.children() == before | {kept.pid}
    kept.kill()
    kept.wait()


@linux
def test_a_locked_file_cannot_be_locked_again(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with file.open("w") as first, file.open("w") as second:
        posix.flock(first.fileno())
        with pytest.raises(BlockingIOError):
            posix.flock(second.fileno())
    with file.open("w") as third:
        posix.flock(third.fileno())


@linux
def test_a_process_group_ends() -> None:
    program = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    posix.kill_group(program.pid)
    assert program.wait() == -signal.SIGKILL == posix.KILLED
    posix.kill_group(program.pid)
