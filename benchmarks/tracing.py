"""Time of ``diff`` and ``trace`` relative to loads and runs: ``python -m benchmarks.tracing``; exit 1 if a goal fails.

Times are processor seconds with a single BLAS thread, children included: the minimum of several alternating rounds. Goals:

- ``diff``: at most 2 times two loads of the files, for equal files and for a change of an operator.
- ``trace``: at most 3 times a run of both models on the same samples with litecheck's kernels.
- memory of ``trace`` in a separate process: at most 20 % more for 4 times the samples. It keeps all tensors of the 8
  samples that decide, and tabulates rescaling from the 25th sample on, so its memory grows up to about 64 samples.

``diff`` reads the MobileNetV2 of LITECHECK_MODELS. ``trace`` converts a float file, by default the float model of
MobileNetV2's stored values. Two cases have no goal. A change of all weights makes ``diff`` read both files completely.
MLPerf's ResNet takes 4 ms per sample, so that the start of the calibration process (0.2 s) dominates.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from litecheck.cases.inputs import quantize_input
from litecheck.cli import OWN, one_thread
from litecheck.conversion.dequantized_model import dequantize_model
from litecheck.conversion.pipeline import convert_model
from litecheck.differences.model_difference import diff
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.types import Model, Tensor
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.tracing.trace_session import trace

GOAL_DIFF, GOAL_TRACE, GOAL_MEMORY = 2.0, 3.0, 1.2
# VmHWM starts at 0 in a new program; ru_maxrss starts at the memory of the parent process.
_MEMORY = """
import sys
from pathlib import Path
from litecheck.tracing.trace_session import trace
trace(sys.argv[1], sys.argv[2], random=int(sys.argv[3]), fix=False, runtime="litecheck")
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line))
"""


def least(rounds: int, *tasks: Callable[[], object]) -> list[float]:
    """Return the minimum processor time of each task and its children; the tasks alternate."""
    found = [float("inf")] * len(tasks)
    for _ in range(rounds):
        for number, task in enumerate(tasks):
            start = _processor_time()
            task()
            found[number] = min(found[number], _processor_time() - start)
    return found


def _processor_time() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def changed(model: Model, wanted: Callable[[Tensor], bool]) -> Model:
    """Return the model with changed values of some constants."""
    editor = SubgraphEditor(model.subgraphs[0])
    for tensor in filter(wanted, model.subgraphs[0].tensors):
        if tensor.data is not None:
            editor.set_tensor(tensor.index, data=tensor.data ^ np.uint8(1))
    made = with_subgraphs(model, [editor.finish()[0], *model.subgraphs[1:]])
    return replace(made, signatures=model.signatures)


def compare_diff(file: Path, folder: Path, rounds: int) -> bool:
    """Time ``diff`` and two loads of the files. Return True if the goals are met."""
    model = load_model(file)
    weights = [t.index for t in model.subgraphs[0].tensors if t.is_constant and t.dtype == "int8"]
    cases = {"no change": (), "one weight": weights[:1], "all weights": weights}
    met = True
    for name, numbers in cases.items():
        other = folder / "other.tflite"
        save_model(changed(model, lambda tensor, chosen=numbers: tensor.index in chosen), other)
        loads, whole = least(
            rounds,
            lambda other=other: (load_model(file), load_model(other)),
            lambda other=other: diff(file, other),
        )
        goal = "" if name == "all weights" else f", goal {GOAL_DIFF}"
        print(
            f"diff, {name}: {whole * 1e3:.1f} ms, two loads {loads * 1e3:.1f} ms: {whole / loads:.2f}{goal}"
        )
        met &= not goal or whole <= GOAL_DIFF * loads
    return met


def compare_trace(file: Path, folder: Path, samples: int, rounds: int, goal: float = GOAL_TRACE) -> bool:
    """Time ``trace`` and a run of both models, and compare its memory for few and many samples.

    Return True if the goals are met.
    """
    real = load_model(file)
    shape = real.subgraphs[0].tensors[real.subgraphs[0].inputs[0]].shape
    arrays = np.random.default_rng(0).uniform(-1, 1, (samples, *shape)).astype(np.float32)
    data, path = folder / "samples.npy", folder / "int8.tflite"
    np.save(data, arrays)
    quantized = convert_model(real, data=(str(data),), samples=samples, agreement=False).conversion.model
    save_model(quantized, path)
    main, other = real.subgraphs[0], quantized.subgraphs[0]
    stored = other.tensors[other.inputs[0]]

    def runs() -> None:
        interpreters = ReferenceInterpreter(real), ReferenceInterpreter(quantized)
        for array in arrays[:samples]:
            interpreters[0].run(main, (array,))
            interpreters[1].run(other, (quantize_input(stored, array),))

    def whole() -> None:
        trace(real, quantized, data=(str(data),), samples=samples, fix=False)

    both, traced = least(rounds, runs, whole)
    ratio = f"{traced / both:.2f}" + (f", goal {goal}" if goal < float("inf") else "")
    print(f"trace, {file.name}, {samples} samples: {traced:.2f} s, two runs {both:.2f} s: {ratio}")
    few_and_all = samples, 4 * samples
    peaks = [
        int(subprocess.check_output([sys.executable, "-c", _MEMORY, str(file), str(path), str(n)], text=True))
        for n in few_and_all
    ]
    print(
        f"trace, memory: {peaks[0] >> 10} MB for {few_and_all[0]} samples, {peaks[1] >> 10} MB for {few_and_all[1]}: "
        f"{peaks[1] / peaks[0]:.2f}, goal {GOAL_MEMORY}"
    )
    return traced <= goal * both and peaks[1] <= GOAL_MEMORY * peaks[0]


def main() -> int:
    """Run both comparisons and return the exit code."""
    models = Path(os.environ.get("LITECHECK_MODELS", "."))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--float", type=Path)
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    mobilenet = models / "tf2_mobilenet_v2_1.0_224_ptq.tflite"
    with tempfile.TemporaryDirectory() as folder:
        met = compare_diff(mobilenet, Path(folder), 5 * asked.rounds)
        real = Path(folder, "mobilenet_v2.tflite")
        save_model(dequantize_model(load_model(mobilenet)).model, real)
        met &= compare_trace(asked.float or real, Path(folder), asked.samples, asked.rounds)
        small = models / "pretrainedResnet.tflite"
        met &= compare_trace(small, Path(folder), asked.samples, asked.rounds, float("inf"))
    return int(not met)


if __name__ == "__main__":
    if OWN[0] not in os.environ:  # a single BLAS thread, as in the command line, before numpy is loaded
        one_thread()
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.tracing", *sys.argv[1:]])
    raise SystemExit(main())
