"""Console sessions of the documentation: run every ``$`` line again and write its output below it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from typer.testing import CliRunner

from litecheck.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
#: A line that represents any number of lines.
ELISION = "..."
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
#: Versions of devices depend on the installation and are elided; versions in profiles do not.
_VERSION = re.compile(r"(?<=:)(\w+ \((?:ai-edge-litert|tflite-micro)) [\w.]+\)")
_TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1", "FORCE_COLOR": None, "GITHUB_ACTIONS": None}


@contextmanager
def workshop() -> Iterator[None]:
    """Change to a temporary folder with the fixtures and rules of the repository, in which sessions write files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("fixtures", "rules"):
            shutil.copytree(ROOT / name, Path(folder, name))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def refreshed(text: str) -> str:
    """Return a document with the current output of each session. All sessions of a document share a folder."""
    if not _BLOCK.search(text):
        return text
    shell = _Shell()
    with workshop():
        return _BLOCK.sub(lambda block: shell.session(block[0]), text)


class _Shell:
    """A shell with three commands: ``litecheck ...`` in this process, ``cat FILE`` and ``echo $?``."""

    def __init__(self) -> None:
        self.code = 0
        self.runner = CliRunner()

    def session(self, block: str) -> str:
        return "".join(
            self._step(*step.split("\n", 1)) for step in re.split(r"^(?=\$ )", block, flags=re.M) if step
        )

    def _step(self, prompt: str, written: str) -> str:
        output = self._run(prompt.removeprefix("$ "))
        gap = _gap(written)
        return f"{prompt}\n" + (written if fits(written, output) else elided(written, output) + gap)

    def _run(self, command: str) -> str:
        if command == "echo $?":
            return f"{self.code}\n"
        program, *arguments = shlex.split(command)
        if program == "cat":
            return Path(*arguments).read_text("utf-8")
        if program != "litecheck":
            raise ValueError(f"a session cannot run {command!r}")
        # A cache folder of its own: another run of the same verification would be mentioned.
        env = {**_TERMINAL, "XDG_CACHE_HOME": str(Path.cwd() / ".cache")}
        result = self.runner.invoke(app, arguments, prog_name="litecheck", env=env)
        if not isinstance(result.exception, SystemExit | None):
            raise result.exception
        self.code = result.exit_code
        return without_versions(result.output)


def without_versions(output: str) -> str:
    """Return printed text with the versions of devices elided."""
    return _VERSION.sub(rf"\1 {ELISION})", output)


def fits(written: str, output: str) -> bool:
    """Return True if a session shows the printed text, except for elisions and space at the ends."""
    lines = written.removesuffix(_gap(written)).splitlines()
    parts = (r"(.*\n)*?" if line == ELISION else re.escape(line) + "\n" for line in lines)
    return re.fullmatch("".join(parts), _shown(output)) is not None


def elided(written: str, output: str) -> str:
    """Return printed text, elided in the middle if the page has an elision; the ends keep their number of lines."""
    lines, printed = written.removesuffix(_gap(written)).splitlines(), _shown(output).splitlines()
    if ELISION not in lines:
        return _shown(output)
    before, behind = lines.index(ELISION), lines[::-1].index(ELISION)
    kept = [*printed[:before], ELISION, *printed[max(len(printed) - behind, before) :]]
    return "".join(f"{line}\n" for line in kept)


def _shown(output: str) -> str:
    """Return printed text without space at the ends of lines and empty lines around it."""
    lines = [line.rstrip() for line in output.splitlines()]
    return "".join(f"{line}\n" for line in lines).strip("\n") + "\n" if any(lines) else ""


def _gap(written: str) -> str:
    """Return the empty line after a session's output, which belongs to the page."""
    return "\n" if written.endswith("\n\n") or written == "\n" else ""
