"""TOML configuration files in the current folder, in a parent folder, or of a different owner."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.mangle import nested, text
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.special import special
from tests.fuzz.hostile.words import file_name, name
from tests.fuzz.seeds import FIXTURES

#: Places to which no configuration may write. The last place looks like a file inside the folder.
OUTSIDE = (
    "../../home/.bashrc",
    "../out.txt",
    "HOME/.bashrc",
    "/proc/self/mem",
    "../work/../../tmp/x",
    "link/out.txt",
    "../secret.txt",
    "HOME/new/deep/file",
)
_KEYS = (
    "profile",
    "format",
    "baseline",
    "select",
    "ignore",
    "level",
    "fail-on",
    "require-coverage",
    "fail-on-fallback",
    "max-partitions",
    "compile",
    "per-file-ignores",
    "write-baseline",
    "pwned",
)


def quoted(content: str) -> str:
    """Return a TOML basic string that holds any text except lone surrogates."""
    plain = content.encode("utf-8", "replace").decode()
    return (
        '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\U{ord(c):08x}" for c in plain) + '"'
    )


def _writing(rng: Random, box: Sandbox) -> str:
    for folder in (box.work, box.above, box.root):
        os.symlink("..", folder / "link")
    target = rng.choice(OUTSIDE).replace("HOME", str(box.home))
    form = rng.choice(("text", "json", "html", "sarif", "junit"))
    return f'format = ["text", {quoted(f"{form}:{target}")}]'


def _values(rng: Random, box: Sandbox) -> str:
    lines = []
    for key in rng.sample(_KEYS, rng.choice((1, 1, 2, 4))):
        hostile = quoted(name(rng)[:20_000])
        if rng.random() < 0.5:
            lines.append(f"{key} = {_fitting(key, hostile)}")
            continue
        value = rng.choice(
            (
                hostile,
                f"[{hostile}]",
                f"{{{hostile} = {hostile}}}",
                "9" * 400,
                "[[[[1]]]]",
                "1e999",
                "nan",
                "true",
                "1979-05-27",
                nested(rng.choice((50, 100_000))),
                '"../secret.txt"',
                '"fifo"',
                '"a\\u0000b"',
                f'["text", "text:{hostile[1:-1]}"]',
            )
        )
        lines.append(f"{key} = {value}")
    return "\n".join(lines)


def _fitting(key: str, hostile: str) -> str:
    """Return a value of the type that the key has, with hostile text."""
    fitting = {
        "baseline": hostile,
        "fail-on": hostile,
        "require-coverage": "true",
        "fail-on-fallback": "true",
        "compile": "false",
        "max-partitions": "0",
        "per-file-ignores": f'{{{hostile} = ["*"], "*" = [{hostile}]}}',
        "level": f'{{{hostile} = "note"}}',
    }
    return fitting.get(key, f'[{hostile}, "CONV_2D"]')


def _spoiled(rng: Random, box: Sandbox) -> str:
    return text(rng, b'profile = "litert-int8"\nselect = ["CONV_2D"]\n').decode("utf-8", "surrogateescape")


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a hostile litecheck.toml or pyproject.toml at or above the current folder."""
    kind = rng.choices((_writing, _values, _spoiled), (3, 4, 2))[0]
    content = kind(rng, box)
    folder = rng.choice((box.work, box.work, box.above, box.root))
    file = rng.choice(("litecheck.toml", "pyproject.toml"))
    table = "[tool.litecheck]\n" if file == "pyproject.toml" else ""
    path = folder / file
    if rng.random() < 0.12 and folder == box.work:
        special(box, file, rng)
    else:
        path.write_bytes((table + content).encode("utf-8", "surrogateescape"))
        if rng.random() < 0.2 and os.geteuid() == 0:
            os.chown(path, 12_345, 12_345)
    if rng.random() < 0.5:
        os.mkfifo(box.work / "fifo")
    if rng.random() < 0.3:
        (box.above / ".git").mkdir()
    model = file_name(rng, ".tflite") if rng.random() < 0.4 else "m.tflite"
    (box.work / model).write_bytes(
        (FIXTURES / rng.choice(("fc_int8.tflite", "broken_weight_zero_point.tflite"))).read_bytes()
    )
    options = rng.choice(([], [], ["-q"], ["-f", "json"], ["-f", "github"], ["-f", "markdown"]))
    inside = _inside(content) if folder == box.work else []
    return Case(f"validate: {file} {kind.__name__[1:]}", ("validate", ".", *options), tuple(inside))


def _inside(content: str) -> list[str]:
    """Return the files beside the configuration, which it may name."""
    return [name for name in ("out.txt",) if f":{name}" in content]
