"""Commands and Python examples of the documentation, with the output that the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A text block after a script is the output of the script.
_PRINTED = re.compile(r"\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"^    (?! )(\S.*)$", re.MULTILINE)
#: First words of a command in an indented line or a CI job.
_PROGRAMS = ("litecheck ", "pip ", "python ", "openssl ", "cc ", "vvp ")
#: A usage line, which is not a command: ``litecheck run MODEL [--input NAME=FILE]...``.
_PATTERN = re.compile(r" (\[|MODEL|IN |EXPECTED )")


@dataclass(frozen=True, slots=True)
class Step:
    """A command with the output and exit code that the page shows; None if it shows none.

    ``kind``: ``session`` (a ``$`` line), ``script``, ``python`` (all doctests of a page), ``pytest`` (a recipe for test
    suites), ``pattern`` (no command, but how commands are formed).
    """

    line: int
    kind: str
    command: str
    output: str | None = None
    code: int | None = None


def steps(text: str) -> tuple[Step, ...]:
    """Return all steps of a document in order. Its doctests form a step, at the line of the first."""
    found = [step for match in _FENCED.finditer(text) for step in _fenced(text, match)]
    plain = _FENCED.sub(lambda match: re.sub(r"[^\n]", "", match[0]), text)
    for match in _INDENTED.finditer(plain):
        if match[1].startswith(_PROGRAMS):
            found.append(_script(_line(plain, match.start()), match[1]))
    examples = [(_line(text, m.start()), m[2]) for m in _FENCED.finditer(text) if m[1] == "python"]
    doctests = [(line, body) for line, body in examples if ">>> " in body]
    if doctests:
        found.append(Step(doctests[0][0], "python", "\n".join(body for _, body in doctests)))
    found += (Step(line, "pytest", body) for line, body in examples if "def test_" in body)
    return tuple(sorted(found, key=lambda step: step.line))


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _fenced(text: str, match: re.Match[str]) -> Iterator[Step]:
    language, body = match[1], match[2]
    line = _line(text, match.start())
    if language == "console":
        yield from _session(line + 1, body)
    elif language == "sh":
        printed = _PRINTED.match(text, match.end())
        yield Step(line, "script", body, printed[1] if printed else None)
    elif language == "yaml":
        for command in _jobs(yaml.safe_load(body)):
            yield _script(line, command)
    elif language == "groovy":
        yield from (_script(line, command) for command in re.findall(r"sh '(.*?)'", body))


def _script(line: int, command: str) -> Step:
    return Step(line, "pattern" if _PATTERN.search(command) else "script", command)


def _session(line: int, body: str) -> Iterator[Step]:
    """Yield the ``$`` lines; ``echo $?`` states the exit code of the previous command."""
    pending: Step | None = None
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        if not part:
            continue
        prompt, output = part.split("\n", 1)
        command = prompt.removeprefix("$ ")
        if command == "echo $?" and pending:
            yield Step(pending.line, "session", pending.command, pending.output, int(output))
            pending = None
        else:
            if pending:
                yield pending
            pending = Step(line, "session", command, output)
        line += part.count("\n")
    if pending:
        yield pending


def _jobs(content: Any) -> Iterator[str]:
    """Yield the commands of a CI job, under ``run`` and ``script``."""
    if isinstance(content, list):
        for one in content:
            yield from _jobs(one)
    elif isinstance(content, Mapping):
        for key, value in content.items():
            if key not in ("run", "script"):
                yield from _jobs(value)
                continue
            lines = value if isinstance(value, list) else value.splitlines()
            yield from (line for line in lines if line.startswith(_PROGRAMS))
