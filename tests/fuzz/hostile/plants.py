"""Planted faults in place of litecheck: ``python -m tests.fuzz.hostile.plants FOLDER`` prints the checks that find them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.hostile import process, server
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.kinds import KINDS
from tests.fuzz.hostile.process import Limits


def nothing() -> None:
    """Do nothing: no check may fire."""


def wait() -> None:
    """Wait endlessly for a writer of a FIFO."""
    os.mkfifo("out")
    open("out").close()


def compute() -> None:
    """Use the processor endlessly."""
    while True:
        pass


def allocate() -> None:
    """Allocate memory and free it before the end."""
    content = bytearray(b"x") * (600 << 20)
    time.sleep(0.1)
    del content


def child_allocates() -> None:
    """Allocate memory in a grandchild process, in a different session."""
    code = "import time; x = bytearray(b'x') * (600 << 20); time.sleep(1)"
    subprocess.run(["sh", "-c", f'setsid {sys.executable} -c "{code}"; true'], check=False)


def orphan() -> None:
    """Leave a process that has left its session and its parent."""
    subprocess.run(["sh", "-c", "setsid sleep 60 & exit 0"], check=False)


def crash() -> None:
    """End by a signal."""
    os.abort()


def fail() -> None:
    """Raise an exception that litecheck does not handle."""
    raise ValueError("x")


def write_elsewhere() -> None:
    """Write into the home folder."""
    Path(os.environ["HOME"], "x").write_text("x")


def stay_in_temporary() -> None:
    """Leave a temporary file."""
    Path(os.environ["TMPDIR"], "x").write_text("x")


def start_program() -> None:
    """Start a program with a name from PATH."""
    subprocess.run(["gs", "--version"], check=False)


PLANTS: dict[str, tuple[Callable[[], None], list[str]]] = {
    plant.__name__: (plant, checks)
    for plant, checks in (
        (nothing, []),
        (wait, ["limits"]),
        (compute, ["limits"]),
        (allocate, ["limits"]),
        (child_allocates, ["limits"]),
        (orphan, ["processes"]),
        (crash, ["exit code"]),
        (fail, ["traceback"]),
        (write_elsewhere, ["elsewhere"]),
        (stay_in_temporary, ["elsewhere"]),
        (start_program, ["foreign code"]),
    )
}


def main() -> None:
    """Run each plant as the command of a case, and print the checks that fire."""
    from litecheck import cli

    folder = Path(sys.argv[1])
    process.adopt_orphans()
    process.IDLE = 2.0
    found = {}
    for name, (plant, _) in PLANTS.items():
        cli.main = plant
        KINDS[name] = (1, lambda rng, box, stock: Case("planted", ("x",), ("out",)))
        result = server.run_case(0, 0, name, folder / name, folder, Limits(3, 400 << 20))
        found[name] = sorted({fault.check for fault in result.faults})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
