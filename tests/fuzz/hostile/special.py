"""Special files: links, FIFOs, folders."""

from __future__ import annotations

import os
from random import Random

from tests.fuzz.hostile.sandbox import Sandbox


def special(box: Sandbox, file: str, rng: Random) -> None:
    """Write a special file: a link to a device or out of the folder, a FIFO, a folder, a circle of links."""
    path = box.work / file
    rng.choice(
        (
            lambda: os.symlink("/dev/zero", path),
            lambda: os.mkfifo(path),
            lambda: os.mkfifo(path),  # twice as likely: only a check of the file's type prevents a hang
            lambda: os.symlink("../secret.txt", path),
            lambda: os.symlink(file, path),
            lambda: path.mkdir(),
            lambda: os.symlink("missing", path),
            lambda: os.symlink("/dev/tty", path),
        )
    )()
