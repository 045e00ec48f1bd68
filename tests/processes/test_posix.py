"""What Linux and macOS alone have is in one module, and in the one that forks."""

from __future__ import annotations

import re
from pathlib import Path

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
