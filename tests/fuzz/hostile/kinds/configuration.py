"""Configuration files that come with models: outputs elsewhere, other owners, parent folders, broken and enormous TOML."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import judge_model, line, reports, show_model
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.words import argument, name

MODEL = "broken_weight_zero_point.tflite"
#: A folder that a configuration may write to, in its own folder.
ALLOWED = "configured"
KEYS = (
    "profile", "format", "baseline", "select", "ignore", "level", "fail-on", "require-coverage", "fail-on-fallback",
    "max-partitions", "compile", "per-file-ignores",
)  # fmt: skip


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a configuration file at or above the current folder, and ``validate`` of a model beside it."""
    shutil.copy(stock / MODEL, box.work)
    folder, trusted = _place(rng, box)
    file = folder / rng.choice(("litecheck.toml", "litecheck.toml", "pyproject.toml"))
    subject = rng.choice(sorted(CONTENTS))
    CONTENTS[subject](rng, box, file)
    environment = dict(surroundings(rng))
    if file.is_file() and not file.is_symlink() and rng.random() < 0.15 and os.getuid() == 0:
        os.chown(file, 12345, 12345)
        trusted = False
    allowed = ()
    if trusted:
        allowed = (os.path.relpath(folder / ALLOWED, box.work),)
    if rng.random() < 0.1:
        environment["HOME"] = str(box.above)
        allowed = allowed if folder != box.root else ()
    words, writes = rng.choice(
        (
            line("validate", MODEL), line("validate", "."), line("validate", reports(rng, "validate"), MODEL),
            judge_model(rng, MODEL), line("validate", "--isolated", MODEL), line("validate", "--config", str(file), MODEL),
            show_model(rng, MODEL),
        )
    )  # fmt: skip
    if "--config" in words:
        allowed = (os.path.relpath(folder / ALLOWED, box.work),)
    return Case(f"{subject} in {file.name}", words, (*writes, *allowed), environment=environment)


def _place(rng: Random, box: Sandbox) -> tuple[Path, bool]:
    """Return the folder of the configuration, and True if the search may reach the folder."""
    folder = rng.choice((box.work, box.work, box.work, box.above, box.root))
    root = rng.choice((None, None, box.work, box.above))
    if root is not None:
        (root / ".git").mkdir()
    return folder, root is None or folder == box.work or (root == box.above and folder == box.above)


def _write(file: Path, lines: list[str]) -> None:
    head = ["[tool.litecheck]"] if file.name == "pyproject.toml" else []
    file.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8", errors="surrogateescape")


def text(value: str) -> str:
    """Return a TOML string."""
    return json.dumps(value.encode("utf-8", "replace").decode()).replace("\x7f", "\\u007f")


def _outputs(rng: Random, box: Sandbox, file: Path) -> None:
    """Name outputs outside the folder of the configuration file, directly and through links."""
    (file.parent / "link").symlink_to(rng.choice(("../../home", "..", str(box.home), "../../tmp")))
    (file.parent / "report").symlink_to(rng.choice((str(box.home / ".bashrc"), "../../../secret.yaml")))
    (file.parent / "in.txt").symlink_to(f"{ALLOWED}/in.txt")
    if not (file.parent / ".git").exists():
        (file.parent / ".git").mkdir()
    os.mkfifo(file.parent / "pipe")
    places = (
        "../pwned.txt", str(box.home / ".bashrc"), str(box.root / "pwned.txt"), "link/pwned.txt", "report", ".git/hooks/post-checkout",
        "a/../../pwned.txt", "~/.bashrc", "$HOME/pwned", "/dev/full", "C:\\pwned", "..\\pwned.txt", "pipe", "/dev/stdout", ".", "",
        f"{ALLOWED}/report.txt", f"{ALLOWED}/../../pwned.txt", "a\\u0000b", ".GIT/config", "./.git/config", "in.txt", ALLOWED,
    )  # fmt: skip
    outputs = [f"{rng.choice(('text', 'json', 'html', 'sarif', 'junit'))}:{rng.choice(places)}" for _ in range(rng.choice((1, 2)))]
    lines = [f"format = [{', '.join(map(text, ('text', *outputs)))}]"]
    if rng.random() < 0.3:
        lines.append(f"{rng.choice(('write-baseline', 'baseline', 'output', 'statistics'))} = {text(rng.choice(places))}")
    _write(file, lines)


def _inputs(rng: Random, box: Sandbox, file: Path) -> None:
    """Name profiles and baselines that are secrets, devices, pipes or circles."""
    os.mkfifo(file.parent / "pipe")
    (file.parent / "zero.yaml").symlink_to("/dev/zero")
    places = ("pipe", "zero.yaml", "/dev/zero", "/dev/tty", str(box.root / "secret.yaml"), "../secret.txt", "..", "a\\u0000b", file.name)
    _write(file, [f"{rng.choice(('profile', 'baseline'))} = {text(rng.choice(places))}"])


def _texts(rng: Random, box: Sandbox, file: Path) -> None:
    """Give hostile texts as keys and values."""
    def value() -> str:
        return rng.choice((text(name(rng)[:6000]), text(argument(rng)[:200]), f"[{text(name(rng)[:500])}, {text('CONV_2D')}]"))

    lines = [f"{rng.choice(KEYS)} = {value()}"] if rng.random() < 0.8 else [f"{text(name(rng)[:300])} = {value()}"]
    if rng.random() < 0.3:
        table = rng.choice(("level", "per-file-ignores"))
        head = "tool.litecheck." if file.name == "pyproject.toml" else ""
        entry = rng.choice(('"warning"', value(), '["*"]', f"[{value()}]"))
        lines = [f"[{head}{table}]", f"{text(name(rng)[:300])} = {entry}"]
    _write(file, lines)


def _values(rng: Random, box: Sandbox, file: Path) -> None:
    """Give values of other types and enormous values."""
    many = f"[{', '.join(['1'] * 50_000)}]"
    values = ("9" * 5000, "-1", "1e999", "nan", "true", "{}", "[]", "[[[]]]", "1979-05-27T07:32:00Z", "0x" + "f" * 4000, many, "'x'", '""')
    _write(file, [f"{rng.choice(KEYS)} = {rng.choice(values)}"])


def _deep(rng: Random, box: Sandbox, file: Path) -> None:
    depth = rng.choice((200, 5000, 100_000))
    key = ".".join(["a"] * depth)
    nested = rng.choice(("x = " + "[" * depth, "x = " + "{a = " * depth, f"{key} = 1", f"[{key}]", "x = " + "[" * depth + "]" * depth))
    _write(file, [nested])


def _broken(rng: Random, box: Sandbox, file: Path) -> None:
    pieces = (b"\0", b"\xff", b"\x1b[8m", b"=", b"[", b'"""', b"\r", "\u202e".encode(), b"\n::error title=pwned::x\n", b"\xed\xa0\x80")
    content = b'[tool.litecheck]\nselect = ["CONV_2D"]\n' + rng.choice(pieces) * rng.choice((1, 1, 10_000)) + rng.choice(pieces)
    file.write_bytes(content)


def _special(rng: Random, box: Sandbox, file: Path) -> None:
    kind = rng.choice(("/dev/zero", "/dev/tty", "pipe", "folder", file.name, "../secret.txt", str(box.root / "secret.yaml"), "huge"))
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "huge":
        with file.open("wb") as opened:
            opened.write(b'select = ["CONV_2D"]\n')
            opened.truncate(3 << 30)
    else:
        file.symlink_to(kind)


CONTENTS: dict[str, Callable[[Random, Sandbox, Path], None]] = {
    "outputs": _outputs, "outputs ": _outputs, "inputs": _inputs, "texts": _texts, "values": _values, "deep nesting": _deep,
    "broken TOML": _broken, "special file": _special,
}  # fmt: skip
