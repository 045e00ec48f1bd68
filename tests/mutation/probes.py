"""A probe at the start of every block of ``litecheck/``: it writes the block's number once to a file.

The text of this module is also the ``sitecustomize`` of started processes: it imports nothing of the project.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import marshal
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

#: The folder of compiled modules, the file of numbers and the number of blocks, separated by newlines.
VARIABLE = "LITECHECK_PROBES"
_PROBE = "_probe_seen[{0}] or _probe_note({0})"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_blocks(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield every block with its name: the function and the place of the block in it, e.g. ``Model.cut:2``.

    A block is the body of the module, of a function, or of a branch or loop. The body of a class belongs to its module.
    """
    yield "<module>:0", tree.body
    yield from _inner(tree, "", {"<module>": 1})


def _inner(node: ast.AST, function: str, counts: dict[str, int]) -> Iterator[tuple[str, list[ast.stmt]]]:
    for child in ast.iter_child_nodes(node):
        inner = function
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            inner = f"{function}.{child.name}".lstrip(".")
        for field in () if isinstance(child, ast.ClassDef) else ("body", "orelse", "finalbody"):
            body = getattr(child, field, None)
            if isinstance(body, list) and body:
                name = inner or "<module>"
                counts[name] = counts.get(name, 0) + 1
                yield f"{name}:{counts[name] - 1}", body
        yield from _inner(child, inner, counts)


def compile_with_probes(source: str, path: str, first: int) -> tuple[CodeType, tuple[str, ...]]:
    """Return the module with probes numbered from ``first``, and the names of its blocks."""
    tree = ast.parse(source)
    blocks = tuple(find_blocks(tree))
    for number, (_, body) in enumerate(blocks, first):
        probe = ast.parse(_PROBE.format(number)).body[0]
        place = next((i for i, statement in enumerate(body) if not _is_leading(statement)), len(body))
        for node in ast.walk(probe):
            ast.copy_location(node, body[min(place, len(body) - 1)])
        body.insert(place, probe)
    return compile(tree, path, "exec", dont_inherit=True), tuple(name for name, _ in blocks)


def _is_leading(statement: ast.stmt) -> bool:
    """Return True for a docstring and for ``from __future__``, which must stay first."""
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return text or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, compiled: str) -> None:
        super().__init__(name, path)
        self._compiled = compiled

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = marshal.loads(Path(self._compiled).read_bytes())
        return code


class _Finder(importlib.abc.MetaPathFinder):
    """Finder of litecheck's modules in the folder of compiled modules: ``NAME.code`` and ``NAME.path``."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        compiled = os.path.join(self._folder, fullname + ".code")
        if fullname.partition(".")[0] != "litecheck" or not os.path.exists(compiled):
            return None
        origin = Path(self._folder, fullname + ".path").read_text("utf-8")
        return spec_from_file_location(fullname, origin, loader=_Loader(fullname, origin, compiled))


def install(folder: Path, output: Path, count: int) -> None:
    """Install the probes here and in started processes."""
    text = Path(__file__).read_text("utf-8") + "\n\nactivate()\n"
    (output.parent / "sitecustomize.py").write_text(text, "utf-8")
    os.environ[VARIABLE] = "\n".join((str(folder), str(output), str(count)))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(output.parent), before)))
    activate()


def activate() -> None:
    """Install the probes that the environment states."""
    stated = os.environ.get(VARIABLE, "").split("\n")
    if len(stated) != 3:
        return
    folder, output, count = stated
    seen = bytearray(int(count))

    def note(number: int, opened=os.open, write=os.write, close=os.close) -> None:  # type: ignore[no-untyped-def]
        seen[number] = 1
        try:
            file = opened(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError:  # a process that may open no file
            return
        write(file, b"%d\n" % number)
        close(file)

    builtins._probe_seen, builtins._probe_note = seen, note  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _Finder(folder))
