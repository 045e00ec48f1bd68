"""Command line that calls a function of litecheck in a new Python process, isolated from the current folder."""

from __future__ import annotations

import sys
from pathlib import Path

#: Program of the child. It imports ``sys`` first, which is built into Python. The module search path is an argument,
#: because programs that the child starts would inherit an environment variable.
_PROGRAM = """\
import sys
count = int(sys.argv[1])
sys.path[:] = sys.argv[2 : 2 + count]
function = sys.argv[2 + count]
del sys.argv[1 : 3 + count]
from importlib import import_module
module, _, name = function.partition(":")
getattr(import_module(module), name)()
"""
#: Python 3.10 has no -P. With -c, Python 3.10 puts the current folder first in the path, but imports no module before
#: the program. Python 3.13 imports linecache before the program and needs -P (Python/pythonrun.c, run_mod).
_SAFE_PATH = ("-P",) if sys.version_info >= (3, 11) else ()


def python_command(function: str, *arguments: str) -> list[str]:
    """Return the command that calls ``function`` (``module:name``) in a new Python process.

    The function reads its arguments from ``sys.argv[1:]``. The child has the module search path of this process without
    the entry ``""``. That entry is the current folder, whose ``json.py`` must not run.

    Example: ``subprocess.run(python_command("litecheck.devices.worker_main:main", "folder"))``
    """
    path = search_path()
    return [sys.executable, *_SAFE_PATH, "-c", _PROGRAM, str(len(path)), *path, function, *arguments]


def search_path() -> list[str]:
    """Return the module search path of a child: absolute paths, including the folder that contains litecheck."""
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    own = str(Path(__file__).resolve().parents[2])
    return path if own in path else [*path, own]
