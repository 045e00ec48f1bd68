"""Calibration images: formats that contradict the file name, bombs, broken files."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED
from tests.fuzz.hostile.mangle import text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import file_name
from tests.fuzz.seeds import FIXTURES

EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"


def png(width: int, height: int, data: bytes, extra: bytes = b"") -> bytes:
    """Return a .png file of this size with these compressed bytes, enough or too few."""
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + extra + _chunk(b"IDAT", zlib.compress(data)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pillow(form: str) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (16, 16), (200, 30, 5)).save(out, form)
    return out.getvalue()


def content(rng: Random) -> bytes:
    """Return the bytes of a hostile image."""
    sound = png(16, 16, bytes(49 * 16))
    return rng.choice(
        (
            lambda: EPS,
            lambda: EPS,
            lambda: sound[: rng.randrange(len(sound))],
            lambda: text(rng, sound),
            lambda: png(60_000, 60_000, bytes(1000)),
            lambda: png(2**31 - 1, 2**31 - 1, b""),
            lambda: png(20_000, 20_000, bytes(60_001 * 100)),
            lambda: png(0, 16, b""),
            lambda: png(16, 16, bytes(49 * 16), _chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(50 << 20)))),
            lambda: png(16, 16, bytes(49 * 16), _chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(50 << 20)))),
            lambda: _pillow(rng.choice(("GIF", "BMP", "TIFF", "JPEG", "PPM", "TGA", "ICO", "PDF"))),
            lambda: sound,
            lambda: b"P6 " + b"9" * 5000 + b" 1 255\n",
            lambda: b"BM" + b"\xff" * 100,
            lambda: b"GIF89a\xff\xff\xff\xff" + bytes(50),
        )
    )()


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a folder of images as samples of a model."""
    folder = box.work / "images"
    folder.mkdir()
    for _ in range(rng.choice((1, 1, 2))):
        suffix = rng.choice(
            (".png", ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".ppm", ".webp", ".tif", ".eps")
        )
        stem = rng.choice((file_name(rng), "a"))
        (folder / f"{stem}{suffix}").write_bytes(content(rng))
    if rng.random() < 0.15:
        special(box, f"images/{rng.choice('bc')}.png", rng)
    flat = str(FIXTURES / "float_detector.tflite")
    argv, writes = rng.choices(
        (
            (
                ["convert", flat, "--data", "images", "--device", "litecheck", "-o", "out.tflite"],
                ["out.tflite"],
            ),
            (["convert", flat, "--data", "images", "--device", "litecheck", "--compare"], []),
            (
                [
                    "verify",
                    flat,
                    "-d",
                    "litert:reference",
                    "--data",
                    "images",
                    "--budget",
                    "3",
                    *LIMITED,
                ],
                [],
            ),
        ),
        (8, 1, 2),
    )[0]
    return Case(f"{argv[0]}: images", tuple(argv), tuple(writes))
