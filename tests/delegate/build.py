"""The test delegate as a shared library, compiled once for each session, and the ``--device`` text that loads it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-fvisibility=hidden", "-shared")


def compiled(folder: Path) -> Path:
    """Return the library built in ``folder``; skip the test if it cannot be built or used."""
    if sys.platform != "linux":
        pytest.skip("the test delegate is built on Linux only")
    compiler = shutil.which(os.environ.get("CC", "gcc"))
    if compiler is None:
        pytest.skip("gcc, which builds the test delegate, is not installed")
    if importlib.util.find_spec("ai_edge_litert") is None:
        pytest.skip("ai-edge-litert, which would load the test delegate, is not installed")
    library = folder / "libtestdelegate.so"
    sources = sorted(str(path) for path in SOURCES.glob("*.c"))
    made = subprocess.run(
        [compiler, *FLAGS, *sources, "-o", str(library), "-lm"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return library


@pytest.fixture(scope="session")
def delegate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the test delegate's library."""
    return compiled(tmp_path_factory.mktemp("delegate"))


def device(library: Path, **options: str) -> str:
    """Return the argument of ``--device``. Example: ``device(library, ops="CONV_2D+ADD", fault="half-up")``."""
    return ",".join([f"delegate:{library}", *(f"{key}={value}" for key, value in options.items())])
