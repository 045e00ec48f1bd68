"""Folders with links, circles of links and FIFOs, and files with hostile names."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED, reports
from tests.fuzz.hostile.kinds.models import content
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import argument, file_name
from tests.fuzz.seeds import FIXTURES


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a folder that a command searches, or with a hostile name as its argument."""
    folder = box.work / (file_name(rng) if rng.random() < 0.4 else "models")
    folder.mkdir()
    for _ in range(rng.randrange(4)):
        path = folder / file_name(rng, rng.choice((".tflite", ".tflite", ".task", "")))
        path.write_bytes(
            content(rng)[1] if rng.random() < 0.5 else (FIXTURES / "fc_int8.tflite").read_bytes()
        )
    for number in range(rng.randrange(3)):
        special(box, f"{folder.name}/special-{number}.tflite", rng)
    if rng.random() < 0.4:
        os.symlink(rng.choice((".", "..", "../../..", "/", "/proc/self", "/dev")), folder / "out")
    if rng.random() < 0.1:
        deep = folder
        for _ in range(rng.choice((30, 200))):
            deep = deep / "d"
            deep.mkdir()
    (folder / "calibration.py").write_text(box.python("script in a folder"))
    named = _argument(rng, folder)
    options, files = reports(rng, "validate")
    argv, writes = rng.choices(
        (
            (["validate", *options, "--", named], files),
            (["inspect", "--", named], []),
            (
                [
                    "verify",
                    "-d",
                    "litert:reference",
                    "--set",
                    "inputs=random",
                    "--budget",
                    "5",
                    *LIMITED,
                    "--",
                    named,
                ],
                [],
            ),
            (["convert", "-o", "o.tflite", "--data", "random:1", "--", named], ["o.tflite"]),
            (
                [
                    "convert",
                    "-o",
                    "o.tflite",
                    "--device",
                    "litecheck",
                    "--data",
                    named,
                    str(FIXTURES / "float.tflite"),
                ],
                ["o.tflite"],
            ),
            (["suite", "judge", "--", named, named], []),
            (["explain", "--", named], []),
            (["rules", "--", named], []),
            ([named, "--help"], []),
            (["validate", str(FIXTURES / "fc_int8.tflite"), "--baseline", named], []),
            (["suite", "make", "-o", "made", "--stream", named], ["made"]),
            (["diagnose", "-d", named], []),
            (["diagnose", "-d", "litert:reference", "--select", named], []),
            (["compare", "--", named, named], []),
        ),
        (12, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    )[0]
    return Case(f"{argv[0][:20]!r}: a folder or a hostile argument", tuple(argv), tuple(writes))


def _argument(rng: Random, folder: Path) -> str:
    """Return the folder, a pattern in it, or text that names no file."""
    drawn = rng.random()
    if drawn < 0.65:
        return folder.name if rng.random() < 0.7 else f"./{folder.name}/"
    if drawn < 0.75:
        return f"**/{'*' * rng.choice((1, 30))}.tflite"
    return argument(rng)
