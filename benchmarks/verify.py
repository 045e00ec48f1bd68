"""Time of ``litecheck verify`` relative to bare programs: ``python benchmarks/verify.py``; exit 1 if a goal fails.

Three tasks alternate. Medians of processor seconds count.

- the command ``litecheck verify MODEL --device litert:xnnpack`` without options
- the bare runtime: a program that builds the same interpreters and makes the same inferences
- the bare reference: a program that computes the same expected tensors

All times include starts and imports. Goals: the command takes at most 10 seconds, and at most twice the sum of both
programs. LITECHECK_MODELS names the folder of the model; see docs/models.md.

``python benchmarks/verify.py chain`` measures the fixed cost of an operator (chain.py), ``python benchmarks/verify.py
budget`` counts the planted faults that budgets detect (planted.py), and ``python benchmarks/verify.py batch`` measures
programs with many runs in a single start (batch.py).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import batch
import chain
import numpy as np
import planted
from rich.console import Console
from rich.table import Table

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.load import load_model
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings

PARTS = {"chain": chain.main, "budget": planted.main, "batch": batch.main}
MODEL = "tf2_mobilenet_v2_1.0_224_ptq"
SECONDS, TIMES = 10.0, 2.0
QUIET = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

RUNTIME = r"""
import sys
from pathlib import Path
import numpy as np
from ai_edge_litert.interpreter import Interpreter
for file in sorted(Path(sys.argv[1]).glob("*.tflite")):
    runs = np.load(file.with_suffix(".npz"))
    interpreter = Interpreter(model_content=file.read_bytes(), num_threads=1)
    interpreter.allocate_tensors()
    details, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    arrays = [runs[name] for name in sorted(runs.files)]
    for start in range(0, len(arrays), max(1, len(details))):
        for d, array in zip(details, arrays[start : start + len(details)]):
            interpreter.set_tensor(d["index"], array)
        interpreter.invoke()
        for o in outputs:
            interpreter.get_tensor(o["index"])
"""
REFERENCE = r"""
import sys
from pathlib import Path
import numpy as np
from litecheck.model.load import load_model
from litecheck.reference.engine.interpreter import ReferenceInterpreter
for file in sorted(Path(sys.argv[1]).glob("*.tflite")):
    runs = np.load(file.with_suffix(".npz"))
    interpreter = ReferenceInterpreter(load_model(file), "litert-xnnpack")
    main = interpreter.model.subgraphs[0]
    arrays = [runs[name] for name in sorted(runs.files)]
    arrays = arrays[: len(arrays) // 2]  # the device computes every run twice
    for start in range(0, len(arrays), max(1, len(main.inputs))):
        interpreter.run(main, tuple(arrays[start : start + len(main.inputs)]))
"""


class Keeping:
    """Device that only stores its jobs."""

    name = described = "keeping"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inferences = 0

    def run(self, job: Job) -> Answer | Failure:
        (self.folder / f"{job.name}.tflite").write_bytes(job.content)
        arrays = [array for run in job.runs for array in run]
        np.savez(self.folder / f"{job.name}.npz", **{f"{n:06d}": a for n, a in enumerate(arrays)})
        self.inferences += len(job.runs)
        return Failure(Outcome.TIMED_OUT, "only kept")

    def close(self) -> None:
        """Do nothing: there is no process."""


def timed(command: list[str]) -> float:
    before = os.times()
    done = subprocess.run(command, env=QUIET, capture_output=True, text=True, check=False)
    taken = sum(os.times()[2:4]) - sum(before[2:4])
    if done.returncode:
        raise SystemExit(
            f"{command[:4]} ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
        )
    return taken


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        return PARTS[sys.argv.pop(1)]()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="number of measurements of each task")
    times = parser.parse_args().times
    models = os.environ.get("LITECHECK_MODELS")
    if not models:
        raise SystemExit("LITECHECK_MODELS names no folder with the public models")
    model = Path(models) / f"{MODEL}.tflite"
    with tempfile.TemporaryDirectory() as folder:
        device = Keeping(Path(folder))
        verify(load_model(model), device, Settings(arithmetics=("litert-xnnpack",)))
        command = [sys.executable, "-m", "litecheck", "verify", str(model), "--device", "litert:xnnpack"]
        command.append("--quiet")
        tasks = {
            "litecheck verify": command,
            "bare runtime": [sys.executable, "-c", RUNTIME, folder],
            "bare reference": [sys.executable, "-c", REFERENCE, folder],
        }
        taken = {name: [] for name in tasks}
        for _ in range(times):
            for name, task in tasks.items():
                taken[name].append(timed(task))
    medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
    whole, bare = medians["litecheck verify"], medians["bare runtime"] + medians["bare reference"]
    return report(medians, whole, bare, device.inferences)


def report(medians: dict[str, float], whole: float, bare: float, inferences: int) -> int:
    table = Table(title=f"{MODEL}, every operator isolated, {inferences:,} inferences")
    table.add_column("program")
    table.add_column("processor seconds", justify="right")
    for name, seconds in medians.items():
        table.add_row(name, f"{seconds:.2f}")
    goals = {
        f"at most {SECONDS:g} s": whole <= SECONDS,
        f"at most {TIMES:g} times runtime + reference: {whole / bare:.2f}": whole <= TIMES * bare,
    }
    console = Console()
    console.print(table)
    for goal, met in goals.items():
        console.print(f"{'met' if met else 'MISSED'}: {goal}")
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
