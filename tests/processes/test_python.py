from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import litecheck
from litecheck.processes.python import python_command, search_path

ROOT = Path(__file__).resolve().parents[2]
#: Modules that Python or litecheck's child processes import first, and that a folder of models could contain.
HOSTILE = (
    "json",
    "typing",
    "linecache",
    "importlib",
    "numpy",
    "runpy",
    "os",
    "pathlib",
    "litecheck",
    "traceback",
)


def show() -> None:
    """Print the arguments: a function for the child."""
    print(sys.argv[1:], len(sys.path))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for name in HOSTILE:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\n")
    return tmp_path


def test_modules_of_the_current_folder_do_not_run(hostile: Path) -> None:
    command = python_command("tests.processes.test_python:show", "-c", "", "two words")
    done = subprocess.run(command, cwd=hostile, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("['-c', '', 'two words']")
    assert not (hostile / "ran").exists()


def test_the_current_folder_would_run_without_isolation(hostile: Path) -> None:
    """The control: the start that litecheck used before."""
    program = "import json, sys; from litecheck.version import __version__"
    subprocess.run([sys.executable, "-c", program], cwd=hostile, capture_output=True, check=False)
    assert (hostile / "ran").exists()


def test_the_search_path_is_absolute_and_without_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "relative", *sys.path])
    path = search_path()
    assert "" not in path
    assert path[0] == str(Path("relative").absolute())
    assert str(Path(litecheck.__file__).resolve().parents[1]) in path


def test_litecheck_is_found_without_the_current_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(ROOT))])
    assert search_path()[-1] == str(ROOT)
