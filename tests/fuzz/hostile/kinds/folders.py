"""Folders and file names: links, circles, pipes and devices among models; names with control characters, ``::``, dashes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import (
    Line,
    any_command,
    judge_model,
    line,
    plain_report,
    reports,
    verify_model,
)
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import FLOAT, RUNTIME, SMALL
from tests.fuzz.hostile.words import argument, file_name

SUFFIXES = (".tflite", ".tflite", ".task", ".litertlm", ".npy", ".yaml", "")
MODELS = (SMALL, FLOAT, "broken_weight_zero_point.tflite")


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a folder of models with hostile entries, and a command that walks through the folder."""
    root = box.work / rng.choice(("models", file_name(rng)))
    root.mkdir(exist_ok=True)
    places = [root]
    for _ in range(rng.choice((2, 5, 12))):
        folder = rng.choice(places)
        path = folder / file_name(rng, rng.choice(SUFFIXES))
        if not os.path.lexists(path):
            _add(rng, box, stock, path)
            if path.is_dir() and not path.is_symlink():
                places.append(path)
    shutil.copy(stock / "x.npy", box.work)
    return Case("folder", *_walk(rng, box, root.name), environment=surroundings(rng))


def _add(rng: Random, box: Sandbox, stock: Path, path: Path) -> None:
    """Add one entry: a model, a folder, or something that is neither."""
    kind = rng.choice(("model", "model", "model", "folder", "folder", "pipe", "link", "link", "circle", "text", "unreadable"))
    if kind == "model":
        shutil.copy(stock / rng.choice(MODELS), path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "circle":
        path.symlink_to(rng.choice((".", "..", "../..", path.name)))
    elif kind == "link":
        path.symlink_to(rng.choice(("/dev/zero", "/dev/tty", "/proc", "/", "gone", str(box.root / "secret.yaml"), str(stock / SMALL))))
    else:
        path.write_bytes(rng.choice((b"", b"\x1cTFL3", b"secret", bytes(10**6))))
        path.chmod(0o000 if kind == "unreadable" else 0o644)


def _walk(rng: Random, box: Sandbox, root: str) -> Line:
    entries = sorted(str(path.relative_to(box.work)) for path in (box.work / root).rglob("*"))
    one = rng.choice(entries)
    lines = [
        judge_model(rng, root), judge_model(rng, root), judge_model(rng, f"./{root}"), judge_model(rng, f"{root}/**/*.tflite"),
        judge_model(rng, one), judge_model(rng, one), any_command(rng, one), any_command(rng, one),
        line("convert", FLOAT, "--data", root, "--dry-run", "--device", "litecheck"),
        line("suite", "judge", root, root), line("certify", root, root, "--check", one),
    ]  # fmt: skip
    if RUNTIME:
        lines.append(verify_model(rng, root, RUNTIME, "--dry-run"))
    return rng.choice(lines)


def make_arguments(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Give hostile texts as arguments: files that do not exist, options, names, patterns."""
    for one in (*MODELS, "x.npy", "claims.yaml", "tiny.yaml"):
        shutil.copy(stock / one, box.work)
    text = argument(rng)
    model = rng.choice(MODELS)
    lines = [
        line("validate", "--", text), line("validate", model, "-p", text), line("validate", model, "--select", text),
        line("validate", model, "--ignore", text), line("validate", model, "--level", f"{text}=note"), line("validate", model, "-f", text),
        line("validate", model, "--baseline", text), line("validate", model, "--config", text), line("validate", model, "--fail-on", text),
        line("validate", model, "--max-partitions", text), line("inspect", "--", text), line("inspect", model, "--op", text),
        line("explain", "--", text), line("explain", "CONV_2D", "-p", text), line("rules", "--", text), line("rules", "-p", text),
        line("rules", "--measurements", "--", text), line("run", model, "--input", text, "--stats"), line("run", model, "--signature", text, "--stats"),
        line("run", model, "--random", text, "--stats"), line("run", model, "--arithmetic", text, "--random", "0", "--stats"),
        line("verify", model, "-d", text), line("verify", model, "-d", f"command:{box.root}/bin/none {text}", "--budget", "3"),
        line("verify", model, "-d", f"recorded:{text}"), line("verify", model, "-d", "tflm", "--select", text, "--budget", "3"),
        line("diagnose", "-d", text), line("diagnose", "-d", "tflm", "--op", text), line("convert", FLOAT, "--keep", text, "--random", "1", "--dry-run"),
        line("convert", FLOAT, "--data", text, "--dry-run"), line("convert", FLOAT, "--calibrate", text, "--random", "1", "--dry-run"),
        line("convert", FLOAT, "--plan", text, (("-o", "o.tflite"), ("o.tflite",))), line("suite", "make", "--stream", text),
        line("suite", "make", "--select", text, (("-o", "made"), ("made",))), line("suite", "judge", text, text), line("suite", "diff", text, text),
        line("suite", "judge", "--stream", text), line("certify", text, text, "--check", text), line("compare", "x.npy", "--", text),
        line("compare", "x.npy", "x.npy", "--semantics", text), line("compare", "x.npy", "x.npy", "--scale", text, reports(rng, "compare")),
        line("quantize", "x.npy", (("-o", "o.npy"), ("o.npy",)), "--scale", text, plain_report(rng)), line("dequantize", f"{model}:{text}", (("-o", "o.npy"), ("o.npy",))),
        line("quantize", "x.npy", (("-o", "o.npy"), ("o.npy",)), "--like", f"{model}:{text}"), line(text), line("validate", model, text),
        line("quantize", "x.npy", (("-o", "o.npy"), ("o.npy",)), "--scale", "1", "--dtype", text), line("suite", "make", "--arithmetic", text, (("-o", "made"), ("made",)), "--select", "ABS"),
    ]  # fmt: skip
    words, writes = rng.choice(lines)
    return Case("arguments", words, writes, stdin=text.encode("utf-8", "surrogateescape"), environment=surroundings(rng))
