"""Report of a comparison: result row, document, plain values and text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from litecheck.quantizer.comparison_result import Comparison, Element
from litecheck.rendering import rows as result
from litecheck.rendering.document import Code, Document, FactRows, join_lines
from litecheck.rendering.escape import visible
from litecheck.rendering.wording.differences import decimal, group_by_label, lines, verdict
from litecheck.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_DIFFERS = result.RowRule(
    "compare/differs", "The tensors differ.", "The device gives other values than expected."
)
_STYLES = {"exact": "bold green", "within tolerance": "bold green", "differs": "bold red"}
#: Columns of the labels in the text.
_LABEL = 11


@dataclass(frozen=True, slots=True)
class ComparedTensors:
    """A comparison, with the user's names of both tensors."""

    comparison: Comparison
    expected: str
    actual: str


def results(compared: ComparedTensors) -> result.Results:
    """Return the row of a tensor, if it differs by more than the tolerance."""
    c, file = compared.comparison, compared.actual
    word, name = verdict(c), f"{compared.actual} against {compared.expected}"
    details = tuple(group_by_label(c))
    full = result.lines_of(details)
    rows, obstacles = [], []
    identity = result.digest(compared.expected, file, word)
    if not c.size:
        text = f"{name}: there is no element to compare"
        where = result.RowPlace(file, "tensor")
        obstacles = [result.not_judged("compare", where, text, text, compared.expected, file, word)]
    elif not c.within:
        summary = next(lines[0] for label, lines in details if label == "differ")
        where = result.RowPlace(file, name, ((file, file, "module"), (c.dtype, c.dtype, "variable")))
        rows = [
            result.ResultRow(
                _DIFFERS.id, "violation", word, where, word, summary, details, f"{name}: {word}", full,
                fails=True, fingerprint=identity, identity=identity,
            )
        ]  # fmt: skip
    cases = (result.JudgedCase(name, tuple(rows), aside=() if rows else full),) if c.size else ()
    facts = (("litecheck", __version__), ("verdict", word), ("expected", compared.expected), ("actual", file))
    return result.Results(
        "litecheck compare",
        __version__,
        c.exit_code,
        f"{name}: {word}",
        (result.Subject(name, file, facts, tuple(rows), cases, tuple(obstacles)),),
        (_DIFFERS,),
        tuple(result.annotate_rows((*obstacles, *rows))),
        {"comparison": {"expected": compared.expected, "actual": file, "verdict": word}},
    )


def document(compared: ComparedTensors) -> Document:
    """Return the verdict, the differences, the first and the worst element, and causes."""
    (_, (tensor,)), *details = group_by_label(compared.comparison)
    title = (Code(compared.actual), " against ", Code(compared.expected))
    facts = FactRows(tuple((label, join_lines(texts)) for label, texts in details))
    word = verdict(compared.comparison)
    return Document("compare", title, word, tensor, (), (facts,) if details else (), __version__)


def values(compared: ComparedTensors) -> dict[str, Any]:
    """Return the comparison as plain dicts and lists; schemas/comparison.schema.json describes them."""
    comparison = compared.comparison
    return {
        "litecheck_comparison": VERSION,
        "version": __version__,
        "expected": visible(compared.expected),
        "actual": visible(compared.actual),
        "verdict": verdict(comparison),
        "exit_code": comparison.exit_code,
        "dtype": comparison.dtype,
        "shape": comparison.shape,
        "elements": comparison.size,
        "semantics": comparison.semantics,
        "unit": comparison.unit,
        "tolerance": comparison.tolerance,
        "mismatches": comparison.mismatches,
        "share": comparison.share,
        "beyond": comparison.beyond,
        "largest": comparison.largest,
        "farthest": _number(comparison.farthest),
        "histogram": [asdict(bucket) for bucket in comparison.histogram],
        "first": _element(comparison.first),
        "worst": _element(comparison.worst),
        "causes": [asdict(cause) for cause in comparison.causes],
    }


def _element(element: Element | None) -> dict[str, Any] | None:
    if element is None:
        return None
    return {
        "index": element.index,
        "expected": _number(element.expected),
        "actual": _number(element.actual),
        "difference": element.difference,
        "real": _number(element.real),
        "scale": _number(element.scale),
        "zero_point": None if element.scale is None else element.zero_point,
        "quotient": None if element.quotient is None else str(element.quotient),
        "quotient_decimal": None if element.quotient is None else decimal(element.quotient),
        "quotient_float32": None if element.quotient32 is None else float(element.quotient32),
        "neighbours": element.neighbours,
    }


def _number(value: float | None) -> float | str | None:
    """Return a number for JSON, with infinities and NaN as text, because JSON has no number for them."""
    return value if value is None or isfinite(value) else str(value)


def print_report(compared: ComparedTensors, console: Console, verbose: bool = False) -> None:
    """Print the verdict, a histogram, the first and the worst element explained, and the causes; ``verbose`` adds
    nothing."""
    from rich.text import Text

    from litecheck.rendering.text_page import DIM, Page

    page, word = Page(console, verbose), verdict(compared.comparison)
    title = f"{visible(compared.actual)} against {visible(compared.expected)}"
    style = _STYLES.get(word, "bold magenta")
    console.print(Text.assemble((title, "bold"), ": ", (word, style)), soft_wrap=True)
    for label, text in lines(compared.comparison, page.plain):
        page.line(text, Text(label, DIM), _LABEL)
