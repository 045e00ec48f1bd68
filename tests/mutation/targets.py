"""The tests that a mutant of a module runs: the mirrored file or its fallback, then the files of the mirrored package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class MirroredTests:
    """Test files of a single module, relative to the root. ``mirrored`` is False for the fallback."""

    files: tuple[str, ...]
    mirrored: bool


def find_modules(
    root: Path = ROOT, only: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the modules as paths relative to the root, e.g. ``litecheck/model/submodels.py``.

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
    naming = [file for file in files if imports(file, module)]
    return MirroredTests(tuple(file.relative_to(root).as_posix() for file in naming or files), False)


def find_package_tests(module: str, root: Path = ROOT) -> tuple[str, ...]:
    """Return the test files of the mirrored package, the nearest first.

    Nearest are files that import the module, then files of its own folder. Example: ``litecheck/model/submodels.py`` has the
    files of ``tests/model``; a module directly in ``litecheck`` has the files directly in ``tests``.
    """
    parts = Path(module).parts
    package = root / "tests" / parts[1]
    files = package.rglob("test_*.py") if len(parts) > 2 else package.parent.glob("test_*.py")
    folder = root / "tests" / Path(*parts[1:]).parent
    nearest = sorted(files, key=lambda file: (not imports(file, module), file.parent != folder, file))
    return tuple(file.relative_to(root).as_posix() for file in nearest)


def imports(file: Path, module: str) -> bool:
    """Return True if the text of a test file has an import statement of the module."""
    dotted = module.removesuffix(".py").replace("/", ".")
    package, _, name = dotted.rpartition(".")
    named = rf"^ *(from|import) {re.escape(dotted)}\b|^ *from {re.escape(package)} import [^\n]*\b{name}\b"
    return re.search(named, file.read_text("utf-8"), re.MULTILINE) is not None


def package_of(module: str) -> str:
    """Return the package of the table, e.g. ``model`` for ``litecheck/model/load.py``, ``litecheck`` for a leaf module."""
    parts = Path(module).parts
    return parts[1] if len(parts) > 2 else parts[0]
