"""Arrays: .npy and .npz files with pickles, wrong headers, huge shapes and compressed zeros."""

from __future__ import annotations

import io
import os
import pickle
import struct
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import LIMITED
from tests.fuzz.hostile.mangle import nested, text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import argument, name
from tests.fuzz.seeds import FIXTURES


class _Code:
    """Object that runs code when it is unpickled."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> Any:
        return exec, (self.code,)


def header(content: str, data: bytes = b"", version: int = 1) -> bytes:
    """Return a .npy file with this header, valid or invalid."""
    raw = content.encode("latin-1", "replace") + b"\n"
    length = struct.pack("<H", len(raw) & 0xFFFF) if version == 1 else struct.pack("<I", len(raw))
    return b"\x93NUMPY" + bytes((version, 0)) + length + raw + data


def array(rng: Random, box: Sandbox) -> bytes:
    """Return the bytes of a hostile .npy file."""
    sound = _npy(np.zeros((1, 6), np.int8))
    fields = "{{'descr': {}, 'fortran_order': False, 'shape': {}, }}"
    return rng.choice(
        (
            lambda: header(fields.format("'|O'", "(1,)"), pickle.dumps(_Code(box.python("pickle")))),
            lambda: pickle.dumps(_Code(box.python("pickle"))),
            lambda: header(
                fields.format(
                    "'<f4'",
                    rng.choice(
                        (
                            "(2147483647, 2147483647, 4)",
                            "(-1,)",
                            "(10000000000,)",
                            "(9" + "9" * 400 + ",)",
                            "(True,)",
                            "(1.5,)",
                            "[1]",
                            "()",
                            "(0, 9223372036854775807)",
                            nested(300, "(", ",)"),
                        )
                    ),
                ),
                bytes(24),
            ),
            lambda: header(
                fields.format(
                    rng.choice(
                        (
                            "'<U1000000000'",
                            "'|V999999999'",
                            "[('a', '<i4'), ('a', '<i4')]",
                            "'pwned'",
                            "None",
                            "'>i9'",
                            "'<M8[s]'",
                            repr(name(rng)),
                            "'<f2'",
                            "'<c16'",
                            "'|b1'",
                            "'<i8'",
                        )
                    ),
                    "(1, 6)",
                ),
                bytes(96),
            ),
            lambda: header(
                rng.choice(
                    (
                        "",
                        "{",
                        "{'descr': __import__('os')}",
                        "[" * 5000,
                        "{}",
                        "{" * 500,
                        "0" * 9999,
                        name(rng),
                    )
                ),
                b"",
                rng.choice((1, 2, 3, 9)),
            ),
            lambda: sound[: rng.randrange(len(sound))],
            lambda: text(rng, sound),
            lambda: sound,
            lambda: _npy(np.full((1, 6), np.nan, np.float32)),
            lambda: _npy(np.zeros((0, 6), np.int8)),
            lambda: _npy(np.zeros((1,) * 60, np.int8)),
        )
    )()


def _npy(values: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, values)
    return out.getvalue()


def archive(rng: Random, box: Sandbox) -> bytes:
    """Return the bytes of a hostile .npz file."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        warnings.simplefilter("ignore")
        for _ in range(rng.choice((0, 1, 2, 5))):
            member = (
                rng.choice(("input", "image", "a", name(rng)[:3000]))
                .encode("utf-8", "replace")
                .decode()
                .replace("\0", "_")
            )
            if rng.random() < 0.15:
                shape = f"({rng.choice((100, 3000)) << 20},)"  # zeros with a compression ratio of 1,000
                made.writestr(
                    f"{member}.npy",
                    header(
                        f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape}, }}", bytes(100 << 20)
                    ),
                )
            else:
                made.writestr(f"{member}.npy", array(rng, box))
    content = out.getvalue()
    return text(rng, content) if rng.random() < 0.1 else content


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with hostile arrays as inputs, samples and parameters."""
    zipped = rng.random() < 0.5
    file = "x.npz" if zipped else "x.npy"
    if rng.random() < 0.1:
        special(box, file, rng)
    else:
        (box.work / file).write_bytes(archive(rng, box) if zipped else array(rng, box))
    if rng.random() < 0.2:
        (box.work / "data").mkdir()
        os.symlink(f"../{file}", box.work / "data" / f"linked{file[1:]}")
        (box.work / "data" / "calibration.py").write_text(box.python("script in a folder"))
    model, flat = str(FIXTURES / "fc_int8.tflite"), str(FIXTURES / "float.tflite")
    one = file if rng.random() < 0.6 else f"{file}:{argument(rng)}"
    data = "data" if (box.work / "data").exists() else file
    argv, writes = rng.choice(
        (
            (["run", model, "--input", one, "-o", "o.npz"], ["o.npz"]),
            (["run", model, "--input", f"{argument(rng)}={one}", "-o", "o.npz"], ["o.npz"]),
            (["quantize", one, "-o", "q.npy", "--scale", "1/128"], ["q.npy"]),
            (["quantize", one, "-o", "q.npy", "--from-data", "asymmetric"], ["q.npy"]),
            (["quantize", one, "-o", "q.npy", "--like", f"{model}:input"], ["q.npy"]),
            (["quantize", str(stock / "outputs.npz"), "-o", "q.npy", "--scale", file], ["q.npy"]),
            (["dequantize", one, "-o", "w.npy", "--scale", "0.5"], ["w.npy"]),
            (["dequantize", one, "-o", "w.npy", "--like", f"{model}:{argument(rng)}"], ["w.npy"]),
            (["compare", one, one], []),
            (
                [
                    "compare",
                    one,
                    str(stock / "outputs.npz"),
                    "-f",
                    rng.choice(("json", "text", "github", "html")),
                ],
                [],
            ),
            (["compare", one, one, "--scale", "0.5", "--dtype", "int8"], []),
            (["convert", flat, "--data", data, "--device", "litecheck", "-o", "out.tflite"], ["out.tflite"]),
            (
                ["verify", model, "-d", "litert:reference", "--data", data, "--budget", "3", *LIMITED],
                [],
            ),
            (["verify", model, "-d", "litert:reference", "--input", one, "--budget", "3", *LIMITED], []),
        )
    )
    return Case(f"{argv[0]}: {file}", tuple(argv), tuple(writes))
