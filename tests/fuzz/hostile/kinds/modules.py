"""Python modules and programs in the current folder, with names that litecheck and its children import."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.seeds import FIXTURES

#: Modules that are imported if they exist, installed or not.
OPTIONAL = (
    "sitecustomize",
    "usercustomize",
    "numba",
    "tensorflow",
    "keras",
    "tf_keras",
    "PIL",
    "h5py",
    "ai_edge_quantizer",
    "ethosu",
    "ai_edge_litert",
    "tflite_micro",
    "openvino",
    "onnx",
    "distributed",
    "cryptography",
    "litecheck",
    "ml_dtypes",
    "tests",
)
#: Programs that a library may look up.
PROGRAMS = (
    "gs",
    "git",
    "gcc",
    "cc",
    "ld",
    "ldconfig",
    "objdump",
    "vela",
    "python",
    "python3",
    "sh",
    "nvidia-smi",
    "uname",
    "lscpu",
)


def fill(box: Sandbox, only: str = "") -> None:
    """Write a module of each name into the current folder; the module leaves a canary and fails."""
    names = {name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names | set(OPTIONAL)
    for name in sorted(names) if not only else [only]:
        code = box.python(name) + f"raise ImportError({name!r} + ' of the current folder')\n"
        (box.work / f"{name}.py").write_text(code, encoding="utf-8")
    for program in PROGRAMS:
        box.program(box.work / program)
    (box.work / "x.pth").write_text(f"import os; {box.python('x.pth')}", encoding="utf-8")
    (box.work / ".numba_config.yaml").write_text("cache_dir: pwned\n", encoding="utf-8")
    (box.work / "pyvenv.cfg").write_text("home = pwned\n", encoding="utf-8")


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with any command in a folder full of hostile modules; half of the cases start a new process."""
    fill(box)
    model, flat = str(FIXTURES / "fc_int8.tflite"), str(FIXTURES / "float_detector.tflite")
    suite, results, data = str(stock / "suite"), str(stock / "results"), str(FIXTURES / "float_detector.npz")
    device = [
        "-d",
        rng.choice(
            (
                "litert:reference",
                "litert:xnnpack",
                "tflm",
                "command:/bin/false {model} {runs}",
                "vela:ethos-u55",
            )
        ),
        *LIMITED,
    ]
    script = box.root / "calibration.py"
    script.write_text(
        "import numpy\ndef get_calibration_data():\n    yield {'input': numpy.zeros((1, 32, 32, 3), 'float32')}\n"
    )
    os.mkdir(box.work / "saved")
    (box.work / "saved" / "saved_model.pb").write_bytes(b"")
    argv, writes = rng.choice(
        (
            (["validate", model], []),
            (["validate", model, "--profile", "ethos-u55", "--compile"], []),
            (["inspect", model], []),
            (["explain", "CONV_2D"], []),
            (["rules"], []),
            (["run", model, "--seed", "0", "-o", "o.npz"], ["o.npz"]),
            (["verify", model, *device, "--budget", "5", "--reproduce", "failing"], ["failing"]),
            (["verify", model, *device, "--budget", "5"], []),
            (["diagnose", *device, "--select", "TANH", "--repeat", "0"], []),
            (["quantize", str(stock / "outputs.npz"), "-o", "q.npy", "--scale", "1"], ["q.npy"]),
            (["convert", flat, "--data", data, "-o", "o.tflite"], ["o.tflite"]),
            (["convert", flat, "--data", data, "--compare"], []),
            (["convert", flat, "--data", str(script), "-o", "o.tflite"], ["o.tflite"]),
            (
                [
                    "convert",
                    flat,
                    "--data",
                    data,
                    "-o",
                    "o.tflite",
                    "--via",
                    rng.choice(("tensorflow", "ai-edge-quantizer")),
                ],
                ["o.tflite"],
            ),
            (["convert", "saved", "--data", data, "-o", "o.tflite"], ["o.tflite"]),
            (["verify", flat, *device, "--data", str(script), "--budget", "5"], []),
            (["suite", "make", "-o", "made", "--select", "TANH", "--level", "smoke", "-j", "2"], ["made"]),
            (["suite", "run", suite, *device, "-o", "out", "-j", "2"], ["out"]),
            (["suite", "judge", suite, results], []),
            (["suite", "prove", suite], []),
            (["suite", "diff", results, results, "--suite", suite], []),
            (["certify", suite, results, "--check", str(stock / "certificate.json")], []),
        )
    )
    return Case(
        f"{' '.join(argv[:2])[:40]}: hostile modules", tuple(argv), tuple(writes), alone=rng.random() < 0.5
    )
