"""Adapters that misbehave on purpose, as plugins for the child process."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from litecheck.arrays import Arrays
from litecheck.devices.port import AdapterAnswer, NotSupported

CALLS = []


def hang() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def bomb() -> None:
    kept = []
    while True:
        kept.append(np.ones(1 << 24, np.uint8))


def terminate() -> None:
    print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr, flush=True)
    os.abort()


def chatter() -> None:
    print("x" * 100_000, "\nlast words", flush=True)
    os.abort()


def refuse() -> None:
    print("INFO: a runtime was created\nnode 3 wants int8", file=sys.stderr, flush=True)
    raise ValueError("the driver\nrefuses")


def unbuffered() -> None:
    ctypes.CDLL(None).printf(b"printed by C\n")
    os.abort()


def litter() -> None:
    print(tempfile.mkdtemp(), flush=True)
    os.abort()


def leave() -> None:
    sys.exit("no licence")


#: Actions in place of an answer.
INSTEAD: Mapping[str, Callable[[], object]] = {
    "abort": os.abort,
    "segfault": lambda: ctypes.string_at(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit0": lambda: os._exit(0),
    "exit3": lambda: os._exit(3),
    "hang": hang,
    "bomb": bomb,
    "terminate": terminate,
    "chatter": chatter,
    "refuse": refuse,
    "unbuffered": unbuffered,
    "leave": leave,
    "litter": litter,
}


def corrupt() -> int:
    """Change the size that the C library stores before a block of memory; freeing the block detects it."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    block = int(libc.malloc(40_000))
    ctypes.memset(block - 8, 0xFF, 8)
    return block


class Adapter:
    """Adapter with the option ``mode``: an entry of INSTEAD, an action after the answer, or none. Outputs are the
    inputs."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.mode = options.get("mode", "")
        self.block: int | None = None
        if self.mode.startswith("make-"):
            INSTEAD[self.mode[5:]]()

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        CALLS.append(len(runs))
        if self.mode in INSTEAD and model != b"good":
            INSTEAD[self.mode]()
        if self.mode == "once" and len(CALLS) > 1:
            os.abort()
        special: Mapping[str, Callable[[], AdapterAnswer]] = {
            "calls": lambda: AdapterAnswer(((np.array(len(CALLS)),),)),
            "object": lambda: AdapterAnswer(((np.array([object()]),),)),
            "child": lambda: AdapterAnswer(((np.array(self.child()),),)),
            "daemon": lambda: AdapterAnswer(((np.array(self.daemon()),),)),
            "pid": lambda: AdapterAnswer(((np.array(os.getpid()),),)),
            "proof": lambda: AdapterAnswer(tuple(runs), (True, False), "a word"),
        }
        if self.mode in special:
            return special[self.mode]()
        if self.mode == "corrupt":
            self.block = corrupt()
        return AdapterAnswer(tuple(self.infer(n, run) for n, run in enumerate(runs)))

    def infer(self, number: int, inputs: Arrays) -> Arrays:
        if self.mode == "slow":
            time.sleep(0.6)
        if self.mode == "stall" and number == 2:
            hang()
        if self.mode == "lacks":
            raise NotSupported("there is no ADD")
        return inputs

    def child(self) -> int:
        return subprocess.Popen(["sleep", "1000"]).pid

    def daemon(self) -> int:
        """Start a program in its own session, with a parent that has ended."""
        quiet = "stdout=-3, stderr=-3, start_new_session=True"
        started = f"import subprocess; print(subprocess.Popen(['sleep', '1000'], {quiet}).pid)"
        return int(subprocess.run([sys.executable, "-c", started], capture_output=True, check=True).stdout)

    def __del__(self) -> None:
        if self.block is not None:
            ctypes.CDLL(None).free(ctypes.c_void_p(self.block))
        if self.mode == "abort-after":
            os.abort()
        if self.mode == "hang-after":
            hang()


def broken(options: Mapping[str, str]) -> Any:
    raise OSError("no board at the port")


class Sharing(Adapter):
    """The same adapter in a process that may have run other jobs before."""

    shares = True
