from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from litecheck.processes.child import ChildProcess, exit_name
from litecheck.processes.memory import MemoryWatch, peak_memory
from litecheck.processes.posix import peak_resident

#: Starts a program in its own session, prints its process ID, and waits.
_PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(600)
"""


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def ended(pid: int) -> bool:
    """Return True once the process has ended, at the latest after ten seconds."""
    for _ in range(200):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(("code", "name"), [(3, "status 3"), (-11, "SIGSEGV"), (-63, "signal 63")])
def test_exit_codes_have_names(code: int, name: str) -> None:
    assert exit_name(code) == name


def test_a_descendant_in_another_session_ends_with_the_program() -> None:
    with ChildProcess(python(_PARENT), stdout=subprocess.PIPE) as child:
        grandchild = int(child.stdout.readline())
        assert psutil.pid_exists(grandchild)
    assert not child.alive
    assert ended(grandchild)


def test_a_time_limit_ends_a_read() -> None:
    program = python("import time; print('first', flush=True); time.sleep(600)")
    with ChildProcess(program, stdout=subprocess.PIPE) as child:
        with child.time_limit(60) as ample:
            assert child.stdout.readline().strip() == b"first"
        assert not ample.exceeded
        assert child.alive
        with child.time_limit(0.2) as short:
            assert child.stdout.read() == b""
        assert short.exceeded


def test_lines_are_read_one_by_one_within_a_time_limit() -> None:
    program = "import time; print('one\\ntwo\\nthr', end='', flush=True); time.sleep(0.3); print('ee\\nend', end='')"
    with ChildProcess(python(program), stdout=subprocess.PIPE) as child:
        lines = [child.read_line(60).rstrip() for _ in range(5)]
        assert lines == [b"one", b"two", b"three", b"end", b""]
    silent = python("import time; print('first', flush=True); time.sleep(600)")
    with ChildProcess(silent, stdout=subprocess.PIPE) as child:
        assert child.read_line(60).strip() == b"first"
        assert child.alive
        assert child.read_line(0.2) == b""
        assert not child.alive


def test_closing_with_patience_lets_the_program_finish(tmp_path: Path) -> None:
    program = f"import sys; sys.stdin.read(); open({str(tmp_path / 'finished')!r}, 'w').close()"
    child = ChildProcess(python(program), stdin=subprocess.PIPE, patience=30)
    child.close()
    assert (tmp_path / "finished").exists()
    assert child.process.returncode == 0


def test_closed_is_called_once() -> None:
    calls: list[int] = []
    child = ChildProcess(python("pass"), closed=lambda: calls.append(1))
    child.close()
    child.close()
    assert calls == [1]


def test_variables_are_added_to_the_environment() -> None:
    program = python("import os; print(os.environ['LITECHECK_TEST'], 'PATH' in os.environ)")
    with ChildProcess(program, stdout=subprocess.PIPE, environment={"LITECHECK_TEST": "x"}) as child:
        assert child.stdout.read().split() == [b"x", b"True"]


def test_memory_of_a_descendant_counts_and_has_a_limit() -> None:
    inner = "block = b'x' * (200 << 20); import time; time.sleep(600)"
    program = python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])")
    with (
        ChildProcess(program) as child,
        MemoryWatch(child.process.pid, 100 << 20, child.kill) as watch,
        child.time_limit(60) as limit,
    ):
        child.process.wait()
    assert not limit.exceeded
    assert watch.exceeded
    assert 100 << 20 < watch.most < 400 << 20


@pytest.mark.skipif(not peak_resident(), reason="the system does not say")
def test_peak_memory_includes_freed_memory() -> None:
    block = bytearray(b"x") * (64 << 20)
    del block
    assert peak_memory() > 64 << 20
