"""Answers that are not those to the stream: each with the line it is seen in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecheck.suite.stream.stream_header import StreamError, parse_header
from litecheck.suite.stream.stream_verdict import judge_stream
from tests.suite.stream.conftest import answered, made

pytestmark = pytest.mark.slow

COUNT = 300
Lines = list[bytes]


@pytest.fixture(scope="module")
def right() -> Lines:
    """Return answers: the header in line 1, vector n in line n + 2, the end in line 302."""
    return answered(made("requantize", count=COUNT))


def swapped(lines: Lines) -> Lines:
    return [*lines[:10], lines[11], lines[10], *lines[12:]]


FAULTS: dict[str, tuple[Callable[[Lines], Lines], int, str]] = {
    "lost": (lambda a: a[:10] + a[11:], 11, "the answer to vector 9 is lost: that to vector 10 comes instead"),
    "twice": (lambda a: a[:11] + a[10:], 12, "the answer to vector 9 comes a second time, where that to vector 10"),
    "swapped": (swapped, 11, "the answer to vector 10 comes before that to vector 9: they are out of order"),
    "early end": (lambda a: a[:50], 51, "the answers end before that to vector 49"),
    "end too soon": (lambda a: [*a[:50], a[-1]], 52, "the answers end before that to vector 49"),
    "no last line": (lambda a: a[:-1], 302, "the last line, #end ..., did not come"),
    "too many": (lambda a: [*a[:-1], b"300 5\n", a[-1]], 302, "'300 5' comes where all 300 vectors are answered"),
    "behind the end": (lambda a: [*a, b"300 5\n"], 303, "behind the last line stands '300 5'"),
    "a word": (lambda a: [*a[:10], b"9 x\n", *a[11:]], 11, "'9 x' is not an answer, which is a number and 1 value"),
    "a value too many": (lambda a: [*a[:10], b"9 1 2\n", *a[11:]], 11, "'9 1 2' is not an answer"),
    "no value": (lambda a: [*a[:10], b"9\n", *a[11:]], 11, "'9' is not an answer"),
    "an empty line": (lambda a: [*a[:10], b"\n", *a[10:]], 11, "'' is not an answer"),
    "two lines as one": (lambda a: [*a[:10], a[10].strip() + b" " + a[11], *a[12:]], 11, "is not an answer"),
    "one line as two": (lambda a: [*a[:10], b"9\n", b"3 10 4\n", *a[12:]], 11, "'9' is not an answer"),
    "bytes": (lambda a: [*a[:10], b"9 \xff\xfe\n", *a[11:]], 11, "is not an answer"),
    "a huge number": (lambda a: [*a[:10], b"9 99999999999999999999\n", *a[11:]], 11, "is not an answer"),
    "an underscore": (lambda a: [*a[:10], b"9 1_0\n", *a[11:]], 11, "'9 1_0' is not an answer"),
    "nothing": (lambda a: [], 1, "nothing came at all"),
    "no header": (lambda a: a[1:], 1, "a stream's answers begin with the line #litecheck-stream"),
    "only a remark": (lambda a: [b"#end 300 0\n"], 2, "nothing came at all"),
    "another version": (lambda a: [a[0].replace(b":double ", b":triple "), *a[1:]], 1, "was made as requantize of"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_answers_is_located(right: Lines, fault: str) -> None:
    change, line, message = FAULTS[fault]
    with pytest.raises(StreamError) as caught:
        judge_stream(change(right), "a.txt")
    assert str(caught.value).startswith(f"a.txt, line {line}: ")
    assert message in str(caught.value)


def test_answers_to_a_stream_of_another_seed_are_an_error(right: Lines) -> None:
    other = answered(made("requantize", count=COUNT, seed=1))
    with pytest.raises(StreamError, match=r"line 302: .* not those of the header \(seed 0\)"):
        judge_stream([right[0], *other[1:]])


def test_remarks_between_answers_are_passed_over(right: Lines) -> None:
    noisy = [right[0], b"#flag 1 anything\n", *right[1:20], b"# booted again\n", *right[20:]]
    assert judge_stream(noisy).exit_code == 0
    with pytest.raises(StreamError, match=r"line 25: .*vector 21 is lost"):
        judge_stream(noisy[:24] + noisy[25:])


def test_line_ends_of_a_terminal_do_no_harm(right: Lines) -> None:
    assert judge_stream([line.replace(b"\n", b"\r\n") for line in right]).exit_code == 0
    assert judge_stream([*right[:-1], right[-1].strip()]).exit_code == 0


def test_a_header_that_is_given_need_not_come(right: Lines) -> None:
    header = parse_header(right[0].decode(), "s.txt", 1)
    assert judge_stream(right[1:-1], header=header).exit_code == 0
    assert judge_stream(right, header=header).exit_code == 0
    with pytest.raises(StreamError, match="answers to another stream: seed is 1, not 0"):
        judge_stream([right[0].replace(b"seed=0", b"seed=1"), *right[1:]], header=header)
