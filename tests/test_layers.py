"""The import direction of the package, and what judging a model must never load."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "litecheck"

#: A module imports from its own folder and from the groups before it; only the leaves may know each other.
GROUPS = (
    {"errors", "quantization", "report", "data", "files", "arrays"},
    {"flatbuffer"},
    {"model"},
    {"profile"},
    {"quantizer"},
    {"checks", "reference"},
    {"cases"},
    {"devices"},
    {"compare"},
    {"verify"},
    {"diagnose"},
    {"suite"},
    {"convert"},
    {"render"},
    {"cli"},
)
RANKS = {name: rank for rank, names in enumerate(GROUPS) for name in names}
#: These stand above all groups: the list of public names, and the program.
ABOVE = {"__init__", "__main__"}
FOREIGN = ("tensorflow", "ai_edge_litert", "onnx", "jsonschema")

MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def group_of(module: Path) -> str:
    return module.parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[tuple[str, int]]:
    """The absolute names of every import, also those inside functions, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield node.module or "", node.lineno
            if node.module == "litecheck":
                yield from ((f"litecheck.{alias.name}", node.lineno) for alias in node.names)


def upward(module: Path, source: str) -> list[str]:
    """The imports of a module that lead to its own group's other folders, or to a group behind it."""
    group = group_of(module)
    below = {name for name, rank in RANKS.items() if rank < max(RANKS[group], 1)}
    found = []
    for name, line in imported(source):
        parts = name.split(".")
        if parts[0] == "litecheck" and len(parts) > 1 and parts[1] in set(RANKS) - below - {group}:
            found.append(f"litecheck/{module}:{line} imports {name}")
    return found


def test_every_module_belongs_to_a_group() -> None:
    assert {group_of(m) for m in MODULES} <= set(RANKS) | ABOVE


@pytest.mark.parametrize("module", [m for m in MODULES if group_of(m) not in ABOVE], ids=str)
def test_imports_lead_down(module: Path) -> None:
    assert upward(module, (PACKAGE / module).read_text()) == []


def test_an_upward_import_is_seen_wherever_it_stands() -> None:
    source = "def read():\n    from litecheck.checks import scale\n    import litecheck.cli.app\n"
    assert len(upward(Path("model/load.py"), source)) == 2
    assert (
        upward(Path("render/text.py"), "from litecheck import report\nfrom litecheck.checks import scale")
        == []
    )
    assert len(upward(Path("report.py"), "from litecheck import render")) == 1
    assert (
        len(
            upward(
                Path("reference/kernels/conv.py"),
                "import litecheck.checks.scale, litecheck.reference.engine",
            )
        )
        == 1
    )


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The top-level modules loaded after running code in a new process."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ending = "\nimport sys\nprint(*sorted({name.split('.')[0] for name in sys.modules}), sep=',')"
    command = [sys.executable, "-c", code + ending, *arguments]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.splitlines()[-1].split(","))


def test_importing_litecheck_loads_nothing_heavy() -> None:
    assert not loaded_by("import litecheck") & {"numpy", "yaml", "typer", "rich", *FOREIGN}


def test_judging_a_model_loads_no_runtime() -> None:
    code = "import litecheck, sys; litecheck.validate(litecheck.load_model(sys.argv[1]))"
    loaded = loaded_by(code, str(ROOT / "fixtures" / "conv_int8.tflite"))
    assert "numpy" in loaded
    assert not loaded & {"typer", "rich", *FOREIGN}


def test_the_command_loads_no_runtime() -> None:
    code = (
        "from litecheck.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
    )
    model = str(ROOT / "fixtures" / "conv_int8.tflite")
    assert not loaded_by(code, "validate", model) & {"pydantic", *FOREIGN}
