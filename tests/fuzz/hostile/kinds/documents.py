"""JSON of all kinds, a value changed or the text broken: suites, results, certificates, plans, statistics, baselines."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import Line, line, reports
from tests.fuzz.hostile.kinds.models import surroundings
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import FLOAT, RUNTIME, SMALL
from tests.fuzz.hostile.words import HALF, name

#: Values that a reader does not expect. A Literal is JSON text that Python's encoder would not write.
PATHS = ("/dev/zero", "../../home/.bashrc", "/etc/passwd", "a\0b", "", ".", "..", "x" * 5000, "pipe", "zero", "C:\\x", "a\nb")
NUMBERS = (0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1.5, 1e308, -0.0)
LITERALS = ("NaN", "Infinity", "-Infinity", "1e999999", "9" * 5000, "-", "[" * 100_000, '{"a":' * 100_000, f'"{HALF}"')
TYPES: tuple[Any, ...] = (None, True, [], {}, [[]], {"": ""}, "nonsense")
#: Where one of LITERALS goes.
_MARK = "@@literal@@"


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a document and its companions, and a command that reads them."""
    for one in (SMALL, FLOAT, "samples.npz", "claims.yaml", "broken_weight_zero_point.tflite"):
        shutil.copy(stock / one, box.work)
    for folder in ("suite", "results"):
        shutil.copytree(stock / folder, box.work / folder)
    (box.work / "zero").symlink_to("/dev/zero")
    os.mkfifo(box.work / "pipe")
    subject = rng.choice(sorted(DOCUMENTS))
    source, argv = DOCUMENTS[subject]
    target = box.work / source
    if not target.exists():
        shutil.copy(stock / source, target)
    change = rng.choices((_changed, _broken, _special, _other), (12, 4, 3, 1))[0]
    change(rng, target)
    words, writes = argv(rng)
    return Case(f"{subject}, {change.__name__.strip('_')}", words, writes, environment=surroundings(rng))


def _changed(rng: Random, path: Path) -> None:
    """Change one to three values of a document, of one line of a document of lines."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines() if path.suffix == ".jsonl" else [text]
    number = rng.randrange(min(len(lines), 4))
    tree = json.loads(lines[number])
    literal = rng.choice(LITERALS)
    for _ in range(rng.choice((1, 1, 1, 3))):
        tree = _changed_value(rng, tree)
    lines[number] = json.dumps(tree, ensure_ascii=rng.random() < 0.5).replace(f'"{_MARK}"', literal)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")


def _changed_value(rng: Random, tree: Any) -> Any:
    """Return the tree with one value, key or element changed."""
    holder, key = rng.choice(list(_places(tree)) or [(None, None)])
    if holder is None:
        return _value(rng, tree)
    action = rng.randrange(8)
    if action == 0 and isinstance(holder, dict):
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[name(rng)] = holder.pop(key)
    elif action == 2 and isinstance(holder, list):
        holder += [holder[key]] * rng.choice((1, 5, 1000))
    else:
        holder[key] = _value(rng, holder[key])
    return tree


def _value(rng: Random, old: Any) -> Any:
    if rng.random() < 0.3:
        return copy.deepcopy(rng.choice((*TYPES, _MARK)))
    if isinstance(old, str):
        return rng.choice((name(rng), name(rng), rng.choice(PATHS), old + name(rng), old[:-1], HALF))
    if isinstance(old, (int, float)):
        return rng.choice(NUMBERS)
    return copy.deepcopy(rng.choice((*TYPES, _MARK)))


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every dict or list of a tree with each of its keys."""
    left = [tree]
    while left:
        one = left.pop()
        items = list(one.items()) if isinstance(one, dict) else list(enumerate(one)) if isinstance(one, list) else []
        for key, value in items:
            yield one, key
            left.append(value)


def _broken(rng: Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 5))):
        at = rng.randrange(len(content))
        new = rng.choice((b"", b"\0", b"\xff", b"[" * 100_000, b"\n", b"\x1b[8m", b'"', b"{", b"9" * 5000, "\u202e".encode(), b"\\ud800"))
        content[at : at + rng.choice((0, 1, 100))] = new
    path.write_bytes(rng.choice((b"", b"", b"\xef\xbb\xbf", b"\xff\xfe")) + bytes(content))


def _special(rng: Random, path: Path) -> None:
    """Make the file a link to a device, a pipe, a folder, a circle of links, a link to a secret, or empty."""
    path.unlink()
    kind = rng.choice(("/dev/zero", "/dev/tty", "/dev/stdin", "../secret.txt", path.name, "gone", "pipe", "folder", "empty"))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.write_bytes(b"")
    else:
        path.symlink_to(kind)


def _other(rng: Random, path: Path) -> None:
    """Make the file one of another kind."""
    path.write_bytes(rng.choice((b"\x1f\x8b" + bytes(99), b"PK\x03\x04", b"[]", b"null", b"1", b'"x"', b"{}", bytes(10**6), b"\x93NUMPY")))


def _judge(rng: Random) -> Line:
    claims = rng.choice(((), (), ("--claims", "claims.yaml")))
    return line("suite", "judge", "suite", "results", (claims, ()), reports(rng, "suite"))


def _run_suite(rng: Random) -> Line:
    if not RUNTIME:
        return _judge(rng)
    return line("suite", "run", "suite", "-d", RUNTIME, "--timeout", "5", (("-o", "new"), ("new",)))


def _prove(rng: Random) -> Line:
    return line("suite", "prove", "suite", reports(rng, "prove"))


def _certify(rng: Random) -> Line:
    form = ("-f", rng.choice(("text", "json")))
    return line("certify", "suite", "results", "--claims", "claims.yaml", (("-o", "new.json"), ("new.json", "new.json.sig")), (form, ()))


def _recheck(rng: Random) -> Line:
    return line("certify", "suite", "results", "--check", "certificate.json", "-f", rng.choice(("text", "json")))


def _diff(rng: Random) -> Line:
    pair = rng.choice((("judged.json", "judged.json"), ("results", "judged.json"), ("judged.json", "results")))
    return line("suite", "diff", (pair, ()), "--suite", "suite", reports(rng, "diff"))


def _suite(rng: Random) -> Line:
    return rng.choice((_judge, _judge, _run_suite, _prove, _certify, _diff))(rng)


def _results(rng: Random) -> Line:
    resumed = line("suite", "run", "suite", "-d", RUNTIME, "--resume", (("-o", "results"), ("results",)))
    return rng.choice((_judge(rng), _judge(rng), _certify(rng), _diff(rng), resumed if RUNTIME else _judge(rng)))


def _convert(*options: str) -> Callable[[Random], Line]:
    def argv(rng: Random) -> Line:
        out = (("-o", "out.tflite"), ("out.tflite", "statistics.json"))
        return line("convert", FLOAT, (options, ()), out, "--device", "litecheck", reports(rng, "convert"))

    return argv


def _baseline(rng: Random) -> Line:
    return line("validate", "broken_weight_zero_point.tflite", "--baseline", "baseline.json", reports(rng, "validate"))


def _journal(rng: Random) -> Line:
    resume = rng.choice(((), ("--resume",)))
    options = ("--feed", "random", "--budget", "20", "--journal", "journal.jsonl", *resume)
    return line("verify", SMALL, "-d", RUNTIME, ((options), ("journal.jsonl",)), reports(rng, "verify"))


#: By kind: the file, and the command that reads it.
DOCUMENTS: dict[str, tuple[str, Callable[[Random], Line]]] = {
    "manifest": ("suite/manifest.json", _suite),
    "results": ("results/results.jsonl", _results),
    "certificate": ("certificate.json", _recheck),
    "judgment": ("judged.json", _diff),
    "plan": ("plan.json", _convert("--plan", "plan.json")),
    "statistics": ("statistics.json", _convert("--statistics", "statistics.json", "--data", "samples.npz")),
    "baseline": ("baseline.json", _baseline),
    **({"journal": ("journal.jsonl", _journal)} if RUNTIME else {}),
}
