"""The issue text of a reproducer, and untrusted names in Markdown."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.model_parts import Case
from litecheck.comparison.types import Difference, ExplainedElement, MismatchExample
from litecheck.devices.outcome import Outcome
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.options import options_of
from litecheck.model.types import Tensor
from litecheck.verification.reproducers.issue import _row, block, code, issue, literal, visible
from litecheck.verification.result import Verdict


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 3.5", "plain text, 3.5"),
        ("a*b", r"a\*b"),
        ("`x` [y](z) #1 <b> & @me ~ | {} !", r"\`x\` \[y\](z) \#1 \<b\> \& \@me \~ \| \{\} \!"),
        ("a_b _c d_", r"a_b \_c d\_"),
        ("http://x", r"http\://x"),
        ("a: b", "a: b"),
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("-1 and 3-2", "-1 and 3-2"),
        ("1. item", r"1\. item"),
        ("1) item", r"1\) item"),
        ("1.5", "1.5"),
        ("back\\slash", r"back\\slash"),
        ("new\nline", r"new\\nline"),
    ],
)
def test_text_is_shown_literally(text: str, shown: str) -> None:
    assert literal(text) == shown


@pytest.mark.parametrize(
    ("text", "cell", "span"),
    [
        ("x", False, "`x`"),
        ("a`b", False, "``a`b``"),
        ("a``b`c", False, "```a``b`c```"),
        ("`a", False, "`` `a ``"),
        ("a`", False, "`` a` ``"),
        (" a", False, "`  a `"),
        ("a ", False, "` a  `"),
        ("", False, "`  `"),
        ("a|b", False, "`a|b`"),
        ("a|b", True, r"`a\|b`"),
        ("a\x07b", False, r"`a\x07b`"),
    ],
)
def test_code_spans(text: str, cell: bool, span: str) -> None:
    assert code(text, cell) == span


def test_blocks_of_code() -> None:
    assert block("a\nb\x07") == ["```", "a", "b\\x07", "```"]
    assert block("a```b") == ["````", "a```b", "````"]
    assert block("a`````b\nc") == ["``````", "a`````b", "c", "``````"]
    assert block("") == ["```", "```"]


def test_visible_text() -> None:
    assert visible("x y") == "x y"
    assert visible("x\u202ey\n") == "x\\u202ey\\n"


@cache
def case() -> Case:
    builder = ModelBuilder("small")
    graph = builder.subgraph()
    x = graph.tensor("x|y", (1, 4), "int8", qparams(0.5, 3))
    w = graph.constant("", np.ones((6, 4), np.int8), qparams([0.25, 0.5, 0.75, 1, 2, 3]))
    y = graph.tensor("out", (1, 6), "int8", qparams(0.1, -128))
    graph.add("FULLY_CONNECTED", [x, w], [y], version=4)
    graph.inputs(x)
    graph.outputs(y)
    model = builder.finish()
    (only,) = model_parts.operators(model, model.subgraphs[0])
    return only


def verdict(*differences: Difference, outcome: Outcome = Outcome.MISMATCH, **fields: Any) -> Verdict:
    return Verdict("#0", 0, (0,), ("FULLY_CONNECTED",), "out", outcome, differences=differences, **fields)


TABLE = r"""## Operator

- FULLY_CONNECTED version 4: OPTIONS

| tensor | type | shape | scale | zero point |
|---|---|---|---|---|
| `x\|y` | int8 | [1, 4] | 0.5 | 3 |
| tensor 1 | int8 | [6, 4] | 0.25, 0.5, 0.75, 1, ... | 0 |
| `out` | int8 | [1, 6] | 0.100000001 | -128 |

## To reproduce
""".replace(
    "OPTIONS", ", ".join(f"{name} {value}" for name, value in options_of(case().operators[0]).items())
)
FED = (
    "\nInputs of `model.tflite`: `input_*.npy`. Expected outputs: `expected_*.npy`. "
    "Outputs of the device: `actual_*.npy`.\n"
)


def difference(**fields: Any) -> Difference:
    usual = {"unit": "LSB", "size": 6000, "mismatches": 1200, "beyond": 3, "tolerance": 0.0, "largest": -3.0}
    return Difference(0, "out", "int8", (1, 6), **{**usual, **fields})


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (verdict(difference()), ["1,200 of 6,000 output elements differ from `tflm`, by at most 3 LSB."]),
        (verdict(difference(unit="relative", largest=0.25)),
         ["1,200 of 6,000 output elements differ from `tflm`, by at most 0.25 of the largest magnitude."]),
        (verdict(difference(mismatches=0)), []),
        (verdict(difference(worst=MismatchExample(0, (0, 5), 7.0, 4.0))),
         ["1,200 of 6,000 output elements differ from `tflm`, by at most 3 LSB.",
          "At (0, 5) 7 is expected, the device gives 4."]),
        (verdict(difference(explained=ExplainedElement((0, 5), "1", "tflm", (), 7, 4))),
         ["1,200 of 6,000 output elements differ from `tflm`, by at most 3 LSB.", "",
          "element (0, 5) of run 1: tflm gives 7; the device gives 4, a value of no known variant or defect"]),
        (verdict(difference(), also=("litert-xnnpack",)),
         ["1,200 of 6,000 output elements differ from `tflm`, by at most 3 LSB.",
          "The outputs equal those of the published arithmetic `litert-xnnpack`."]),
        (verdict(difference(), also=("a", "b")),
         ["1,200 of 6,000 output elements differ from `tflm`, by at most 3 LSB.",
          "The outputs equal those of the published arithmetics `a` and `b`."]),
        (verdict(outcome=Outcome.CRASHED, message="signal 11\nbye"), ["", "```", "signal 11", "bye", "```"]),
    ],
)  # fmt: skip
def test_issue(made: Verdict, what: list[str]) -> None:
    head = [f"# FULLY_CONNECTED: {made.outcome.value} on my \\*board\\*", ""]
    expected = "\n".join([*head, *what, "", TABLE])
    assert issue(case(), made, "my *board*", "tflm", False) == expected + FED


def test_issue_with_a_program() -> None:
    text = issue(case(), verdict(difference()), "board", "tflm", True)
    assert text.endswith(f"## To reproduce\n\n```\npython reproduce.py\n```\n{FED}")


@pytest.mark.parametrize(
    ("count", "shown"), [(3, "0.5, 0.5, 0.5"), (4, "0.5, 0.5, 0.5, 0.5"), (5, "0.5, 0.5, 0.5, 0.5, ...")]
)
def test_four_scales_are_shown(count: int, shown: str) -> None:
    tensor = Tensor(0, "w", "int8", (count, 2), quantization=qparams([0.5] * count))
    assert _row(tensor) == f"| `w` | int8 | [{count}, 2] | {shown} | 0 |"
