"""Foreign modules, programs and settings in the current folder, and streams that are closed, full or without a reader."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case, Stdout
from tests.fuzz.hostile.commands import (
    Line,
    convert_model,
    diagnose_model,
    judge_model,
    line,
    reports,
    run_model,
    show_model,
    verify_model,
)
from tests.fuzz.hostile.sandbox import PROGRAMS, Sandbox
from tests.fuzz.hostile.stock import FLOAT, RUNTIME, SMALL

#: Modules that commands import only in some cases, or only in their children, and modules that Python itself looks for.
OPTIONAL = (
    "sitecustomize", "usercustomize", "numba", "tensorflow", "ai_edge_litert", "ai_edge_quantizer", "tflite_runtime", "openvino",
    "dask", "distributed", "PIL", "cryptography", "ethosu", "tomllib", "tomli", "onnx", "pwd", "resource", "ctypes", "multiprocessing",
    "pickle", "linecache", "traceback", "site", "encodings", "codecs", "readline", "rlcompleter", "colorama", "pygments",
)  # fmt: skip
#: Files that libraries read from the current folder.
SETTINGS = {
    ".numba_config.yaml": "enable_cuda: 1\ndebug: 1\ncache_dir: pwned\n", "setup.cfg": "[x]\n", ".env": "PYTHONPATH=.\n",
    "dask.yaml": "distributed: {}\n", "pyvenv.cfg": "home = .\n", "python311._pth": ".\nimport site\n", "x.pth": "import json\n",
}  # fmt: skip


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write modules of names that litecheck or its children import into the current folder, and any command."""
    names = importable()
    several = rng.choice((1, 5, len(names)))
    for name in rng.sample(names, several):
        place = box.work / name
        if rng.random() < 0.2:
            place.mkdir()
            place /= "__init__"
        place.with_suffix(".py").write_text(box.python(name), encoding="utf-8")
    for file, content in SETTINGS.items():
        (box.work / file).write_text(content, encoding="utf-8")
    for program in PROGRAMS:
        box.program(box.work / program)
    words, writes, isolated = _command(rng, box, stock)
    return Case(f"{several} modules", words, writes, alone=not isolated)


def importable() -> list[str]:
    """Return the names of modules that a file in the current folder may shadow: those that this process has imported.

    Only litecheck's own imports count, so that the list does not depend on the test program.
    """
    names = {name.partition(".")[0] for name in sys.modules}
    ours = {"tests", "fixtures", "litecheck", "__main__", "pytest", "_pytest", "pluggy", "conftest"}
    return sorted({*OPTIONAL, *(n for n in names if n.isidentifier() and n not in (*ours, *sys.builtin_module_names))})


def _command(rng: Random, box: Sandbox, stock: Path) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return a command line, its outputs, and True if only the children of the command are of interest."""
    for one in (SMALL, FLOAT, "x.npy", "samples.npz", "claims.yaml"):
        shutil.copy(stock / one, box.work)
    for folder in ("suite", "results", "images"):
        if (stock / folder).is_dir():
            shutil.copytree(stock / folder, box.work / folder)
    if RUNTIME and rng.random() < 0.6:
        return (*rng.choice(_with_children(rng)), rng.random() < 0.7)
    lines = [
        judge_model(rng, SMALL), show_model(rng, SMALL), run_model(rng, SMALL), convert_model(rng, FLOAT), line("rules"),
        line("explain", "CONV_2D"), line("suite", "judge", "suite", "results", reports(rng, "suite")),
        line("compare", "x.npy", "x.npy"), line("suite", "prove", "suite"), line("certify", "suite", "results", "--claims", "claims.yaml"),
        line("suite", "make", "--select", "LOGISTIC", "--level", "smoke", "-j", "2", (("-o", "made"), ("made",))),
        line("quantize", "x.npy", "--scale", "1", (("-o", "o.npy"), ("o.npy",))), line("--help"), line("--version"),
    ]  # fmt: skip
    return (*rng.choice(lines), False)


def _with_children(rng: Random) -> list[Line]:
    """Return commands that start Python processes."""
    new = (("-o", "new"), ("new",))
    return [
        verify_model(rng, SMALL, RUNTIME), verify_model(rng, SMALL, RUNTIME, "-j", "2"), diagnose_model(rng, SMALL, RUNTIME),
        line("suite", "run", "suite", "-d", RUNTIME, "--timeout", "5", new),
        line("convert", FLOAT, "--data", "samples.npz", (("-o", "o.tflite"), ("o.tflite",)), "--device", RUNTIME),
        line("convert", FLOAT, "--data", "samples.npz", (("-o", "o.tflite"), ("o.tflite",)), "--compare"),
        line("validate", SMALL, "-p", "ethos-u55", "--compile"),
    ]  # fmt: skip


def make_streams(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Run a sound command with stdout or stderr closed, full or without a reader."""
    words, writes, _ = _command(rng, box, stock)
    wrong = rng.random() < 0.3
    if wrong:
        words = (*words[:1], "--nonsense", *words[1:])
    closed = rng.random() < 0.5
    modes: tuple[Stdout, ...] = ("file", "full", "broken pipe", "closed")
    stdout = rng.choice(modes)
    return Case(f"stdout {stdout}{', stderr closed' if closed else ''}", words, writes, True, stdout=stdout, closed_stderr=closed)
