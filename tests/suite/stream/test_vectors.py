"""Streams: header, lines, flags, blocks that are cut to the number of lines, and arguments that are rejected."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.suite.stream.batch import column
from litecheck.suite.stream.stream_header import parse_header
from litecheck.suite.stream.vectors import VectorBlock, Vectors


def stream(name: str = "LOGISTIC", level: str = "smoke", seed: int = 0, count: int | None = 300) -> Vectors:
    return Vectors(name, "litert-reference", level, seed, count)


@cache
def lines(name: str = "LOGISTIC", count: int = 300, seed: int = 0) -> tuple[str, ...]:
    vectors = stream(name, count=count, seed=seed)
    text = b"".join(text for _, text in vectors.blocks())
    assert vectors.sha256() == hashlib.sha256(text).hexdigest()
    return (*vectors.preamble(), *text.decode().splitlines())


def block() -> VectorBlock:
    """Return three lines with one output each; the first mutant differs in two lines, the second cannot be computed."""
    expected = np.array([[1], [2], [3]])
    return VectorBlock(
        10, (column("x", np.array([7, 8, 9]), 3),), expected, (np.array([[0], [2], [4]]), None, expected + 1)
    )


def test_flags_of_a_block() -> None:
    """Bit 0 in lines 0 and 2, bit 2 in all: 1 + 4, 4, 1 + 4."""
    assert block().mutants().tolist() == [5, 4, 5]
    assert len(block()) == 3
    assert block().text() == b"10 7 5\n11 8 4\n12 9 5\n"


def test_a_block_is_cut() -> None:
    cut = block().first_lines(2)
    assert cut.text() == b"10 7 5\n11 8 4\n"
    assert cut.mistaken[1] is None
    assert len(cut) == 2


def test_the_preamble_explains_the_lines() -> None:
    header, fields, answer, *mutants = (line for line in lines() if line.startswith("#"))
    assert fields.startswith("#fields n x si:f32 zi so:f32 zo")
    assert fields.endswith(" flags:hex")
    assert answer == "#answer n y"
    bits = [line.split()[1] for line in mutants]
    assert bits == [f"{1 << n:x}" for n in range(len(mutants))]
    parsed = parse_header(header, "stream", 1)
    assert (parsed.name, parsed.count, parsed.seed, parsed.level) == ("LOGISTIC", 300, 0, "smoke")


@pytest.mark.parametrize(("name", "answer"), [("SOFTMAX", "y*k"), ("CONV_2D", "y"), ("ADD", "y")])
def test_answers_of_rows(name: str, answer: str) -> None:
    """SOFTMAX has an output for each input, a dot product a single output."""
    assert next(line for line in lines(name, 5) if line.startswith("#answer")) == f"#answer n {answer}"


@pytest.mark.parametrize("count", [1, 256, 300, 5000])
def test_lines_are_numbered_from_0(count: int) -> None:
    numbers = [int(line.split()[0]) for line in lines(count=count) if not line.startswith("#")]
    assert numbers == [*range(count)]


def test_a_shorter_stream_is_the_beginning_of_a_longer_one() -> None:
    short, long = ([line for line in lines(count=n) if not line.startswith("#")] for n in (300, 5000))
    assert long[:300] == short


def test_a_header_is_enough_to_draw_a_stream_again() -> None:
    vectors = stream(seed=3)
    again = Vectors.again(vectors.header)
    assert [text for _, text in again.blocks()] == [text for _, text in stream(seed=3).blocks()]
    assert [text for _, text in again.blocks()] != [text for _, text in stream(seed=4).blocks()]


def test_lines_of_a_level() -> None:
    """4,096 lines of a table in a smoke stream."""
    assert Vectors("LOGISTIC", "litert-reference", "smoke", 0, None).header.count == 4096
    assert stream(count=7).header.count == 7


def test_each_flag_is_set_in_some_line() -> None:
    vectors = stream(count=None)
    seen = 0
    for one, _ in vectors.blocks():
        seen |= int(np.bitwise_or.reduce(one.mutants()))
    assert seen == (1 << len(vectors.mutants)) - 1


def test_mutants_that_no_line_distinguishes_share_a_flag() -> None:
    """The names of a group are those that give the same answers in the designed batches."""
    vectors = stream("ADD")
    names = [name for mutant in vectors.mutants for name in (mutant.name, *mutant.same)]
    assert len({*names}) == len(names)
    assert any(mutant.same for mutant in stream("CONV_2D", count=2).mutants)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("LOGISTIC", "litert-reference", "large", 0, None),
            "there is no level 'large'; there are smoke, standard, exh",
        ),
        (("LOGISTIC", "my file.yaml", "smoke", 0, None), "has characters that a stream's header cannot hold"),
        (("LOGISTIC", "füße.yaml", "smoke", 0, None), "has characters that a stream's header cannot hold"),
        (("LOGISTIC", "litert-reference", "smoke", 0, 0), "a stream of 0 vectors is none"),
        (("LOGISTIK", "litert-reference", "smoke", 0, None), "there is no stream 'LOGISTIK'"),
    ],
)
def test_arguments_that_are_rejected(arguments: tuple[str, str, str, int, int | None], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Vectors(*arguments)


#: The same options give the same bytes (docs/stream.md): fields and answers of 300 lines. The lines of further
#: streams are chosen by mutants, so a new mutant changes them.
RECORDED = {"requantize": "f4bcd609ccdf", "CONV_2D": "9acaefb8b2b8", "LOGISTIC": "3eda4c353c32"}


@pytest.mark.parametrize("name", RECORDED)
def test_the_same_options_give_the_same_lines(name: str) -> None:
    """A change of fields or answers changes the meaning of a device's stored answers, so it belongs in CHANGELOG.md."""
    digest = hashlib.sha256()
    for one, _ in stream(name).blocks():
        digest.update(replace(one, mistaken=()).text() + one.expected.tobytes())
    assert digest.hexdigest()[:12] == RECORDED[name]
