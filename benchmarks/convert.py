"""Conversion of MobileNetV2 224 from float to int8 on 32 samples: ``python -m benchmarks.convert``.

The environment needs the extras convert, compare and runtime. Exit code 1 if a goal is missed.

Three converters run alternately as separate processes: litecheck, TensorFlow's calibrator and quantizer, and
ai-edge-quantizer. Each reads the same float .tflite and samples from files, calibrates on a single thread and returns the
bytes of its model. litecheck also validates its model and reads it back. ``all of it`` is ``litecheck convert`` with the
comparison of both models, which the competitors do not have.

Seconds are the wall time of a process, imports included; processor seconds are for machines with further work. Memory is
the peak of the process and its children. The first round compiles the bytecode and does not count. Medians count. Goals:
at most 0.5 times the time of the faster competitor, at most 0.6 times the memory of the smaller one.

The model is Keras' MobileNetV2 (alpha 1.0) with seeded weights. The statistics of its normalizations come from random
images, so that activations do not vanish. TensorFlow converts it to .tflite once.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from litecheck.conversion.by_converter import Via, quantize_via
from litecheck.conversion.other_converters.converter_process import NamedSamples
from litecheck.model.load import load_model
from litecheck.processes.memory import MemoryWatch

SAMPLES = 32
GOAL_TIME, GOAL_MEMORY = 0.5, 0.6
CONVERTERS: tuple[Via, ...] = ("litecheck", "tensorflow", "ai-edge-quantizer")
#: Keras runs in a separate process, whose memory does not count.
_MAKE = """
import sys, keras, tensorflow as tf
keras.utils.set_random_seed(7)
model = keras.applications.MobileNetV2(input_shape=(224, 224, 3), alpha=1.0, weights=None)
for layer in model.layers:
    if isinstance(layer, keras.layers.BatchNormalization):
        layer.momentum = 0.0
model(tf.random.stateless_uniform((16, 224, 224, 3), (1, 2), -1.0, 1.0), training=True)
fixed = keras.Input(batch_shape=(1, 224, 224, 3), name="image")
whole = keras.Model(fixed, model(fixed))
open(sys.argv[1], "wb").write(tf.lite.TFLiteConverter.from_keras_model(whole).convert())
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """Cost of a conversion: wall seconds, processor seconds, peak bytes."""

    seconds: float
    processor: float
    memory: int


def build(file: Path) -> None:
    """Write the float model if the file does not exist."""
    if not file.exists():
        subprocess.run([sys.executable, "-c", _MAKE, str(file)], check=True, stdout=subprocess.DEVNULL)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def converted(via: Via, file: Path, samples: NamedSamples) -> Taken:
    """Measure a conversion in a separate process."""
    before = _processor()
    made = quantize_via(via, file, samples)
    return Taken(made.seconds, _processor() - before, made.peak_memory)


def commanded(file: Path, data: Path, target: Path) -> Taken:
    """Measure ``litecheck convert`` with the comparison of both models."""
    command = [
        sys.executable,
        "-m",
        "litecheck",
        "convert",
        str(file),
        "-o",
        str(target),
        "--data",
        str(data),
    ]
    before, begun = _processor(), time.monotonic()
    process = subprocess.Popen([*command, "--quiet"], env={**os.environ})
    with MemoryWatch(process.pid) as memory:
        code = process.wait()
    if code:
        sys.exit(f"litecheck convert ended with {code}")
    return Taken(time.monotonic() - begun, _processor() - before, memory.most)


def median(several: list[Taken]) -> Taken:
    """Return the median of each quantity."""
    return Taken(
        statistics.median(one.seconds for one in several),
        statistics.median(one.processor for one in several),
        int(statistics.median(one.memory for one in several)),
    )


def measured(file: Path, rounds: int) -> dict[str, Taken]:
    """Return the medians over rounds; every converter runs once in each round."""
    tensor = load_model(file).subgraphs[0].tensors[load_model(file).subgraphs[0].inputs[0]]
    name = {i: n for n, i in load_model(file).signatures[0].inputs}[tensor.index]
    rng = np.random.default_rng(0)
    samples = [{name: rng.random(tensor.shape, np.float32) * 2 - 1} for _ in range(SAMPLES)]
    taken: dict[str, list[Taken]] = {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "samples.npz")
        np.savez(data, x=np.stack([sample[name] for sample in samples]))
        for _ in range(1 + rounds):
            for via in CONVERTERS:
                taken.setdefault(via, []).append(converted(via, file, samples))
            whole = commanded(file, data, Path(folder, "out.tflite"))
            taken.setdefault("all of it", []).append(whole)
    return {name: median(several[1:]) for name, several in taken.items()}


def main() -> int:
    """Print the medians and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--model", type=Path, default=Path(tempfile.gettempdir(), "mobilenet_v2_float.tflite")
    )
    chosen = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    build(chosen.model)
    found = measured(chosen.model, chosen.rounds)
    others = [found["tensorflow"], found["ai-edge-quantizer"]]
    fastest, smallest = min(one.seconds for one in others), min(one.memory for one in others)
    print(f"{'':18} {'seconds':>8} {'x':>5} {'processor':>10} {'MB':>6} {'x':>5}")
    for name, one in found.items():
        print(
            f"{name:18} {one.seconds:8.2f} {one.seconds / fastest:5.2f} {one.processor:10.2f} "
            f"{one.memory / 1e6:6.0f} {one.memory / smallest:5.2f}"
        )
    own = found["litecheck"]
    return int(own.seconds > GOAL_TIME * fastest or own.memory > GOAL_MEMORY * smallest)


if __name__ == "__main__":
    sys.exit(main())
