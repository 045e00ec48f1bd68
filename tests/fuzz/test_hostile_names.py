"""Every command and format on inputs with hostile names that also fail: printed names have no effect."""

from __future__ import annotations

import csv
import io
import json
import shlex
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from markdown_it import MarkdownIt
from typer.testing import CliRunner, Result

from litecheck import __version__
from litecheck.cli.app import app
from litecheck.model.save import save_model
from litecheck.rendering import escape
from litecheck.rendering.formats import formats
from tests.fuzz import hostile_names
from tests.fuzz.hostile_names import faults, name

#: Format of stdout, and a command line.
Command = tuple[str, list[str]]
Group = Callable[["Inputs"], Iterator[Command]]
#: Width at which no line is wrapped.
WIDE = 2000


class Inputs:
    """Files with hostile names and contents in the current folder."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.bad, self.good = self.model(), self.model(violating=False)
        self.custom, self.floating = self.model(custom=True), self.model(dtype="float32")
        self.broken = self.file(".tflite", b"\x1c\0\0\0TFL3" + b"\xff" * 40)
        self.profile = self.file(".yaml", hostile_names.profile(self.random).encode())
        wrong = hostile_names.profile(self.random).replace("per-tensor", '"\\e[8m\\n::error::"')
        self.bad_profile = self.file(".yaml", wrong.encode())
        self.tensor, self.other = (self.array(np.arange(6, dtype=np.int8) + n) for n in range(2))
        self.reals = self.array(np.arange(6) / 7)

    def device(self) -> str:
        """Return a device: a program that prints hostile lines and fails."""
        said = "".join(f"\\0{byte:03o}" for byte in f"{name(self.random)}\n{name(self.random)}".encode())
        script = self.file(".sh", f"printf '%b' '{said}' >&2\nexit 3\n".encode())
        return f"command:sh {shlex.quote(script)} {{model}} {{inputs}} {{outputs}}"

    def word(self) -> str:
        """Return an argument that is no option."""
        return name(self.random).replace("\0", "").lstrip("-") or "x"

    def path(self, suffix: str = "") -> str:
        return (name(self.random, file=True).lstrip("-") or "x") + suffix

    def file(self, suffix: str, content: bytes) -> str:
        path = self.path(suffix)
        Path(path).write_bytes(content)
        return path

    def model(self, dtype: str = "int8", violating: bool = True, custom: bool = False) -> str:
        path = self.path(".tflite")
        made = hostile_names.model(self.random, dtype=dtype, violating=violating, custom=custom)
        save_model(made, path)
        return path

    def array(self, values: np.ndarray) -> str:
        path = self.path(".npy")
        np.save(path, values)
        return path


def validation(given: Inputs) -> Iterator[Command]:
    for form in formats("validate"):
        for model in (given.bad, given.custom, given.broken):
            yield form, ["validate", model, "-f", form]
        yield form, ["validate", given.bad, "-f", form, "-p", given.profile]
        yield "text", ["validate", given.bad, "-f", f"{form}:{given.path()}"]
    for more in (
        ["-v"],
        ["-q"],
        ["--statistics"],
        ["-p", given.bad_profile],
        ["--write-baseline", given.path()],
    ):
        yield "text", ["validate", given.bad, given.broken, *more]
    for option in (
        "--ignore",
        "--set-level",
        "--select",
        "-p",
        "--baseline",
        "--fail-on",
        "--max-partitions",
        "-f",
    ):
        yield "text", ["validate", given.bad, option, given.word()]
    yield "text", ["validate", given.bad, f"--{given.word()}"]
    yield "text", ["validate", given.word()]
    yield "text", [given.word()]


def reading(given: Inputs) -> Iterator[Command]:
    for more in (
        [],
        ["--tensors"],
        ["--operator", "0"],
        ["--operator", "2"],
        ["--operator", "99"],
        ["-f", given.word()],
    ):
        yield "text", ["inspect", given.custom, *more]
    yield "json", ["inspect", given.custom, "-f", "json"]
    yield "text", ["inspect", given.broken]
    for more in ([given.word()], ["FULLY_CONNECTED", "-p", given.profile], ["*", "-p", given.word()]):
        yield "text", ["explain", *more]
        yield "text", ["rules", *more]
    yield "text", ["rules", "-p", given.profile]
    yield "text", ["rules", "-p", given.profile, "--source"]
    yield "json", ["rules", "-p", given.profile, "-f", "json"]
    yield "text", ["rules", "--measurements", given.word()]


def running(given: Inputs) -> Iterator[Command]:
    for more in (
        [],
        ["--statistics"],
        ["-o", given.path(".npz")],
        ["--input", given.word()],
        ["--signature", given.word()],
    ):
        for model in (given.good, given.custom, given.broken):
            yield "text", ["run", model, "--seed", "0", *more]
    for form in formats("run"):
        yield form, ["run", given.good, "--seed", "0", "--statistics", "-f", form]


def quantization(given: Inputs) -> Iterator[Command]:
    for form in formats("compare"):
        yield form, ["compare", given.tensor, given.other, "-f", form]
    for option in ("--tolerance", "--semantics", "--like"):
        yield "text", ["compare", given.tensor, given.other, option, given.word()]
    yield "text", ["compare", given.tensor, given.word()]
    for more in (
        ["--scale", given.word()],
        ["--scale", "0.5"],
        ["--like", f"{given.good}:0"],
        ["--shape", given.word()],
    ):
        yield "text", ["quantize", given.reals, "-o", given.path(".npy"), *more]
        yield "text", ["dequantize", given.tensor, "-o", given.path(".npy"), *more]
    yield "json", ["quantize", given.reals, "-o", given.path(".npy"), "--scale", "1", "-f", "json"]


def conversion(given: Inputs) -> Iterator[Command]:
    start = ["convert", given.floating, "--data", "random:2", "--device", "litecheck", "-o"]
    for form in formats("convert"):
        yield form, [*start, given.path(".tflite"), "-f", form]
    for option in (
        "--data",
        "--to",
        "--profile",
        "--keep-float",
        "--plan",
        "--match",
        "--via",
        "--input-dtype",
        "--signature",
    ):
        yield "text", [*start, given.path(".tflite"), option, given.word()]
    yield "text", [*start, given.path(".tflite"), "--save-plan", given.path(".json"), "-v"]
    yield "text", [*start, given.path(".tflite"), "--profile", given.profile]
    yield "text", ["convert", given.bad, "-o", given.path(".tflite"), "--data", "random:1"]


def devices(given: Inputs) -> Iterator[Command]:
    for form in formats("verify"):
        yield form, ["verify", given.good, "-d", given.device(), "-f", form]
        if form != "model-explorer":
            yield form, ["verify", given.good, given.custom, given.broken, "-d", given.device(), "-f", form]
    for form in formats("diagnose"):
        yield form, ["diagnose", given.good, "-d", given.device(), "--select", "SOFTMAX", "-f", form]
    for folder in (["--reproduce", given.path()], ["--set", f"record={given.path()}"]):
        yield "text", ["verify", given.good, "-d", given.device(), *folder, "-v"]
    for device in (
        given.word(),
        f"litert:{given.word()}",
        f"litert,threads={given.word()}",
        f"recorded:{given.word()}",
    ):
        yield "text", ["verify", given.good, "-d", device]
    for option in (
        "--select",
        "--unit",
        "--budget",
        "--arithmetic",
        "--set",
    ):
        yield "text", ["verify", given.good, "-d", given.device(), option, given.word()]
    for key in ("inputs", "require", "member", "signature", "element"):
        yield "text", ["verify", given.good, "-d", given.device(), "--set", f"{key}={given.word()}"]


def suites(given: Inputs) -> Iterator[Command]:
    suite, results, certificate = (given.path(suffix) for suffix in ("s", "r", "c"))
    yield "text", ["suite", "make", "-o", suite, "--select", "LOGISTIC", "--level", "smoke", "--no-defects"]
    yield "text", ["suite", "run", suite, "-d", given.device(), "-o", results]
    for form in formats("suite"):
        yield form, ["suite", "judge", suite, results, "-f", form]
    for form in formats("suite-diff"):
        yield form, ["suite", "diff", results, results, "--suite", suite, "-f", form]
    for form in formats("prove"):
        yield form, ["suite", "prove", suite, "-f", form]
    quoted = "".join(f"\\U{ord(c):08X}" for c in given.word())
    claims = (
        f'claims: "{quoted}"\ndevice: {{name: "{quoted}", version: "{quoted}"}}\n'
        f"profile: {{name: litert-int8, version: {__version__}}}\nlevel: smoke\n"
    )
    file = given.file(".yaml", f"{claims}operators:\n  LOGISTIC: {{arithmetic: litert-reference}}\n".encode())
    yield "json", ["certify", suite, results, "--claims", file, "-o", certificate, "-f", "json"]
    yield "text", ["certify", suite, results, "--claims", file, "--check", certificate]
    yield "json", ["certify", suite, results, "--claims", file, "--check", certificate, "-f", "json"]
    for option in ("--claims", "--waivers", "--date", "--arithmetic", "-f"):
        yield "text", ["suite", "judge", suite, results, option, given.word()]
    for more in (
        ["make", "--stream", given.word()],
        ["make", "-o", "n", "--profile", given.word()],
        [given.word()],
    ):
        yield "text", ["suite", *more]
    yield "text", ["suite", "diff", given.word(), given.word()]


def problems(form: str, done: Result, wide: bool, colors: bool = False) -> list[str]:
    """Return the faults of a command's output: names that act, and broken formats."""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return [f"exception: {done.exception!r}"]
    found = faults(done.stdout, annotations=form == "github", wide=wide, colors=colors)
    found += faults(done.stderr, wide=wide, colors=colors)
    if form in ("json", "sarif", "gitlab", "model-explorer") and done.stdout:
        json.loads(done.stdout)
    elif form == "junit" and done.stdout:
        ET.fromstring(done.stdout)
    elif form == "csv":
        cells = (cell for row in csv.reader(io.StringIO(done.stdout)) for cell in row)
        found += [f"formula: {cell!r}" for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    elif form == "markdown":
        page = MarkdownIt("commonmark").enable("table").render(done.stdout)
        found += [f"markup: {mark}" for mark in ("<img", "<script", 'href="http://evil') if mark in page]
    return found


def run(command: list[str]) -> Result:
    return CliRunner().invoke(app, command, prog_name="litecheck")


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], Inputs]:
    """Return ``inputs(seed, width)``, on a terminal of ``width`` columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def drawn(seed: int, width: int) -> Inputs:
        monkeypatch.setenv("COLUMNS", str(width))
        return Inputs(seed)

    return drawn


QUICK: tuple[Group, ...] = (validation, reading, running, quantization)
#: Slow groups, each at a single width.
SLOW: tuple[tuple[Group, int], ...] = ((conversion, WIDE), (devices, 40), (suites, WIDE))
CASES = [pytest.param(g, w, id=f"{g.__name__}-{w}") for g in QUICK for w in (40, WIDE)] + [
    pytest.param(g, w, id=f"{g.__name__}-{w}", marks=pytest.mark.slow) for g, w in SLOW
]


@pytest.mark.parametrize(("group", "width"), CASES)
def test_printed_names_have_no_effect(group: Group, width: int, inputs: Callable[[int, int], Inputs]) -> None:
    for seed in range(2) if group in QUICK else (int(width == WIDE),):
        for form, command in group(inputs(seed, width)):
            assert problems(form, run(command), wide=width == WIDE) == [], command


def test_printed_names_have_no_effect_between_colors(
    inputs: Callable[[int, int], Inputs], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = inputs(3, 80)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    printed = ""
    for form, command in (*validation(given), *reading(given)):
        done = run(command)
        assert problems(form, done, wide=False, colors=True) == [], command
        printed += done.stdout + done.stderr
    assert "\x1b[1m" in printed


@pytest.mark.parametrize("group", QUICK, ids=lambda group: group.__name__)
def test_each_group_finds_names_that_are_not_escaped(
    group: Group, inputs: Callable[[int, int], Inputs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(escape, "escape_text", lambda text, **_: text)
    given = inputs(0, WIDE)
    assert any(problems(form, run(command), wide=True) for form, command in group(given) if form == "text")
