"""Issue text of a reproducer, for the device's bug tracker; text from untrusted files is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from litecheck.cases.model_parts import Case
from litecheck.comparison.types import Difference
from litecheck.comparison.wording import element_sentence
from litecheck.model.options import options_of
from litecheck.model.types import Tensor
from litecheck.verification.result import Verdict

#: Characters with a meaning in Markdown or HTML: special characters, underscores around words, URL schemes, list markers.
_SPECIAL = re.compile(r"[\\`*\[\]#|~<>&@!{}]|(?<!\w)_|_(?!\w)|:(?=//)|^[-+](?=\s)|(?<=^\d)[.)](?=\s)")
#: Largest number of scales shown for a tensor.
_SCALES = 4


def issue(case: Case, verdict: Verdict, described: str, arithmetic: str, program: bool) -> str:
    """Return the issue as Markdown: differences, operator and parameters, explanation, and steps to reproduce."""
    lines = [f"# {literal(verdict.opcode)}: {verdict.outcome.value} on {literal(described)}", ""]
    lines += _differences(verdict, arithmetic)
    lines += ["", "## Operator", ""]
    for operator in case.operators:
        kind = literal(operator.custom_code or operator.opcode)
        options = ", ".join(literal(f"{name} {value}") for name, value in options_of(operator).items())
        lines.append(f"- {kind} version {operator.version}{': ' if options else ''}{options}")
    lines += ["", "| tensor | type | shape | scale | zero point |", "|---|---|---|---|---|"]
    lines += [_row(t) for t in case.submodel.model.subgraphs[0].tensors]
    lines += ["", "## To reproduce", ""]
    if program:
        lines += ["```", "python reproduce.py", "```", ""]
    lines.append(
        "Inputs of `model.tflite`: `input_*.npy`. Expected outputs: `expected_*.npy`. Outputs of the device: `actual_*.npy`."
    )
    return "\n".join(lines) + "\n"


def _differences(verdict: Verdict, arithmetic: str) -> Iterator[str]:
    for d in verdict.differences:
        if not d.mismatches:
            continue
        unit = "LSB" if d.unit == "LSB" else "of the largest magnitude"
        most = f"by at most {abs(d.largest):g} {unit}"
        yield f"{d.mismatches:,} of {d.size:,} output elements differ from {code(arithmetic)}, {most}."
        yield from _worst(d)
        if verdict.also:
            names = " and ".join(map(code, verdict.also))
            noun = "arithmetic" if len(verdict.also) == 1 else "arithmetics"
            yield f"The outputs equal those of the published {noun} {names}."
    if verdict.message:
        yield from ("", *block(verdict.message))


def _worst(d: Difference) -> Iterator[str]:
    if d.worst is not None:
        at = ", ".join(map(str, d.worst.index))
        yield f"At ({at}) {d.worst.expected:g} is expected, the device gives {d.worst.actual:g}."
    if d.explained is not None:
        yield ""
        yield literal(element_sentence(d.explained))


def _row(tensor: Tensor) -> str:
    q = tensor.quantization
    more = ", ..." if q.scale.size > _SCALES else ""
    scales = ", ".join(f"{float(s):.9g}" for s in q.scale[:_SCALES]) + more
    zeros = ", ".join(str(int(z)) for z in np.unique(q.zero_point)[:_SCALES])
    name = code(tensor.name, cell=True) if tensor.name else f"tensor {tensor.index}"
    return f"| {name} | {tensor.dtype} | {list(tensor.shape)} | {scales} | {zeros} |"


def visible(text: str) -> str:
    """Escape control, format and unassigned characters with backslashes; the returned text is a single printable line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def literal(text: str) -> str:
    """Escape text for use outside of code: every character with a Markdown or HTML meaning stands for itself."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text))


def code(text: str, cell: bool = False) -> str:
    """Return a code span around any text; its fence is longer than every run of backticks in the text.

    In a ``cell`` of a table, bars are escaped: a bar ends the cell even within code.
    """
    text = visible(text)
    fence = "`" * (1 + _longest(text))
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    span = f"{fence}{pad}{text}{pad}{fence}"
    return span.replace("|", "\\|") if cell else span


def block(text: str) -> list[str]:
    """Return the lines of a code block around any text."""
    lines = [visible(line) for line in text.splitlines()]
    fence = "`" * max(3, 1 + max(map(_longest, lines), default=0))
    return [fence, *lines, fence]


def _longest(text: str) -> int:
    """Return the length of the longest run of backticks. For example, two single backticks side by side give 2."""
    return max((len(run) for run in re.findall("`+", text)), default=0)
