"""A slice of the hostile inputs has no faults; without a protection it has faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the harness needs fork and resource limits", allow_module_level=True)

from tests.fuzz.hostile.plants import PLANTS
from tests.fuzz.hostile.without import FIXES
from tests.fuzz.seeds import FIXTURES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.runtime,
    pytest.mark.skipif(sys.platform != "linux", reason="FIFOs and /proc"),
]


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of valid files, which the first run creates."""
    pytest.importorskip("ai_edge_litert")
    return tmp_path_factory.mktemp("hostile") / "stock"


def hostile(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(FIXTURES.parent)}
    argv = [sys.executable, "-m", *arguments]
    return subprocess.run(
        argv, cwd=FIXTURES.parent, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def test_a_slice_of_all_kinds_has_no_faults(stock: Path) -> None:
    done = hostile("tests.fuzz.hostile", "--cases", "16", "--seed", "34", "--stock", str(stock))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "16 cases in" in done.stdout


#: Seeds whose first 4 cases need the protection, for protections that the slice's first 8 cases do not need.
SEEDS = {"isolation": "34", "limits": "2", "reader": "2"}


@pytest.mark.parametrize("fix", FIXES)
def test_each_disabled_protection_gives_faults(fix: str, stock: Path) -> None:
    _, kind, check = FIXES[fix]
    argv = (
        "--cases",
        "4" if fix in SEEDS else "8",
        "--seed",
        SEEDS.get(fix, "34"),
        "--stock",
        str(stock),
        "--only",
        kind,
        "--seconds",
        "5",
        "--memory",
        "1200",
    )
    done = hostile("tests.fuzz.hostile", *argv, "--without", fix)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"  {check}: " in done.stdout


def test_planted_faults_are_found(tmp_path: Path) -> None:
    done = hostile("tests.fuzz.hostile.plants", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {name: checks for name, (_, checks) in PLANTS.items()}
