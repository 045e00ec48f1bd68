"""Promises of litecheck about hostile input, each as a check of one run."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from markdown_it import MarkdownIt

from tests.fuzz.hostile.case import Case, Fault
from tests.fuzz.hostile.sandbox import Sandbox, State
from tests.fuzz.hostile.words import PWNED

#: Exit codes that the help documents, and the codes of a full disk, an interrupt and a closed pipe.
CODES = (0, 1, 2, 64, 74, 130, 141)
#: Unicode categories of characters that move a cursor, reverse a line, are invisible, or are no characters.
_RAW = ("Cc", "Cf", "Zl", "Zp", "Cs")
#: Line starts that CI systems execute.
_COMMAND = re.compile(r"^\s*(::|##\[|##vso\[)")
#: Annotation of the format ``github``. Its only property with text of the model is a file name, in which : is escaped.
_ANNOTATION = re.compile(r"^::(error|warning|notice) (?!title=pwned)[a-zA-Z]+=[^:\n]*::")
_MARKUP = re.compile(r"<script>pwned|<img src=x onerror|\]\]><pwned")
_ADVICE = re.compile(r"mistake in litecheck|LITECHECK_TRACEBACK")
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|mistake in litecheck|^Exception ignored", re.MULTILINE
)
#: Folders that change without an action of the command: canaries have a separate check.
_IGNORED = ("canary",)


@dataclass(frozen=True, slots=True)
class Run:
    """Data of a run: its end, its output, and the files and processes that it left."""

    case: Case
    box: Sandbox
    code: int | None
    ended: str
    stdout: bytes
    stderr: bytes
    before: Mapping[str, State]
    after: Mapping[str, State]
    leftovers: tuple[str, ...]


def limits(run: Run) -> Iterator[str]:
    """Yield the limit that ended the command: of idle time, processor time or memory."""
    if run.ended:
        yield run.ended


def exit_code(run: Run) -> Iterator[str]:
    """Yield an exit code that is not documented, and a signal that ended the process."""
    if not run.ended and run.code not in CODES:
        yield f"exit code {run.code}"


def traceback(run: Run) -> Iterator[str]:
    """Yield a traceback in the output."""
    for name, content in (("stdout", run.stdout), ("stderr", run.stderr)):
        text = content.decode("utf-8", "replace")
        if _TRACE.search(text):
            lines = [
                line
                for line in text.strip().splitlines()
                if line.strip() and "mistake in litecheck" not in line
            ]
            places = [line.strip() for line in lines if "/litecheck/" in line]
            yield f"{name}: {lines[-1][:200]} ({places[-1][-120:] if places else '?'})"


def printed(run: Run) -> Iterator[str]:
    """Yield raw control characters in stdout and stderr, and lines that a CI system executes."""
    github = "github" in run.case.argv
    for name, content in (("stdout", run.stdout), ("stderr", run.stderr)):
        yield from (f"{name}: {fault}" for fault in raw(content, github and name == "stdout"))


def raw(content: bytes, github: bool = False) -> Iterator[str]:
    """Yield the faults of printed text: bytes that are not UTF-8, raw characters, lines that are commands."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield f"not UTF-8 at byte {error.start}"
        text = content.decode("utf-8", "replace")
    for character in dict.fromkeys(c for c in text if c != "\n" and unicodedata.category(c) in _RAW):
        line = next(line for line in text.split("\n") if character in line)
        yield f"raw U+{ord(character):04X} in {line[:200]!r}"
    for line in text.split("\n"):
        if _COMMAND.match(line) and not (github and _ANNOTATION.match(line)):
            yield f"a line that is a command: {line[:200]!r}"
            return


def written(run: Run) -> Iterator[str]:
    """Yield the content of report files that their format forbids."""
    for path in _written(run):
        check = _FORMATS.get(Path(path).suffix)
        if check is not None:
            content = (run.box.root / path).read_bytes()
            yield from (f"{path}: {fault}" for fault in check(content))


def _written(run: Run) -> Iterator[str]:
    for path, state in run.after.items():
        if run.before.get(path) != state and (run.box.root / path).is_file() and state[0] < 50 << 20:
            yield path


def _markdown(content: bytes) -> Iterator[str]:
    yield from _characters(content)
    text = content.decode("utf-8", "replace")
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
    for token in [*tokens, *(child for one in tokens for child in one.children or ())]:
        target = str(token.attrGet("href") or token.attrGet("src") or "")
        if token.type.startswith("html") and _MARKUP.search(token.content):
            yield f"markup of a name: {token.content[:80]!r}"
        if PWNED in target:
            yield f"a link of a name: {target[:80]!r}"


def _page(content: bytes) -> Iterator[str]:
    yield from _characters(content)
    found = _MARKUP.search(content.decode("utf-8", "replace"))
    if found:
        yield f"markup of a name: {found.group()!r}"


def _characters(content: bytes) -> Iterator[str]:
    """Yield the faults of ``raw`` without lines that are commands: these files are not read line by line."""
    yield from (fault for fault in raw(content) if not fault.startswith("a line"))


def _annotations(content: bytes) -> Iterator[str]:
    yield from raw(content, github=True)


def _json(content: bytes) -> Iterator[str]:
    yield from _characters(content)
    try:
        lines = content.decode("utf-8", "replace").splitlines()
        json.loads(content) if content[:2] in (b"{\n", b"[\n") or len(lines) == 1 else [
            json.loads(x) for x in lines
        ]
    except (ValueError, RecursionError):
        try:
            json.loads(content)
        except (ValueError, RecursionError) as error:
            yield f"not JSON: {error}"


def _xml(content: bytes) -> Iterator[str]:
    yield from _characters(content)
    try:
        ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        yield f"not XML: {error}"


def _csv(content: bytes) -> Iterator[str]:
    yield from raw(content)
    for row in csv.reader(io.StringIO(content.decode("utf-8", "replace"))):
        for cell in row:
            if re.match(r"^[=@+\t\r]|^-[^0-9.]", cell) and len(cell) > 1:
                yield f"a cell that a spreadsheet computes: {cell[:80]!r}"


def _python(content: bytes) -> Iterator[str]:
    try:
        compile(content, "written.py", "exec")
    except (SyntaxError, ValueError) as error:
        yield f"not Python: {error}"


_FORMATS: dict[str, Callable[[bytes], Iterator[str]]] = {
    ".txt": raw,
    ".md": _markdown,
    ".csv": _csv,
    ".html": _page,
    ".json": _json,
    ".jsonl": _json,
    ".sarif": _json,
    ".xml": _xml,
    ".py": _python,
    ".yaml": raw,
    ".github": _annotations,
}


def elsewhere(run: Run) -> Iterator[str]:
    """Yield files that were written, changed or removed outside the requested outputs and litecheck's cache."""
    allowed = tuple(str(Path("above/work", path)) for path in run.case.writes)
    for path in sorted(run.before.keys() | run.after.keys()):
        if run.before.get(path) == run.after.get(path) or path.split("/")[0] in _IGNORED:
            continue
        if run.ended and path.startswith("tmp/"):
            continue  # a killed command could not remove its temporary files
        inside = any(path == one or path.startswith(f"{one}/") for one in allowed)
        parents = any(one.startswith(f"{path}/") for one in allowed)
        if inside or parents or path == "cache/litecheck" or path.startswith("cache/litecheck/"):
            continue
        change = "written" if path not in run.before else "changed" if path in run.after else "removed"
        yield f"{change}: {path!r}"


def private(run: Run) -> Iterator[str]:
    """Yield files in the cache folder that further users can read or write."""
    for path, state in run.after.items():
        if path.startswith("cache/litecheck/") and state[2] & 0o170000 == 0o100000 and state[2] & 0o077:
            yield f"{path} has mode {state[2] & 0o777:o}"


def foreign_code(run: Run) -> Iterator[str]:
    """Yield code from an input that was executed."""
    for path in sorted(run.after):
        if path.startswith("canary/"):
            yield f"{path.removeprefix('canary/')} ran"


def disclosed(run: Run) -> Iterator[str]:
    """Yield a message that quotes a file that is no input of the command."""
    if b"pwned-secret-content" in run.stdout + run.stderr:
        yield "a message quotes a foreign file"


def processes(run: Run) -> Iterator[str]:
    """Yield processes that still run after the end of the command."""
    yield from (f"still runs: {one[:150]}" for one in run.leftovers)


CHECKS: dict[str, Callable[[Run], Iterator[str]]] = {
    "limits": limits,
    "exit code": exit_code,
    "traceback": traceback,
    "printed": printed,
    "written": written,
    "elsewhere": elsewhere,
    "private": private,
    "foreign code": foreign_code,
    "disclosed": disclosed,
    "processes": processes,
}


def faults(run: Run) -> tuple[Fault, ...]:
    """Return the faults of a run, in the order of CHECKS."""
    return tuple(Fault(name, evidence) for name, check in CHECKS.items() for evidence in check(run))
