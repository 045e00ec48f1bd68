"""Exclusive locks of files on Linux, macOS and Windows."""

from __future__ import annotations

import os
from importlib import import_module

from litecheck.processes.posix import flock

#: Windows prevents other processes from reading locked bytes, so only one byte after the content is locked.
_BEHIND = 1 << 40


class LockedError(Exception):
    """Error for a file that another process, or another file object of this process, has locked."""


def lock(descriptor: int) -> None:
    """Lock an open file until it is closed. Raises LockedError."""
    try:
        flock(descriptor)
    except BlockingIOError as error:
        raise LockedError from error
    except ImportError:
        _lock_on_windows(descriptor)


def _lock_on_windows(descriptor: int) -> None:
    msvcrt = import_module("msvcrt")
    os.lseek(descriptor, _BEHIND, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        raise LockedError from error
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
