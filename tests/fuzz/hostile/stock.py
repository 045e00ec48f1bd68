"""Sound files of all kinds, made once by litecheck's own commands: hostile inputs are made from these files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from litecheck.cli.console import USAGE
from litecheck.rendering.formats import formats
from tests.fuzz.seeds import FIXTURES
from tests.suite.recorded import recorded, small_suite

#: Devices that the tests can use: a runtime, if it is installed, and always recorded outputs.
RUNTIME = "litert:reference" if find_spec("ai_edge_litert") else ""
#: Models that `convert` takes, and quantized ones.
FLOAT, DETECTOR, SMALL, LARGE = "float.tflite", "float_detector.tflite", "fc_int8.tflite", "conv_int8.tflite"
CLAIMS = """\
claims: acme-npu
device: {name: ACME NPU, version: r1}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
arithmetic: litert-reference
operators:
  LOGISTIC: {tolerance: 1, because: a table}
waivers:
  - {cases: LOGISTIC/int8/*, reason: known, expires: 2099-01-01}
"""
PROFILE = """\
profile: tiny
title: A profile for tests
source: https://example.org/tiny
activations: int8
kinds:
  activation: {dtype: int8, granularity: per-tensor}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight]
    outputs: [output]
    tensors:
      input: activation
      weight: {granularity: per-axis, zero_point: 0, because: a zero point costs a sum, see: page 7}
      output: activation
levels:
  FULLY_CONNECTED/weight/granularity: note
"""


def make_stock(folder: Path) -> Path:
    """Write the sound files into a new folder and return the folder.

    The commands run in this process. Forks of this process then need no time for imports.
    """
    folder.mkdir()
    for name in (FLOAT, DETECTOR, SMALL, LARGE, "broken_weight_zero_point.tflite", "float_detector.npz"):
        shutil.copy(FIXTURES / name, folder)
    (folder / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    (folder / "tiny.yaml").write_text(PROFILE, encoding="utf-8")
    _write_data(folder)
    suite = small_suite(folder / "suite", ("LOGISTIC",))
    recorded(suite, folder / "results")
    with _inside(folder):
        _run_commands()
    return folder


def _write_data(folder: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(folder / "samples.npz", input=rng.normal(size=(4, 1, 6)).astype(np.float32))
    np.save(folder / "x.npy", rng.normal(size=(2, 6)).astype(np.float32))
    np.save(folder / "q.npy", rng.integers(-128, 127, (1, 6), np.int8))
    with contextlib.suppress(ImportError):  # images need the extra that has Pillow
        from PIL import Image

        (folder / "images").mkdir()
        for name in ("a.png", "b.jpg", "c.bmp"):
            Image.fromarray(rng.integers(0, 255, (8, 8, 3), np.uint8)).save(folder / "images" / name)


def _run_commands() -> None:
    """Write what only commands write: reports, a certificate, a plan, statistics, a baseline, recorded outputs, a stream."""
    broken, to = "broken_weight_zero_point.tflite", ("-o", "out.tflite", "--device", "litecheck", "-q")
    call("validate", broken, "--write-baseline", "baseline.json")
    call("suite", "judge", "suite", "results", "-f", "json:judged.json", "-f", "html:judged.html", "-f", "text")
    call("certify", "suite", "results", "--claims", "claims.yaml", "-o", "certificate.json")
    call("convert", FLOAT, "--data", "samples.npz", "--statistics", "statistics.json", "--save-plan", "plan.json", *to)
    Path("stream.txt").write_bytes(call("suite", "make", "--stream", "LOGISTIC", "--count", "5", "-q"))
    lines = Path("stream.txt").read_bytes().splitlines()
    answers = [b"%s 0" % line.split()[0] for line in lines if not line.startswith(b"#")]
    Path("answers.txt").write_bytes(b"\n".join([lines[0], *answers, lines[-1], b""]))
    if RUNTIME:
        verify = ("verify", SMALL, "-d", RUNTIME, "--feed", "random", "--budget", "20")
        call(*verify, "--record", "recorded", "--journal", "journal.jsonl", "-q")
    for command in ("rules", "rules ADD", "explain CONV_2D", f"inspect {LARGE} -t", f"run {LARGE} --random 0 --stats"):
        call(*command.split())
    call("quantize", "x.npy", "-o", "xq.npy", "--scale", "0.5")
    call("dequantize", "q.npy", "-o", "qx.npy", "--scale", "0.5")
    call("compare", "q.npy", "q.npy")
    for model in (broken, LARGE, FLOAT):
        call("validate", model, *(word for name in formats("validate") for word in ("-f", f"{name}:report.{name}")))
    Path("report.json").write_text(json.dumps(json.loads(call("validate", broken, "-f", "json"))), encoding="utf-8")


def call(*arguments: str) -> bytes:
    """Run a command in this process and return what it prints to stdout. Raises ValueError if the command is wrong."""
    from litecheck.cli import main

    before = sys.argv, sys.stdout, sys.stderr
    streams = io.BytesIO(), io.BytesIO()
    sys.argv = ["litecheck", *arguments]
    sys.stdout, sys.stderr = (io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in streams)
    wrappers = sys.stdout, sys.stderr
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.argv, sys.stdout, sys.stderr = before
    for wrapper in wrappers:
        wrapper.detach()
    if code == USAGE:
        raise ValueError(f"{arguments}: {streams[1].getvalue().decode()}")
    return streams[0].getvalue()


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Make a folder the current one, and the home and cache folder, for a while."""
    names = ("HOME", "XDG_CACHE_HOME", "NO_COLOR")
    here, before = os.getcwd(), {name: os.environ.get(name) for name in names}
    os.environ.update(HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache"), NO_COLOR="1")
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
