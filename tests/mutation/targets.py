"""The tests that a mutant of a module runs: the mirrored file, or the documented fallback."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class MirroredTests:
    """Test files of one module, relative to the root. ``mirrored`` is False for the fallback."""

    files: tuple[str, ...]
    mirrored: bool


def find_modules(
    root: Path = ROOT, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the modules as paths relative to the root, e.g. ``litecheck/model/cut.py``.

    ``only`` and ``exclude`` are patterns of such paths. Modules without statements (``__init__``) are left out.
    """
    paths = (path.relative_to(root).as_posix() for path in sorted((root / "litecheck").rglob("*.py")))
    return tuple(
        path
        for path in paths
        if not path.endswith(("/__init__.py", "/__main__.py"))
        and (not only or any(fnmatch(path, pattern) for pattern in only))
        and not any(fnmatch(path, pattern) for pattern in exclude)
    )


def find_tests(module: str, root: Path = ROOT) -> MirroredTests:
    """Return the tests of a module.

    Example: ``litecheck/reference/kernels/sums.py`` has ``tests/reference/kernels/test_sums.py``.
    """
    inner = Path(module).relative_to("litecheck")
    mirrored = Path("tests", inner.parent, f"test_{inner.name}")
    if (root / mirrored).is_file():
        return MirroredTests((mirrored.as_posix(),), True)
    folder = root / "tests" / inner.parent
    while not any(folder.glob("test_*.py")) and folder != root / "tests":
        folder = folder.parent
    files = sorted(folder.glob("test_*.py"))
    dotted = module.removesuffix(".py").replace("/", ".")
    package, _, name = dotted.rpartition(".")
    named = re.compile(
        rf"^ *(from|import) {re.escape(dotted)}\b|^ *from {re.escape(package)} import [^\n]*\b{name}\b",
        re.MULTILINE,
    )
    naming = [file for file in files if named.search(file.read_text("utf-8"))]
    return MirroredTests(tuple(file.relative_to(root).as_posix() for file in naming or files), False)


def find_folder(module: str, root: Path = ROOT) -> str:
    """Return the folder of tests that mirrors the package of a module, e.g. ``tests/reference/kernels``."""
    folder = root / "tests" / Path(module).relative_to("litecheck").parent
    while not any(folder.glob("test_*.py")) and folder != root / "tests":
        folder = folder.parent
    return folder.relative_to(root).as_posix()


def package_of(module: str) -> str:
    """Return the package of the table, e.g. ``model`` for ``litecheck/model/cut.py``, ``litecheck`` for a leaf module."""
    parts = Path(module).parts
    return parts[1] if len(parts) > 2 else parts[0]
