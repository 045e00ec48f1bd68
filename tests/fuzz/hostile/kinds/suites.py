"""Suites and results: manifests that name foreign files, damaged lines, links and FIFOs in place of files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import DEVICE, LIMITED, reports
from tests.fuzz.hostile.kinds.arrays import array
from tests.fuzz.hostile.mangle import PATHS, change, dumps, text, value
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special


def _copy(box: Sandbox, stock: Path, folder: str) -> Path:
    shutil.copytree(stock / folder, box.work / folder)
    (box.work / "device").write_text(DEVICE, encoding="utf-8")
    (box.work / "device").chmod(0o755)
    for file, target in (("fifo", None), ("zero", "/dev/zero"), ("circle", "circle")):
        for place in (box.work, box.work / folder):
            os.mkfifo(place / file) if target is None else os.symlink(target, place / file)
    return box.work / folder


def _replace(rng: Random, box: Sandbox, folder: Path) -> None:
    """Replace one file of a folder by a link, a FIFO, or a hostile array."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
    path = rng.choice(
        [p for p in files if p.suffix in (".npy", ".bin", ".tflite")] if rng.random() < 0.7 else files
    )
    content = path.read_bytes()
    path.unlink()
    if rng.random() < 0.6:
        special(box, str(path.relative_to(box.work)), rng)
    else:
        path.write_bytes(array(rng, box) if path.suffix == ".npy" else text(rng, content))


def _fields(rng: Random, document: dict[str, object]) -> None:
    """Change the fields of a single entry that name files, types and shapes."""
    queue: list[object] = [document]
    dicts = []
    while queue:
        item = queue.pop()
        if isinstance(item, dict):
            dicts.append(item)
            queue += item.values()
        elif isinstance(item, list):
            queue += item
    keys = (
        "file",
        "model",
        "dtype",
        "shape",
        "sha256",
        "name",
        "arithmetics",
        "outcome",
        "seconds",
        "case",
        "broken",
        "opcode",
        "kind",
    )
    owners = [(d, k) for d in dicts for k in keys if k in d]
    for _ in range(rng.choice((1, 1, 3))):
        owner, key = rng.choice(owners)
        owner[key] = rng.choice(PATHS) if key in ("file", "model") else value(rng, owner[key])


def suite(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile suite, for the commands that read suites."""
    folder = _copy(box, stock, "suite")
    manifest = folder / "manifest.json"
    document = json.loads(manifest.read_bytes())
    way = rng.choice(("fields", "fields", "tree", "text", "file", "tolerances"))
    if way == "fields":
        _fields(rng, document)
        manifest.write_bytes(dumps(document))
    elif way == "tree":
        manifest.write_bytes(dumps(change(rng, document)))
    elif way == "tolerances":
        tolerance = {"opcode": "TANH", "tolerance": None, "reals": 0.5, "because": "x"}
        document["tolerances"] = [change(rng, tolerance)]
        manifest.write_bytes(dumps(document))
    elif way == "text":
        manifest.write_bytes(text(rng, manifest.read_bytes()[:20_000]))
    else:
        _replace(rng, box, folder)
    results = str(stock / "results")
    options, files = reports(rng, "suite")
    argv, writes = rng.choices(
        (
            (
                [
                    "suite",
                    "run",
                    "suite",
                    "-d",
                    rng.choice(("litert:reference", "command:./device {model} {runs}", "recorded:suite")),
                    "-o",
                    "out",
                    *LIMITED,
                ],
                ["out"],
            ),
            (["suite", "judge", "suite", results, *options], files),
            (["suite", "prove", "suite"], []),
            (
                ["certify", "suite", results, "--claims", str(stock / "claims.yaml"), "-o", "c.json"],
                ["c.json"],
            ),
            (["certify", "suite", results, "--check", str(stock / "certificate.json")], []),
            (["suite", "diff", results, results, "--suite", "suite"], []),
        ),
        (6, 5, 3, 2, 2, 2),
    )[0]
    return Case(f"{' '.join(argv[:2])}: suite {way}", tuple(argv), tuple(writes))


def results(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with hostile results, for the commands that read results."""
    folder = _copy(box, stock, "results")
    file = folder / "results.jsonl"
    lines = file.read_bytes().splitlines()
    at = rng.randrange(len(lines))
    way = rng.choice(("fields", "tree", "text", "line", "file"))
    if way in ("fields", "tree"):
        document = json.loads(lines[at])
        if way == "fields":
            _fields(rng, document)
        lines[at] = dumps(document if way == "fields" else change(rng, document))
        file.write_bytes(b"\n".join(lines) + b"\n")
    elif way == "line":
        lines[at] = text(rng, lines[at])
        file.write_bytes(b"\n".join(lines) + b"\n")
    elif way == "text":
        file.write_bytes(text(rng, file.read_bytes()))
    else:
        _replace(rng, box, folder)
    suite = str(stock / "suite")
    options, files = reports(rng, "suite")
    argv, writes = rng.choices(
        (
            (["suite", "judge", suite, "results", *options], files),
            (["suite", "diff", "results", str(stock / "results"), "--suite", suite], []),
            (
                ["certify", suite, "results", "--claims", str(stock / "claims.yaml"), "-o", "c.json"],
                ["c.json"],
            ),
            (["certify", suite, "results", "--check", str(stock / "certificate.json")], []),
            (
                ["suite", "run", suite, "-d", "litert:reference", "-o", "results", "--resume", *LIMITED],
                ["results"],
            ),
        ),
        (8, 3, 2, 2, 2),
    )[0]
    return Case(f"{' '.join(argv[:2])}: results {way}", tuple(argv), tuple(writes))
