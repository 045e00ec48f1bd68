"""Jobs of misbehaving devices have the same outcome on a system with fork and on a simulated system without fork."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.portable.misbehavior import MODES

HERE = Path(__file__).resolve().parent
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="compares with a system that has fork")


def outcomes(simulated: bool, *modes: str) -> dict[str, str]:
    path = [*([str(HERE)] if simulated else []), str(HERE.parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, "-m", "tests.portable.misbehavior", *modes]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_misbehaving_devices_end_equally_with_and_without_fork() -> None:
    with ThreadPoolExecutor() as side_by_side:  # some modes wait for their time limit
        with_fork, without_fork = side_by_side.map(outcomes, (False, True))
    assert with_fork.keys() == set(MODES)
    assert without_fork == with_fork
    assert len(set(with_fork.values())) > 6


def test_the_simulated_system_has_no_fork() -> None:
    """The simulated system hides fork, so that the comparison is not of a system with itself."""
    program = "import os, sys; from litecheck.processes import posix; print(posix.can_fork(), posix.can_limit_memory())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE.parents[1])))}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"], done.stderr


@pytest.mark.parametrize("mode", ["", "child"])
def test_a_job_leaves_no_process(mode: str) -> None:
    assert outcomes(True, mode) == {mode: "answer"}
