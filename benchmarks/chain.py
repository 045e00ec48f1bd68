"""Time of ``litecheck verify`` on 500 chained ADDs of 16 elements: ``python benchmarks/verify.py chain``.

A trivial operator shows the fixed cost of a case: its 263 inferences take microseconds. The benchmark measures the wall
time of the command, and the processor time of this process per operator, without the device's processes. The minimum of
several runs counts.

Goals: at most 4 seconds for the command, at most 5 milliseconds per operator. Exit code 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from built import many_operators
from rich.console import Console

from litecheck.devices.registry import open_device
from litecheck.model.save import save_model
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings

SECONDS, MILLISECONDS = 4.0, 5.0
DEVICE = "litert:xnnpack"


def per_operator(count: int) -> float:
    """Return the processor time of this process per operator, in milliseconds."""
    model, device = many_operators(count), open_device(DEVICE)
    start = time.process_time()
    verify(model, device, Settings())
    taken = time.process_time() - start
    device.close()
    return 1000 * taken / count


def command(count: int) -> float:
    """Return the wall time of the command in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.tflite"
        save_model(many_operators(count), path)
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "litecheck", "verify", str(path), "--device", DEVICE, "-q"], check=True
        )
        return time.perf_counter() - start


def main() -> int:
    """Print both times and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--operators", type=int, default=500)
    parser.add_argument("--times", type=int, default=3, help="number of measurements of each task")
    asked = parser.parse_args()
    per_operator(10)
    least = min(per_operator(asked.operators // 5) for _ in range(asked.times))
    seconds = min(command(asked.operators) for _ in range(asked.times))
    limit = SECONDS * asked.operators / 500
    goals = {
        f"an operator in at most {MILLISECONDS:g} ms: {least:.1f}": least <= MILLISECONDS,
        f"{asked.operators} operators in at most {limit:g} s: {seconds:.1f}": seconds <= limit,
    }
    for goal, met in goals.items():
        Console().print(f"{'met' if met else 'MISSED'}: {goal}")
    return 0 if all(goals.values()) else 1
