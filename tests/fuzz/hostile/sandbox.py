"""Folder of a single case: working folder, home, caches, temporary files, canaries; and the changes in it.

The layout, all below one folder: ``above/work`` is the current folder of the command, ``above`` its parent. The
environment names ``home``, ``tmp``, ``cache``, ``config`` and ``data``. ``bin`` comes first in PATH. ``canary`` has a
file for each piece of foreign code that ran.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

#: Programs that libraries look up in PATH and start for a file.
PROGRAMS = ("gs", "gswin64c", "gswin32c", "djpeg", "xdg-open", "display", "vela")
#: Folders that every sandbox has.
FOLDERS = ("above/work", "home", "tmp", "cache", "config", "data", "bin", "canary")
#: Size, time of change and mode of a file, or the target of a link.
State = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Folders of a single case; ``root`` has all of them."""

    root: Path

    @property
    def work(self) -> Path:
        return self.root / "above" / "work"

    @property
    def above(self) -> Path:
        return self.root / "above"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def make(self) -> Sandbox:
        """Create the folders, files that must not change, and programs that must not run."""
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True)
        for file in ("home/.bashrc", "above/secret.txt", "secret.yaml"):
            content = (
                "pwned-secret-content: pwned-secret-content\n" if file == "secret.yaml" else "secret: 1\n"
            )
            (self.root / file).write_text(content, encoding="utf-8")
        for program in PROGRAMS:
            self.program(self.root / "bin" / program)
        return self

    def program(self, path: Path) -> None:
        """Write a program that leaves a canary."""
        path.write_text(f'#!/bin/sh\n: > "{self.canary(path.name)}"\nexit 1\n', encoding="utf-8")
        path.chmod(0o755)

    def canary(self, name: str) -> Path:
        """Return the file that foreign code of this name writes when it runs."""
        return self.root / "canary" / name

    def python(self, name: str) -> str:
        """Return Python code that leaves a canary. Example: ``open('/.../canary/json', 'w').close()``."""
        return f"open({str(self.canary(name))!r}, 'w').close()\n"

    def environment(self, extra: dict[str, str]) -> dict[str, str]:
        """Return the environment of the case: the variables of this process, with all folders inside the sandbox."""
        kept = {
            k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "PYTEST_", "COLUMNS", "GITHUB_"))
        }
        folders = {
            "HOME": "home",
            "TMPDIR": "tmp",
            "TMP": "tmp",
            "TEMP": "tmp",
            "XDG_CACHE_HOME": "cache",
            "XDG_CONFIG_HOME": "config",
            "XDG_DATA_HOME": "data",
        }
        inside = {name: str(self.root / folder) for name, folder in folders.items()}
        first = {"PATH": f"{self.root / 'bin'}:{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"}
        return {**kept, **inside, **first, "PYTHONDONTWRITEBYTECODE": "1", **extra}

    def states(self) -> dict[str, State]:
        """Return the state of every file and folder, by its path below the sandbox; links are not followed."""
        found: dict[str, State] = {}
        folders = [str(self.root)]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    found[os.path.relpath(entry.path, self.root)] = _state(entry)
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        return found


def _state(entry: os.DirEntry[str]) -> State:
    status = entry.stat(follow_symlinks=False)
    target = os.readlink(entry.path) if entry.is_symlink() else ""
    if stat.S_ISDIR(
        status.st_mode
    ):  # size and time of a folder change with its entries, which are compared separately
        return 0, 0, status.st_mode, target
    return status.st_size, status.st_mtime_ns, status.st_mode, target
