"""Hostile names, models and profiles full of them, and a check of printed text.

``name`` draws one name, ``model`` and ``profile`` draw whole inputs, ``faults`` checks the output of a command.
"""

from __future__ import annotations

import re
from random import Random

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model

#: Marker after every line break of a hostile name: at the start of a printed line it proves that a name broke the line.
MARK = "QXZ"
#: Hostile pieces of names.
PIECES = (
    "\x1b[8m", "\x1b]0;title\x07", "\x1b]8;;http://evil.example\x1b\\", "\x1b[2J", "\x9b8m", "\x9d0;t\x9c",
    "\0", "\x01", "\x07", "\b", "\t", "\x0b", "\x0c", "\x7f", "\x85", "\xa0", "\xad",
    f"\n{MARK}", f"\r{MARK}", f"\r\n{MARK}", f"\u2028{MARK}", f"\u2029{MARK}", f"\x1c{MARK}",
    "\u202e", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\u3164", "\u115f",
    "\ue000", "\U000f0000", "\U000e0041", "\uffff", "\u0378", "\U0001fffe",
    "::error::", "::stop-commands::x", "##[error]", "##vso[task.setvariable variable=x]", "##teamcity[x]",
    f"\n{MARK}::error::", f"\n{MARK}##vso[x]", "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>",
    "[a](http://evil.example)", "{x}", "[bold]", "`", "```", "|", "&amp;", "'", '"', "\\", "\\x1b[8m", "%0A", "[/]",
    ":smile:", "=1+1", "+1", "-1", "@x", "ordinary", "größe", "大きさ", " ", "  ", "/", "..",
)  # fmt: skip
#: Beginnings that act at the start of a line or of a cell.
STARTS = (
    "",
    "",
    "::error::",
    "  ::error::",
    "::",
    ":",
    "##[error]",
    "##vso[x]",
    "=1+1",
    "@",
    "+",
    "-",
    f"\n{MARK}::a::",
)
#: Codes of rich. The codes of hostile names are of kinds that rich does not write here.
_COLORS = re.compile(r"\x1b\[(?!8m|2J)[\d;]*m")
_LOG_COMMAND = re.compile(r"##\w*\[")
#: The only allowed workflow commands, of the format ``github``.
_ANNOTATION = re.compile(r"::(error|warning|notice) file=[^:,]*,title=[^:,]*::")


def name(random: Random, *, file: bool = False, most: int = 5) -> str:
    """Draw a name of up to ``most`` pieces; a ``file`` name has no slash and no NUL, and at most 120 bytes."""
    text = random.choice(STARTS) + "".join(random.choices(PIECES, k=random.randint(1, most)))
    if not file:
        return text
    return (
        (text.replace("/", "|").replace("\0", "\x02").strip(".") or "x")
        .encode()[:120]
        .decode(errors="ignore")
    )


def model(random: Random, *, dtype: str = "int8", violating: bool = True, custom: bool = False) -> Model:
    """Draw a model with hostile names in all places for names.

    The model has FULLY_CONNECTED and SOFTMAX. ``violating`` breaks the weights' zero point and the output's scale.
    ``custom`` adds a custom operator, which no runtime has.
    """

    def q(scale: float, zero_point: int) -> object:
        return qparams(scale, zero_point) if dtype == "int8" else None

    builder = ModelBuilder(name(random))
    main = builder.subgraph(name(random))
    weights = np.array([[1, -2, 3, 4], [-4, 3, 2, 1]], dtype)
    x = main.tensor(f"{name(random)}x", (1, 4), dtype, q(0.5, -1))  # type: ignore[arg-type]
    w = main.constant(f"{name(random)}w", weights, q(0.25, 3 if violating else 0))  # type: ignore[arg-type]
    y = main.tensor(f"{name(random)}y", (1, 2), dtype, q(0.25, 3))  # type: ignore[arg-type]
    z = main.tensor(f"{name(random)}z", (1, 2), dtype, q(0.5 if violating else 1 / 256, -128))  # type: ignore[arg-type]
    main.add("FULLY_CONNECTED", [x, w], [y])
    main.add("SOFTMAX", [y], [z], beta=1.0)
    if custom:
        before, z = z, main.tensor(f"{name(random)}c", (1, 2), dtype, q(0.5, 0))  # type: ignore[arg-type]
        main.add("CUSTOM", [before], [z], custom_code=name(random))
    main.inputs(x)
    main.outputs(z)
    builder.signature(name(random), main, {name(random): x}, {name(random): z})
    builder.metadata(name(random), b"x")
    return builder.finish()


def profile(random: Random) -> str:
    """Draw a profile of FULLY_CONNECTED with hostile texts."""

    def text() -> str:
        return '"' + "".join(f"\\U{ord(c):08X}" for c in name(random)) + 'x"'

    return f"""\
profile: hostile
title: {text()}
source: {text()}
activations: int8
kinds:
  activation: {{dtype: int8, granularity: per-tensor}}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight]
    outputs: [output]
    tensors:
      input: activation
      weight: {{zero_point: 0, because: {text()}, see: {text()}}}
      output: activation
    because: {text()}
"""


def faults(text: str, *, colors: bool = False, annotations: bool = False, wide: bool = True) -> list[str]:
    """Return the lines of printed ``text`` in which a name acts, with the reason.

    ``colors``: the output of rich has colors. ``annotations``: the text is of the format ``github``. ``wide``: no line
    was wrapped, so that a line that begins with ``MARK`` was begun by a name.
    """
    found = []
    for line in (_COLORS.sub("", text) if colors else text).split("\n"):
        start = line.lstrip()
        if not line.isprintable():
            found.append(f"control character: {line!r}")
        if start.startswith("::") and not (annotations and _ANNOTATION.match(start)):
            found.append(f"workflow command: {line!r}")
        if _LOG_COMMAND.search(line):
            found.append(f"log command: {line!r}")
        if wide and start.startswith(MARK):
            found.append(f"line begun by a name: {line!r}")
    return found
