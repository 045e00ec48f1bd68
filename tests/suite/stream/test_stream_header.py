"""A stream's first line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.suite.stream.stream_header import Header, StreamError, parse_header

HEADER = Header("ADD", "elementwise", "ADD", "tflm", "requantize:double", "smoke", 3, 10, "0.1.0")


def test_a_header_is_parsed_from_its_line() -> None:
    assert parse_header(HEADER.text(), "a.txt", 1) == HEADER
    assert parse_header(HEADER.text() + "\r\n", "a.txt", 1) == HEADER


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0 1", "a stream's answers begin with the line #litecheck-stream"),
        (HEADER.text().replace("stream 1", "stream 2"), "this is format 2; only 1 can be read"),
        ("#litecheck-stream", "this is format nothing"),
        (HEADER.text().replace("seed=3 ", ""), "the header does not say seed"),
        (replace(HEADER, seed=-1).text(), "the header's seed is '-1'"),
        (HEADER.text().replace("count=10", "count=1_0"), "the header's count is '1_0'"),
        (replace(HEADER, count=10**17).text(), "the header's count is"),
    ],
)
def test_a_header_that_cannot_be_read_is_located(line: str, message: str) -> None:
    with pytest.raises(StreamError, match=r"^a\.txt, line 4: ") as caught:
        parse_header(line, "a.txt", 4)
    assert message in str(caught.value)
