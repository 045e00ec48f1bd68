"""Documents that commands read: plans, statistics, baselines, certificates, reports, recordings, streams."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED
from tests.fuzz.hostile.kinds.arrays import array
from tests.fuzz.hostile.mangle import change, dumps, text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import name
from tests.fuzz.seeds import FIXTURES

CommandLine = Callable[[Path], tuple[list[str], list[str]]]
_FLOAT = str(FIXTURES / "float_detector.tflite")
_MADE = ["--device", "litecheck", "-o", "out.tflite"]
#: File of the stock -> command that reads it; the working folder has the hostile file under the same name.
_READERS: dict[str, CommandLine] = {
    "plan.json": lambda stock: (["convert", _FLOAT, "--plan", "plan.json", *_MADE], ["out.tflite"]),
    "statistics.json": lambda stock: (
        ["convert", _FLOAT, "--calibration-cache", "statistics.json", "--data", "random:1", *_MADE],
        ["out.tflite", "missing", "statistics.json"],
    ),  # a missing file is written, also through a link or in place of a circle of links
    "baseline.json": lambda stock: (
        ["validate", str(FIXTURES / "broken_bias_int8.tflite"), "--baseline", "baseline.json"],
        [],
    ),
    "certificate.json": lambda stock: (
        ["certify", str(stock / "suite"), str(stock / "results"), "--check", "certificate.json"],
        [],
    ),
    "judged.json": lambda stock: (["suite", "diff", "judged.json", str(stock / "judged.json")], []),
    "stream.txt": lambda stock: (["suite", "judge", "--stream-results", "stream.txt"], []),
    "journal.jsonl": lambda stock: (
        [
            "verify",
            str(FIXTURES / "fc_int8.tflite"),
            "-d",
            "litert:reference",
            "--set",
            "inputs=random",
            "--budget",
            "12",
            "--set",
            "checkpoint=journal.jsonl",
            "--resume",
            *LIMITED,
        ],
        ["journal.jsonl", "missing"],
    ),
}


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a damaged document: a changed tree, a cut or nested text, a link or a FIFO."""
    if rng.random() < 0.15:
        return _recorded(rng, box, stock)
    file, line = rng.choice(sorted(_READERS.items()))
    content = (stock / file).read_bytes()
    path, way = box.work / file, rng.choice(("tree", "tree", "text", "special"))
    if way == "special":
        special(box, file, rng)
    elif way == "text" or file == "stream.txt":
        path.write_bytes(
            _stream(rng, content) if file == "stream.txt" and way == "tree" else text(rng, content)
        )
    elif file.endswith(".jsonl"):
        lines = content.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = dumps(change(rng, json.loads(lines[at])))
        path.write_bytes(b"\n".join(lines) + b"\n")
    else:
        path.write_bytes(dumps(change(rng, json.loads(content))))
    argv, writes = line(stock)
    form = [] if argv[0] in ("convert", "verify") or rng.random() < 0.5 else ["-f", "json"]
    if argv[0] == "validate" and rng.random() < 0.3:
        form = ["-f", "github"]
    return Case(f"{argv[0]}: {file} {way}", (*argv, *form), tuple(writes))


def _stream(rng: Random, content: bytes) -> bytes:
    """Change one word of a single line."""
    lines = content.decode().splitlines()
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    words[rng.randrange(len(words))] = rng.choice(
        (name(rng), "9" * 400, "-1", "ffffffff", "7fc00000", "", "x=1", "2147483648")
    )
    lines[at] = " ".join(words)
    return "\n".join(lines).encode("utf-8", "surrogateescape" if rng.random() < 0.5 else "replace") + b"\n"


def _recorded(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with recorded outputs of a device, some of them replaced by special files."""
    shutil.copytree(stock / "recorded", box.work / "recorded")
    files = sorted((box.work / "recorded").rglob("*.npy"))
    for path in rng.sample(files, min(3, len(files))):
        path.unlink()
        if rng.random() < 0.4:
            special(box, str(path.relative_to(box.work)), rng)
        else:
            path.write_bytes(array(rng, box))
    argv = (
        "verify",
        str(FIXTURES / "fc_int8.tflite"),
        "-d",
        "recorded:recorded",
        "--set",
        "inputs=random",
        "--budget",
        "12",
        *LIMITED,
    )
    return Case("verify: recorded outputs", argv)
