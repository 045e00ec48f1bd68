"""Print as JSON the end of each job of a misbehaving device, and the processes that the device left."""

import json
import sys
import time

import numpy as np
import psutil

from litecheck.devices.isolated_device import IsolatedDevice
from litecheck.devices.port import Answer, Job, Limits
from litecheck.devices.process import WorkerSetup
from litecheck.model.types import Model

MODES = (
    "", "abort", "segfault", "exit0", "exit3", "hang", "bomb", "terminate", "chatter", "refuse", "leave", "litter",
    "stall", "lacks", "object", "child", "proof", "abort-after", "hang-after", "make-abort", "make-hang",
)  # fmt: skip
#: Modes that end at the time limit. All remaining modes must end earlier, even on a busy machine.
HANGING = ("hang", "stall", "hang-after", "make-hang")
RUNS = tuple((np.array([n], np.int8),) for n in range(4))


def outcome(mode: str) -> str:
    """Return the outcome of a job, and True if a process that the device started still runs."""
    setup = WorkerSetup(
        "tests.verification.misbehaving:Adapter", {"mode": mode}, {"OPENBLAS_NUM_THREADS": "1"}
    )
    try:
        device = IsolatedDevice("bad", "bad", setup, Limits(2 if mode in HANGING else 60, 1 << 28))
    except Exception as error:
        return type(error).__name__
    try:
        answer = device.run(Job("0000-ADD", Model(()), b"bad", RUNS))
    finally:
        device.close()
    if not isinstance(answer, Answer):
        return answer.outcome.value
    left = mode == "child" and _runs(int(answer.runs[0][0]))
    return f"answer{', then an end' if answer.ended else ''}{', a process is left' if left else ''}"


def _runs(pid: int) -> bool:
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
        time.sleep(0.05)
    return True


if __name__ == "__main__":
    print(json.dumps({mode: outcome(mode) for mode in sys.argv[1:] or MODES}))
