"""Arrays and streams of vectors: pickles, compression bombs, damaged headers, enormous shapes, hostile member names."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from pathlib import Path
from random import Random

import numpy as np

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import (
    Line,
    convert_model,
    line,
    plain_report,
    reports,
    run_model,
    verify_model,
)
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import FLOAT, RUNTIME, SMALL
from tests.fuzz.hostile.words import file_name, name

#: Types that an array file may state.
TYPES = ("<f4", "|i1", "|O", "<U9", "|S5", "<c16", "<M8[ns]", "|V8", "[('a', '<i4')]", ">f8", "<f2", "|b1", "x" * 9000, "\x1b[8m")
SHAPES = ("(1, 6)", "(2, 6)", "()", "(0,)", "(1099511627776,)", "(-1,)", "(9,)*9", "(2147483647,)*9", "'x'", "(1.5,)", "(" + "1," * 200 + ")")


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write an array file or a recorded output, and a command that reads it."""
    for one in (SMALL, FLOAT, "x.npy", "q.npy"):
        shutil.copy(stock / one, box.work)
    subject = rng.choice(("array", "array", "archive", "archive", "raw", "special", "recorded", "outputs", "stream"))
    if subject in ("recorded", "outputs"):
        return _inside_folder(rng, box, stock, subject)
    if subject == "stream":
        return _stream(rng, box, stock)
    suffix = {"array": ".npy", "archive": ".npz", "raw": ".bin"}.get(subject, rng.choice((".npy", ".npz", ".bin")))
    file = file_name(rng, suffix).lstrip("-") if rng.random() < 0.2 else f"a{suffix}"
    _write(rng, box, box.work / file, subject)
    return Case(subject, *_command(rng, f"./{file}"), environment=surroundings(rng))


def _write(rng: Random, box: Sandbox, path: Path, subject: str) -> None:
    if subject == "special":
        kind = rng.choice(("/dev/zero", "/dev/tty", path.name, "gone", "pipe", "folder", "../secret.txt"))
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(kind)
    else:
        content = {"array": _array, "archive": _archive, "raw": lambda r, b: r.randbytes(r.choice((0, 6, 7, 10**6)))}[subject]
        path.write_bytes(content(rng, box))


def _array(rng: Random, box: Sandbox) -> bytes:
    """Return a .npy file: a header of a hostile type, shape and length, and data that may be a pickle."""
    kind, shape = rng.choice(TYPES), rng.choice(SHAPES)
    described = kind if kind.startswith("[") else repr(kind)
    header = f"{{'descr': {described}, 'fortran_order': False, 'shape': {shape}, }}"
    header = rng.choice((header, header, header, name(rng)[:300], "[" * 5000, "{'a': " * 3000, "__import__('os')", "{}"))
    text = header.encode("utf-8", "surrogatepass")
    length = rng.choice((len(text), len(text), len(text), 0, 65535))
    data = rng.choice((bytes(24), bytes(6), _pickle(box), b"", rng.randbytes(100)))
    version = rng.choice((b"\1\0", b"\1\0", b"\2\0", b"\3\0", b"\xff\xff"))
    size = length.to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + text + data


def _pickle(box: Sandbox) -> bytes:
    """Return a pickle that leaves a canary when it is loaded."""
    return b"cos\nsystem\n(S': > %s'\ntR." % str(box.canary("pickle")).encode()


def _archive(rng: Random, box: Sandbox) -> bytes:
    """Return a .npz file with hostile members, bombs, pickles, damage."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for number in range(rng.choice((1, 2, 30))):
            usual = rng.choice(("input", "x", "arr_0", "../../pwned", "/tmp/pwned"))
            stem = rng.choice((usual, name(rng)[:3000].replace("\0", "_").encode("utf-8", "replace").decode()))
            archive.writestr(f"{stem}{number or ''}.npy", rng.choice((_array, _sound, _sound, _zeros))(rng, box))
    content = bytearray(packed.getvalue())
    for _ in range(rng.choice((0, 0, 1, 9))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content[: rng.choice((len(content), len(content), len(content) // 2))])


def _sound(rng: Random, box: Sandbox) -> bytes:
    file = io.BytesIO()
    values = np.zeros(rng.choice(((2, 1, 6), (1, 6), (6,), (3, 7))), rng.choice((np.float32, np.int8, np.float64)))
    values.flat[:1] = rng.choice((0.0, 1.0)) if values.dtype == np.int8 else rng.choice((0.0, np.nan, np.inf, 1e38))
    np.save(file, values)
    return file.getvalue()


def _zeros(rng: Random, box: Sandbox) -> bytes:
    """Return a sound array that deflates to almost nothing."""
    file = io.BytesIO()
    np.save(file, np.zeros((rng.choice((1, 50_000_000)),), np.int8))
    return file.getvalue()


def _command(rng: Random, file: str) -> Line:
    drawn = (("--scale", "0.5"), ())
    out = (("-o", "out.npy"), ("out.npy",))
    key = rng.choice((file, file, f"{file}:input", f"{file}:{name(rng)[:50]}".replace("\0", "_")))
    lines = [
        line("quantize", out, drawn, plain_report(rng), "--", key),
        line("quantize", out, "--from-data", "symmetric", plain_report(rng), "--", key),
        line("quantize", out, "--scale", file, "--axis", "0", plain_report(rng), "--", "x.npy"),
        line("dequantize", out, drawn, plain_report(rng), "--dtype", "int8", "--", key),
        line("compare", drawn, reports(rng, "compare"), "--", key, "q.npy"),
        line("compare", drawn, reports(rng, "compare"), "--dtype", "int8", "--", "x.npy", key),
        run_model(rng, SMALL, "--input", rng.choice((key, f"input={key}", f"0={key}"))),
        convert_model(rng, FLOAT, "--data", file, data=False),
        convert_model(rng, FLOAT, "--data", file, data=False),
    ]
    if RUNTIME:
        lines.append(verify_model(rng, SMALL, RUNTIME, "--calibration", file))
    return rng.choice(lines)


def _inside_folder(rng: Random, box: Sandbox, stock: Path, subject: str) -> Case:
    """Damage arrays of a suite, of its results, or of recorded outputs."""
    for folder in ("suite", "results", "recorded"):
        if (stock / folder).is_dir():
            shutil.copytree(stock / folder, box.work / folder)
    recorded = subject == "recorded" and RUNTIME
    root = box.work / ("recorded" if recorded else rng.choice(("suite", "results")))
    files = sorted(path for path in root.rglob("*") if path.suffix in (".npy", ".bin", ".tflite"))
    for path in rng.sample(files, min(len(files), rng.choice((1, 3)))):
        path.unlink()
        _write(rng, box, path, rng.choice(("array", "archive", "special", "raw")))
    if recorded:
        return Case(subject, *verify_model(rng, SMALL, "recorded:recorded"))
    check = ("--check", "certificate.json")
    shutil.copy(stock / "certificate.json", box.work)
    shutil.copy(stock / "claims.yaml", box.work)
    lines = [line("suite", "judge", "suite", "results", reports(rng, "suite")), line("certify", "suite", "results", (check, ()))]
    lines.append(line("suite", "prove", "suite", reports(rng, "prove")))
    if RUNTIME:
        lines.append(line("suite", "run", "suite", "-d", RUNTIME, "--timeout", "5", (("-o", "new"), ("new",))))
    return Case(f"{subject} of {root.name}", *rng.choice(lines))


def _stream(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Damage a stream of vectors or the answers to it."""
    for one in ("stream.txt", "answers.txt"):
        lines = (stock / one).read_bytes().splitlines()
        for _ in range(rng.choice((0, 1, 2))):
            number = rng.randrange(len(lines))
            hostile = name(rng).encode("utf-8", "surrogatepass")
            words = lines[number].split(b" ")
            words[rng.randrange(len(words))] = rng.choice((b"9" * 5000, b"", hostile, b"count=99999999999999", b"kind=" + hostile, b"-1"))
            lines[number] = rng.choice((hostile, b" ".join(words), lines[number] * 2, b"", b"\0" * 99, b"#" * 10**6))
        (box.work / one).write_bytes(b"\n".join(lines) + b"\n")
    header = rng.choice(((), ("--header", "stream.txt")))
    source = rng.choice(("answers.txt", "-"))
    words, writes = line("suite", "judge", "--stream", source, (header, ()), reports(rng, "suite"))
    stdin = (box.work / "answers.txt").read_bytes()
    return Case("stream", words, writes, stdin=stdin, environment=surroundings(rng))
