"""Import directions of the package, checked by import-linter's contracts, and modules that validation must
not load."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOREIGN = ("tensorflow", "ai_edge_litert", "onnx", "jsonschema")


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a tree with the contracts of pyproject.toml."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    env = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_contracts_are_kept() -> None:
    pytest.importorskip("importlinter", reason="needs import-linter")
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout


#: A line added to a module, and the contract that it breaks.
BROKEN = {
    "upwards": ("model/load.py", "import litecheck.cli.app", "imports only from those below"),
    "through the public names": (
        "model/load.py",
        "from litecheck import validate",
        "imports only from those below",
    ),
    "inside a function": (
        "quantization.py",
        "def read():\n    from litecheck.checks import scale",
        "imports only from those below",
    ),
    "a library": ("verification/case_verdict.py", "import rich.console", "The terminal"),
    "a runtime": ("verification/case_verdict.py", "import ai_edge_litert.interpreter", "Runtimes"),
}


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_contract_is_named(name: str, tmp_path: Path) -> None:
    pytest.importorskip("importlinter", reason="needs import-linter")
    module, line, contract = BROKEN[name]
    shutil.copytree(ROOT / "litecheck", tmp_path / "litecheck", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = tmp_path / "litecheck" / module
    file.write_text(f"{file.read_text()}\n{line}\n")
    done = linted(tmp_path)
    assert done.returncode == 1
    broken = [row for row in done.stdout.splitlines() if " BROKEN" in row]
    assert [row for row in broken if contract in row]


def loaded_by(code: str, *arguments: str) -> set[str]:
    """Return the top-level modules loaded after running code in a new process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ending = "\nimport sys\nprint(*sorted({name.split('.')[0] for name in sys.modules}), sep=',')"
    command = [sys.executable, "-c", code + ending, *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.splitlines()[-1].split(","))


def test_importing_litecheck_loads_no_large_library() -> None:
    assert not loaded_by("import litecheck") & {"numpy", "yaml", "typer", "rich", *FOREIGN}


def test_validating_a_model_loads_no_runtime() -> None:
    code = "import litecheck, sys; litecheck.validate(litecheck.load_model(sys.argv[1]))"
    loaded = loaded_by(code, str(ROOT / "fixtures" / "conv_int8.tflite"))
    assert "numpy" in loaded
    assert not loaded & {"typer", "rich", *FOREIGN}


def test_validating_a_model_does_not_load_conversion() -> None:
    code = (
        "from litecheck.cli import main\nimport sys\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not [n for n in sys.modules if n.startswith('litecheck.conversion')]"
    )
    assert "litecheck" in loaded_by(code, "validate", str(ROOT / "fixtures" / "conv_int8.tflite"))


def test_the_command_loads_no_runtime() -> None:
    code = (
        "from litecheck.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
    )
    model = str(ROOT / "fixtures" / "conv_int8.tflite")
    assert not loaded_by(code, "validate", model) & {"pydantic", *FOREIGN}


def test_a_conversion_without_a_comparison_loads_no_module_that_compares() -> None:
    code = (
        "import sys\nfrom litecheck.conversion.pipeline import convert_model\n"
        "convert_model(sys.argv[1], random=1, device='litecheck', agreement=False)\n"
        "loaded = {n.rpartition('.')[2] for n in sys.modules if n.startswith('litecheck.conversion')}\n"
        "assert 'planning' in loaded\n"
        "assert not loaded & {'agreement', 'fixes', 'precision_budget', 'rerun', 'sensitivity'}"
    )
    assert "numpy" in loaded_by(code, str(ROOT / "fixtures" / "float_detector.tflite"))
