"""Plain technical English in tests, benchmarks, fixtures and programs: docstrings, comments and names of tests."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_language import LONGEST, banned, nouns_first

ROOT = Path(__file__).resolve().parent.parent
#: Folders in plain language, with all folders below. ``tests/*.py`` are the modules of tests outside a folder.
PLAIN = (
    "benchmarks",
    "docs",
    "examples",
    "fixtures",
    "tests/*.py",
    "tests/cases",
    "tests/checks",
    "tests/cli",
    "tests/comparison",
    "tests/conversion",
    "tests/delegate",
    "tests/devices",
    "tests/diagnosis",
    "tests/differences",
    "tests/differential",
    "tests/flatbuffer",
    "tests/fuzz",
    "tests/model",
    "tests/mutation",
    "tests/portable",
    "tests/processes",
    "tests/profile",
    "tests/quantizer",
    "tests/reference",
    "tests/rendering",
    "tests/suite",
    "tests/targets",
    "tests/tracing",
    "tests/verification",
)
#: First words of a docstring or comment that do not name a subject.
NO_SUBJECT = re.compile(r"(?:What|Which|Whether|Why|Where|When|How|Of|One|Ones|It|Its|They|Their|Those)\b")
#: Words in place of a noun or of a term.
VAGUE = re.compile(
    r"\b(?:what|whatever|whether|others|ones|nobody|somebody|told|tells|said|says)\b", re.IGNORECASE
)
#: Parts of test names without a subject.
RIDDLE = re.compile(
    r"^test_(?:what|who|whose|which|whether|where|why|how|it|they|others)_"
    r"|_(?:said|says|told|tells|nobody|somebody|alike|apart|there_is|there_are|stands?|is_none|are_none)(?:_|$)"
)
#: "one" and "other" in all forms, per 1,000 words of all folders.
MOST_PRONOUNS = 6
PRONOUN = re.compile(r"\b(?:ones?|others?)\b", re.IGNORECASE)
#: Comments for tools.
DIRECTIVE = re.compile(r"#\s*(?:fmt:|noqa|type:|ruff:|pragma)")


def modules(folder: str) -> list[Path]:
    """Return the Python files of a folder and below, or of a pattern."""
    found = ROOT.glob(folder) if folder.endswith(".py") else (ROOT / folder).rglob("*.py")
    return sorted(path for path in found if path != Path(__file__))


def texts(source: str) -> Iterator[str]:
    """Yield the docstrings and comments of a module; consecutive lines of a comment are a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (
            text := ast.get_docstring(node)
        ):
            yield text
    lines: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or DIRECTIVE.match(token.string):
            continue
        if token.line.lstrip().startswith("#"):
            lines[token.start[0]] = token.string.lstrip("#: ")
        else:
            yield token.string.lstrip("#: ")
    for first in sorted(lines.keys() - {number + 1 for number in lines}):
        yield " ".join(
            itertools.takewhile(bool, (lines.get(number, "") for number in itertools.count(first)))
        )


def faults(text: str) -> Iterator[str]:
    """Yield the faults of a docstring or comment; words in backquotes are no prose."""
    prose = re.sub(r"``.*?``", "", text, flags=re.DOTALL)
    yield from banned(prose)
    yield from (f"{found!r} has no subject" for found in VAGUE.findall(prose))
    if NO_SUBJECT.match(text):
        yield f"begins with {text.split()[0]!r}"
    for sentence in re.split(r"(?<=[.:;?!])\s+|\n\s*\n|\n- ", prose):
        if len(sentence.split()) > LONGEST:
            yield f"{len(sentence.split())} words in a sentence"


@pytest.mark.parametrize("folder", PLAIN)
def test_docstrings_and_comments_are_plain(folder: str) -> None:
    found = modules(folder)
    assert found
    for path in found:
        assert [(text, fault) for text in texts(path.read_text("utf-8")) for fault in faults(text)] == [], (
            path
        )


@pytest.mark.parametrize("folder", PLAIN)
def test_docstrings_of_helpers_begin_with_a_verb(folder: str) -> None:
    for path in modules(folder):
        file = path.relative_to(ROOT).as_posix()
        found = nouns_first(file, path.read_text("utf-8"))
        assert [line for line in found if " test_" not in line.partition(":")[2].partition(":")[0]] == []


@pytest.mark.parametrize("folder", PLAIN)
def test_names_of_tests_have_a_subject(folder: str) -> None:
    for path in modules(folder):
        names = re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
        assert [name for name in names if RIDDLE.search(name)] == [], path


def test_pronouns_are_rare() -> None:
    prose = " ".join(
        text for folder in PLAIN for path in modules(folder) for text in texts(path.read_text("utf-8"))
    )
    assert 1000 * len(PRONOUN.findall(prose)) / len(re.findall(r"[A-Za-z']+", prose)) < MOST_PRONOUNS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Return what is read.", "'what' has no subject"),
        ("One operator.", "begins with 'One'"),
        ("It is Refused at load.", "'Refused at load': use fails to load"),
        (" ".join(["word"] * 31), "31 words in a sentence"),
    ],
)
def test_a_fault_is_found(text: str, fault: str) -> None:
    assert fault in list(faults(text))
    assert list(faults("Return the operators of ``what``. Each has an output.")) == []


def test_comments_and_docstrings_are_read() -> None:
    source = '"""A module."""\n#: First line,\n#: second line.\nX = 1  # noqa\nY = 2  # the sum\nZ = 3  # the product\n'
    assert list(texts(source)) == ["A module.", "the sum", "the product", "First line, second line."]


def test_a_name_without_a_subject_is_found() -> None:
    names = (
        "test_what_is_read",
        "test_a_fault_is_told",
        "test_the_output_is_read",
        "test_names_that_there_are",
    )
    assert [bool(RIDDLE.search(name)) for name in names] == [True, True, False, True]
