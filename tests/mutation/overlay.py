"""Import of one changed module, in this process and in the Python processes that it starts."""

from __future__ import annotations

import importlib.abc
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

#: The changed module's dotted name, the file of the checkout and the file with the changed text, separated by newlines.
VARIABLE = "LITECHECK_MUTANT"


class _Loader(SourceFileLoader):
    """Loader that compiles the changed text under the file name of the checkout, and writes no bytecode."""

    def __init__(self, name: str, path: str, changed: str) -> None:
        super().__init__(name, path)
        self._changed = changed

    def get_code(self, fullname: str) -> CodeType:
        return compile(Path(self._changed).read_bytes(), self.path, "exec", dont_inherit=True)


class Overlay(importlib.abc.MetaPathFinder):
    """Finder of a single module in a different file; every further module is found as usual."""

    def __init__(self, name: str, path: str, changed: str) -> None:
        self._name, self._path, self._changed = name, path, changed

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(fullname, self._path, self._changed)
        return spec_from_file_location(fullname, self._path, loader=loader)


def install(name: str, path: Path, changed: Path) -> None:
    """Install the overlay here and, through ``sitecustomize`` in the folder of ``changed``, in started processes."""
    sys.meta_path.insert(0, Overlay(name, str(path), str(changed)))
    folder = changed.parent
    text = Path(__file__).read_text("utf-8") + "\n\nactivate()\n"
    (folder / "sitecustomize.py").write_text(text, "utf-8")
    os.environ[VARIABLE] = "\n".join((name, str(path), str(changed)))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


def activate() -> None:
    """Install the overlay that the environment states."""
    stated = os.environ.get(VARIABLE, "").split("\n")
    if len(stated) == 3:
        sys.meta_path.insert(0, Overlay(*stated))
