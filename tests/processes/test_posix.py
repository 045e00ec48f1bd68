"""What Linux and macOS alone have is in one module, and in the one that forks."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import litecheck

PACKAGE = Path(litecheck.__file__).parent
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


def test_the_expression_finds_them() -> None:
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
