"""A changed module is imported in place of the module of the checkout, also in started processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.mutation.targets import ROOT

_PROGRAM = """
import subprocess, sys
from pathlib import Path
from tests.mutation import overlay
overlay.install("litecheck.spelling", Path("litecheck/spelling.py").resolve(), Path(sys.argv[1]))
program = "import litecheck.spelling as s, litecheck.version as v; print(s.CHANGED, s.__file__, v.__version__)"
exec(program)
subprocess.run([sys.executable, "-c", program], check=True)
"""


def test_a_changed_module(tmp_path: Path) -> None:
    changed = tmp_path / "mutant.py"
    changed.write_text((ROOT / "litecheck/spelling.py").read_text("utf-8") + "\nCHANGED = 'yes'\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-uc", _PROGRAM, str(changed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    own, child = done.stdout.splitlines()
    assert own == child
    assert own.startswith(f"yes {ROOT / 'litecheck' / 'spelling.py'} ")
    bare = subprocess.run(
        [sys.executable, "-c", "import litecheck.spelling as s; print(hasattr(s, 'CHANGED'))"], cwd=ROOT,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert bare.stdout == "False\n"
