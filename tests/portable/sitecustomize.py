"""Simulation of a system without fork, process groups, resource limits, /proc and POSIX file modes.

``PYTHONPATH=tests/portable`` loads this file in a program and in all Python programs that it starts. Windows is the
model. The simulation is visible to litecheck and its tests only.
"""

import builtins
import io
import os
import select
import signal
import stat
import subprocess
import sys
import types

import psutil

_KILL = signal.SIGKILL
_OS = (
    "fork", "forkpty", "killpg", "setsid", "setpgid", "getpgid", "getpgrp", "wait3", "wait4", "waitid", "getuid",
    "geteuid", "getgid", "getegid", "chown", "lchown", "fchmod", "mkfifo", "mknod", "uname", "nice", "getloadavg",
    "statvfs", "O_NONBLOCK", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC", "set_blocking", "get_blocking", "WNOHANG",
    "sched_getaffinity", "sysconf",
)  # fmt: skip
_SIGNAL = (
    "SIGKILL",
    "SIGALRM",
    "SIGHUP",
    "SIGCHLD",
    "SIGSTOP",
    "SIGPIPE",
    "alarm",
    "setitimer",
    "pthread_sigmask",
)
_MODULES = ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty")
#: Code that is tested. Third-party packages need the real system.
_TESTED = tuple(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", name, "")
    for name in ("litecheck", "tests")
)
_TESTED = tuple(map(os.path.normpath, _TESTED))


def _hidden(tested=_TESTED) -> bool:
    """Return True if litecheck or a test is the caller, directly or through pathlib."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if "pathlib" not in file and file != __file__ and not file.startswith("<frozen"):
            return file.startswith(tested) and not file.endswith("misbehaving.py")
        frame = frame.f_back
    return False


class _Module(type(os)):
    """Module that hides names from litecheck and its tests."""

    def __getattribute__(self, name):
        if name in super().__getattribute__("_hidden") and _hidden():
            raise AttributeError(f"module has no attribute {name!r} (simulated system)")
        return super().__getattribute__(name)

    def __delattr__(self, name):
        super().__getattribute__("_hidden").discard(name)
        super().__delattr__(name)


def _hide(module, names):
    module._hidden = {name for name in names if hasattr(module, name)}
    module.__class__ = _Module


def _without_proc(function, error=FileNotFoundError):
    def guarded(path=".", *args, **kwargs):
        if (
            isinstance(path, (str, bytes, os.PathLike))
            and os.fsdecode(path).startswith("/proc")
            and _hidden()
        ):
            raise error(2, "No such file or directory (simulated system)", os.fsdecode(path))
        return function(path, *args, **kwargs)

    return guarded


def _select(readers, writers, errors, *timeout):
    # Tests communicate with runtimes through pipes; those programs are not part of litecheck.
    for item in (*readers, *writers, *errors):
        number = item if isinstance(item, int) else item.fileno()
        if not stat.S_ISSOCK(os.fstat(number).st_mode) and _hidden(_TESTED[:1]):
            raise OSError(10038, "select takes sockets only (simulated system)")
    return _real_select(readers, writers, errors, *timeout)


def _import(name, *args, **kwargs):
    if name in _MODULES and _hidden():
        raise ModuleNotFoundError(f"No module named {name!r} (simulated system)", name=name)
    return _real_import(name, *args, **kwargs)


def _chmod(path, mode, *args, **kwargs):
    """Change the permission to write; Windows has no further permissions."""
    _real_chmod(path, 0o777 if mode & stat.S_IWUSR else 0o555, *args, **kwargs)


def _windows_locks():
    """Return a module msvcrt with file locks. As on Windows, two open files of a single process exclude each other."""
    import fcntl

    module = types.ModuleType("msvcrt")
    module.LK_NBLCK = 2
    module.locking = lambda descriptor, mode, count: fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return module


_real_select, _real_chmod, _real_import = select.select, os.chmod, builtins.__import__
builtins.__import__ = _import
select.select, os.chmod = _select, _chmod
open_file = _without_proc(builtins.open)
builtins.open = io.open = open_file
os.listdir, os.scandir, os.stat = map(_without_proc, (os.listdir, os.scandir, os.stat))
psutil.Process.kill = lambda self: self.send_signal(_KILL)
subprocess.Popen.kill = lambda self: self.returncode is None and os.kill(self.pid, _KILL)
sys.modules["msvcrt"] = _windows_locks()
_hide(os, _OS)
_hide(signal, _SIGNAL)
