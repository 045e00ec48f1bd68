"""Profiles and other YAML: includes that fan out or form circles, aliases, links to devices, pipes, huge scalars."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import (
    Line,
    convert_model,
    judge_model,
    line,
    plain_report,
    run_model,
    verify_model,
)
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import CLAIMS, FLOAT, PROFILE, RUNTIME, SMALL
from tests.fuzz.hostile.words import file_name, name

SECRETS = ("../secret.txt", "../../secret.yaml", "/etc/passwd", "../../home/.bashrc")
ARITHMETIC = "arithmetic: mine\ntitle: x\nextends: litert-reference\nstages:\n  CONV_2D: {requantize: single}\n"


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a YAML file and the files it refers to, and a command that reads it."""
    for model in (SMALL, FLOAT):
        (box.work / model).write_bytes((stock / model).read_bytes())
    subject = rng.choice(sorted(SHAPES))
    file = file_name(rng, ".yaml") if rng.random() < 0.15 else "file.yaml"
    file = file.lstrip("-") or "file.yaml"
    SHAPES[subject](rng, box.work, file)
    return Case(subject, *_command(rng, f"./{file}"), environment=surroundings(rng))


def _command(rng: Random, file: str) -> Line:
    lines = [
        judge_model(rng, SMALL, "-p", file), judge_model(rng, SMALL, "-p", file), judge_model(rng, SMALL, "-p", file),
        line("rules", "-p", file, plain_report(rng)), line("rules", "ADD", "-p", file, plain_report(rng)),
        line("rules", "--source", "-p", file), line("explain", "FULLY_CONNECTED", "-p", file),
        run_model(rng, SMALL, "--arithmetic", file), convert_model(rng, FLOAT, "-p", file),
        line("suite", "make", (("-o", "made"), ("made",)), "-p", file, "--level", "smoke", "--no-flags", "--select", "ADD"),
    ]  # fmt: skip
    if RUNTIME:
        lines.append(verify_model(rng, SMALL, RUNTIME, rng.choice(("--arithmetic", "-p")), file))
    return rng.choice(lines)


def quoted(text: str) -> str:
    """Return a text as a YAML scalar that stands for exactly this text."""
    return '"' + "".join(f"\\U{ord(c):08X}" if c < " " or c in '"\\' or c > "~" else c for c in text) + '"'


def _fan_out(rng: Random, folder: Path, file: str) -> None:
    depth, width = rng.choice(((9, 10), (9, 10), (5, 100), (40, 2), (300, 1)))
    names = [file, *(f"inc{n}.yaml" for n in range(depth))]
    for number, one in enumerate(names):
        includes = ", ".join([quoted(names[number + 1])] * width) if number < depth else ""
        (folder / one).write_text(f"profile: x{number}\nincludes: [{includes}]\n", encoding="utf-8")


def _circle(rng: Random, folder: Path, file: str) -> None:
    key = rng.choice(("extends", "includes"))
    for one, other in (((file, "b.yaml"), ("b.yaml", "c.yaml"), ("c.yaml", rng.choice((file, "b.yaml", "c.yaml"))))):
        target = quoted(other) if key == "extends" else f"[{quoted(other)}]"
        (folder / one).write_text(f"profile: x\n{key}: {target}\n", encoding="utf-8")


def _aliases(rng: Random, folder: Path, file: str) -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, rng.choice((4, 9, 30)))]
    own = rng.choice(("", "x: &x {y: *x}\n", "<<: *a1\n"))
    (folder / file).write_text("\n".join(["a0: &a0 [x]", *levels, own, PROFILE]), encoding="utf-8")


def _special(rng: Random, folder: Path, file: str) -> None:
    """Make the file, or one it names, a link to a device, a pipe, a folder, a circle of links, or nothing."""
    target = rng.choice((file, "other.yaml"))
    if target != file:
        key = rng.choice(("extends: other.yaml", "includes: [other.yaml]", "includes: [tiny, other.yaml]"))
        (folder / file).write_text(f"profile: x\n{key}\n", encoding="utf-8")
    place = folder / target
    kind = rng.choice(("/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem", "/dev/full", "pipe", "folder", target, "gone"))
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(kind)


def _disclosing(rng: Random, folder: Path, file: str) -> None:
    key = rng.choice(("extends: {}", "includes: [{}]", "arithmetic: {}", "profile: {{name: {}}}"))
    (folder / file).write_text(f"profile: x\n{key.format(rng.choice(SECRETS))}\n", encoding="utf-8")


def _huge(rng: Random, folder: Path, file: str) -> None:
    scalar = rng.choice(("9" * 5000, "1/" + "9" * 400, "1e999999999", "x" * 5_000_000, "0x" + "f" * 9000, "1_0" * 900, "-.inf"))
    at = rng.choice(("zero_point: 0", "title: A profile for tests", "granularity: per-axis", "profile: tiny"))
    key = at.partition(":")[0]
    (folder / file).write_text(PROFILE.replace(at, f"{key}: {scalar}", 1), encoding="utf-8")


def _deep(rng: Random, folder: Path, file: str) -> None:
    depth = rng.choice((100, 1000, 100_000))
    nested = rng.choice(("[" * depth, "{a: " * depth, "\n".join(" " * n + "a:" for n in range(min(depth, 1500))), "- " * depth))
    (folder / file).write_text(rng.choice(("", f"{PROFILE}x: ")) + nested, encoding="utf-8")


def _named(rng: Random, folder: Path, file: str) -> None:
    """Replace texts of a sound file by hostile texts."""
    base = rng.choice((PROFILE, PROFILE, CLAIMS, ARITHMETIC))
    lines = base.splitlines()
    for _ in range(rng.choice((1, 1, 3))):
        number = rng.randrange(len(lines))
        key, colon, value = lines[number].partition(": ")
        hostile = quoted(name(rng)[:5000])
        indent = key[: len(key) - len(key.lstrip())]
        lines[number] = rng.choice((f"{key}{colon or ': '}{hostile}", f"{indent}{hostile}: {value or 'x'}"))
    (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _broken(rng: Random, folder: Path, file: str) -> None:
    content = bytearray(rng.choice((PROFILE, CLAIMS, ARITHMETIC)).encode())
    for _ in range(rng.choice((1, 3, 20))):
        at = rng.randrange(len(content))
        content[at : at + rng.choice((0, 1, 4))] = rng.choice((b"\0", b"\xff\xfe", b"\t", b"&", b"*a", b"!!python/object:os.system",
            b"%YAML 9\n", b"---\n", b"\x85", b": ", b"[", b"{", b"'", b"\xe2\x80\xae", b"\x1b[8m"))  # fmt: skip
    (folder / file).write_bytes(rng.choice((b"", b"", b"\xff\xfe", b"\xef\xbb\xbf")) + bytes(content))


def _tags(rng: Random, folder: Path, file: str) -> None:
    tag = rng.choice((
        "!!python/object/apply:os.system ['touch pwned']", "!!python/name:os.system", "!!binary aGVsbG8=", "!!set {a, b}",
        "!!timestamp 2001-01-01", "!!float x", "!!int 0b2", "!<tag:pwned> x", "!!map [1]", "!!omap [a]",
    ))  # fmt: skip
    (folder / file).write_text(f"{PROFILE}source2: {tag}\ntitle: {tag}\n", encoding="utf-8")


SHAPES = {
    "includes fan out": _fan_out, "includes in a circle": _circle, "aliases": _aliases, "special file": _special,
    "file of another kind": _disclosing, "huge scalar": _huge, "deep nesting": _deep, "hostile texts": _named,
    "hostile texts ": _named, "broken YAML": _broken, "tags": _tags,
}  # fmt: skip
