"""Calibration images: other formats under the name of an image, decompression bombs, truncated files, links, pipes."""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import convert_model, verify_model
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import DETECTOR, RUNTIME
from tests.fuzz.hostile.words import file_name

EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
#: Beginnings of files for which Pillow has decoders that litecheck does not need.
OTHERS = (
    b"P6 99999 99999 255\n", b"P1 2 2\n1 0 1 0\n", b"%PDF-1.4\n", b"\xd7\xcd\xc6\x9a" + bytes(99), b"GIF89a\xff\xff\xff\xff\0\0\0",
    b"II*\0\x08\0\0\0" + bytes(99), b"#define x_width 8\n#define x_height 8\nstatic char x_bits[]={0x00};\n", b"/* XPM */\n", b"8BPS\0\1",
    b"RIFF\0\0\0\0WEBP", b"\0\0\1\0\1\0", b"icns" + bytes(99), b"FWS\x05", b"SIMPLE  =                    T", b"DDS |\0\0\0",
)  # fmt: skip
SUFFIXES = (".png", ".jpg", ".bmp", ".jpeg", ".webp", ".gif", ".tiff", ".eps", ".PNG")


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a folder of images of which at least one is hostile, and a command that calibrates on it."""
    shutil.copy(stock / DETECTOR, box.work)
    folder = box.work / "images"
    folder.mkdir()
    for path in (stock / "images").glob("*") if (stock / "images").is_dir() else ():
        if rng.random() < 0.5:
            shutil.copy(path, folder)
    for number in range(rng.choice((1, 1, 2))):
        suffix = rng.choice(SUFFIXES)
        name = file_name(rng, suffix) if rng.random() < 0.3 else f"hostile{number}{suffix}"
        _write(rng, folder / name, stock)
    target = "images" if rng.random() < 0.8 else f"images/{rng.choice(sorted(os.listdir(folder)))}"
    argv, writes = convert_model(rng, DETECTOR, "--data", target, "--samples", "8", data=False)
    if RUNTIME and rng.random() < 0.1:
        argv, writes = verify_model(rng, DETECTOR, RUNTIME, "--calibration", target)
    return Case("images", argv, writes, environment=surroundings(rng))


def _write(rng: Random, path: Path, stock: Path) -> None:
    kind = rng.choice(("other", "other", "bomb", "truncated", "link", "pipe", "circle", "folder", "chunks"))
    if kind == "other":
        path.write_bytes(rng.choice((EPS, rng.choice(OTHERS))))
    elif kind == "bomb":
        path.write_bytes(png(*rng.choice(((30_000, 30_000), (20_000, 8_000), (2**31 - 1, 1), (65_500, 65_500), (0, 0)))))
    elif kind == "truncated":
        content = rng.choice((png(8, 8), _sound(stock)))
        path.write_bytes(content[: rng.randrange(len(content))])
    elif kind == "chunks":
        text = b"x\0" + bytes(rng.choice((100, 60_000_000)))
        path.write_bytes(png(8, 8, chunk(b"zTXt", b"x\0\0" + zlib.compress(text)) + chunk(b"iCCP", b"x\0\0" + zlib.compress(text))))
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path.name if kind == "circle" else rng.choice(("/dev/zero", "/dev/tty", "../../secret.txt", "gone")))


def _sound(stock: Path) -> bytes:
    found = sorted((stock / "images").glob("*")) if (stock / "images").is_dir() else []
    return found[-1].read_bytes() if found else png(8, 8)


def png(width: int, height: int, extra: bytes = b"") -> bytes:
    """Return a PNG of that size: all pixels if it is small, too few if it is large."""
    rows = bytes((width * 3 + 1) * height) if width * height <= 4096 else bytes(10**6)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), extra, chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return one chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
