"""Damaged model files and bundles: mutants of the project's models and of models with hostile names."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
from functools import cache
from pathlib import Path
from random import Random

from litecheck.model.save import model_bytes
from tests.fuzz.atlas import Seed, seed_of
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import any_command, judge_model, line, run_model, show_model
from tests.fuzz.hostile.kinds.models import FAILURES, named_model, surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.words import argument, name
from tests.fuzz.mutate import mutant
from tests.fuzz.seeds import FIXTURES, built

#: Hostile models that are mutated.
NAMED = 12


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write one mutant, and a command that reads it."""
    made = mutant(prepare(stock), rng.randrange(10**6), rng.randrange(10**6))
    file = "mutant" + rng.choice((Path(made.seed).suffix, ".tflite"))
    (box.work / file).write_bytes(made.content)
    (box.work / "weights.bin").write_bytes(bytes(64))
    (box.work / "x.npy").write_bytes((stock / "x.npy").read_bytes())
    argv, writes = any_command(rng, file)
    return Case(f"{made.operator} of {made.seed}", argv, writes, environment=surroundings(rng))


@cache
def prepare(stock: Path) -> tuple[Seed, ...]:
    """Return the project's models and some with hostile names; ``stock`` gets the files."""
    named = []
    for number in range(NAMED):
        rng = Random(f"named {number}")
        path = stock / f"named-{number}.tflite"
        path.write_bytes(model_bytes(named_model(rng, rng.choice(sorted(FAILURES)))))
        named.append(seed_of(path))
    return (*built(), *named)


def make_bundle(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a bundle whose members have hostile names, kinds and sizes, and a command that reads it."""
    file = rng.choice(("bundle.task", "bundle.litertlm", "bundle.tflite"))
    content = _litertlm(rng) if file == "bundle.litertlm" else _archive(rng, stock)
    (box.work / file).write_bytes(content)
    (box.work / "x.npy").write_bytes((stock / "x.npy").read_bytes())
    member = ("--member", rng.choice((argument(rng), "model.tflite", "../model.tflite", "0")))
    parts = rng.choice((judge_model(rng, file), show_model(rng, file), run_model(rng, file, *member), any_command(rng, file)))
    return Case(f"bundle {Path(file).suffix}", *line(parts), environment=surroundings(rng))


def _archive(rng: Random, stock: Path) -> bytes:
    """Return a zip with members that a reader must not unpack, follow or trust."""
    packed = io.BytesIO()
    models = [(stock / one).read_bytes() for one in ("fc_int8.tflite", "float.tflite", "broken_weight_zero_point.tflite")]
    models.append(model_bytes(named_model(rng, rng.choice(sorted(FAILURES)))))
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for number in range(rng.choice((1, 2, 3, 40))):
            stem = rng.choice((name(rng)[:3000], "../../pwned", "/tmp/pwned", "C:\\pwned", "model", "", "a/" * 300, "-o"))
            info = zipfile.ZipInfo((stem.replace("\0", "_").encode("utf-8", "replace").decode() + rng.choice((".tflite", "", f"{number}.tflite"))) or "x")
            info.external_attr = rng.choice((0o100644, 0o120777, 0o010644, 0o040755)) << 16
            info.compress_type = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
            zeros = bytes(rng.choice((0, 100, 20_000_000)))
            archive.writestr(info, rng.choice((*models, *models, b"/etc/passwd", zeros)))
        archive.comment = name(rng).encode("utf-8", "replace")[:60_000]
    content = bytearray(packed.getvalue())
    for _ in range(rng.choice((0, 0, 1, 3))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


def _litertlm(rng: Random) -> bytes:
    """Return the project's bundle with words changed, or a header that states enormous sections."""
    content = bytearray((FIXTURES / "bundle.litertlm").read_bytes())
    if rng.random() < 0.2:
        header = struct.pack("<8s3IIQ", b"LITERTLM", 1, 0, 0, 0, rng.choice((32, 2**40, 2**64 - 1, 33)))
        return header + rng.randbytes(rng.choice((0, 100, 20_000)))
    for _ in range(rng.choice((1, 2, 5))):
        at = rng.randrange(0, 600, 4)
        struct.pack_into("<I", content, at, rng.choice((0, 1, 2**31, 2**32 - 1, len(content), rng.randrange(2**16))))
    return bytes(content)
