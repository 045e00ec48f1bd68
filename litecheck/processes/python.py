"""The command line that calls a function of litecheck in a new Python process, isolated from the current folder."""

from __future__ import annotations

import sys
from pathlib import Path

#: The first import of the program is ``sys``, which is built into Python. The module search path is an argument and not
#: an environment variable, because programs that the child starts would inherit a variable.
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
#: Python 3.10 has no -P. With -c, it puts the current folder first in the path, but imports nothing before the program.
#: Python 3.13 imports linecache before the program, so -P is needed there (Python/pythonrun.c, run_mod).
_SAFE_PATH = ("-P",) if sys.version_info >= (3, 11) else ()


def python_command(function: str, *arguments: str) -> list[str]:
    """Return the command that calls ``function`` (``module:name``) in a new Python process.

    The function finds its arguments in ``sys.argv[1:]``. The child has the module search path of this process without
    the entry ``""``, which stands for the current folder: a ``json.py`` there must not run.

    Example: ``subprocess.run(python_command("litecheck.devices.worker_main:main", "folder"))``
    """
    path = search_path()
    return [sys.executable, *_SAFE_PATH, "-c", _PROGRAM, str(len(path)), *path, function, *arguments]


def search_path() -> list[str]:
    """Return the module search path of a child: absolute paths, with the folder that holds litecheck."""
    path = [str(Path(entry).absolute()) for entry in sys.path if entry]
    own = str(Path(__file__).resolve().parents[2])
    return path if own in path else [*path, own]
