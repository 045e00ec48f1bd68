"""Bundles: zip files and LiteRT-LM files with hostile members."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from random import Random

from tests.fuzz.bundles import damage_bundle
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import on_model
from tests.fuzz.hostile.kinds.models import content, model_file
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.words import name
from tests.fuzz.seeds import FIXTURES

#: Names of members that no valid bundle has.
MEMBERS = (
    "../../pwned.tflite",
    "/pwned.tflite",
    "a/../b.tflite",
    "METADATA",
    "",
    ".",
    "x" * 60_000,
    "C:\\pwned.tflite",
)


def bundle(rng: Random, depth: int = 0) -> bytes:
    """Return a zip with hostile names, duplicates, compressed members, links, or nested bundles."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for _ in range(rng.choice((1, 1, 2, 5))):
            suffix = rng.choice((".tflite", ".tflite", ".task", "", ".txt"))
            member = rng.choice((*MEMBERS, *(name(rng)[:6000] + suffix,) * 12))
            info = zipfile.ZipInfo(member.encode("utf-8", "replace").decode().replace("\0", "_") or "_")
            if rng.random() < 0.1:
                info.external_attr = 0o120777 << 16  # a link
            inner = bundle(rng, depth + 1) if depth < 6 and rng.random() < 0.25 else content(rng)[1]
            if rng.random() < 0.1:
                info.compress_type, inner = zipfile.ZIP_DEFLATED, bytes(20 << 20)
            archive.writestr(info, inner)
    return out.getvalue()


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile or damaged bundle."""
    if rng.random() < 0.6:
        title, data = "zip with hostile members", bytearray(bundle(rng))
    else:
        file = rng.choice(("bundle.task", "bundle.litertlm"))
        title, data = f"{file} damaged", bytearray((FIXTURES / file).read_bytes())
    for _ in range(rng.choice((0, 1, 2))):
        damage_bundle(rng, data)
    file = model_file(rng, box).removesuffix(".tflite") + rng.choice((".task", ".litertlm", ".tflite"))
    (box.work / file).write_bytes(data)
    return on_model(rng, file, title)
