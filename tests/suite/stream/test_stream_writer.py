"""Streams as they are written."""

from __future__ import annotations

import hashlib
import io

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.stream.stream_header import parse_header
from litecheck.suite.stream.stream_kinds import stream_names
from litecheck.suite.stream.stream_writer import write_stream
from tests.suite.stream.conftest import made


@pytest.mark.slow
@pytest.mark.parametrize("name", stream_names())
def test_a_stream_begins_with_its_header_and_ends_with_its_hash(name: str) -> None:
    lines = made(name, count=300).decode("ascii").splitlines(keepends=True)
    header = parse_header(lines[0], "stream", 1)
    assert (header.name, header.count, header.level) == (name, 300, "smoke")
    remarks = [line for line in lines if line.startswith("#")]
    vectors = lines[len(remarks) - 1 : -1]
    assert [line.split()[0] for line in vectors] == [str(n) for n in range(300)]
    digest = hashlib.sha256("".join(vectors).encode()).hexdigest()
    assert lines[-1] == f"#end 300 {digest}\n"
    fields = remarks[1].split()[1:]
    if not any("*" in field for field in fields):
        assert {len(line.split()) for line in vectors} == {len(fields)}
    assert [word.split()[0] for word in remarks[1:3]] == ["#fields", "#answer"]
    assert len({line.split()[2] for line in remarks[3:-1]}) == len(remarks) - 4 > 1


def test_equal_arguments_give_equal_bytes_and_another_seed_different_bytes() -> None:
    first, again = io.BytesIO(), io.BytesIO()
    for out in (first, again):
        write_stream("requantize", out, seed=5, level="smoke")
    assert first.getvalue() == again.getvalue()
    assert first.getvalue().splitlines()[30:] != made("requantize").splitlines()[30:]


def test_a_shorter_stream_is_a_prefix_of_a_longer_stream() -> None:
    short, long_ = (made("requantize", count=count).splitlines() for count in (4000, 4200))
    assert long_[: len(short) - 1][1:] == short[:-1][1:]
    assert len(long_) == len(short) + 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "all"}, "there is no level 'all'; there are smoke, standard, exhaustive"),
        ({"count": 0}, "a stream of 0 vectors is none"),
        ({"arithmetic": "my own.yaml"}, "a stream's header cannot hold"),
        ({"arithmetic": "litert-optimized", "name": "MUL"}, "as 'vectors', by places in a tensor"),
        ({"name": "RESHAPE"}, "there is no stream 'RESHAPE'"),
    ],
)
def test_invalid_arguments_of_a_stream_are_errors(arguments: dict[str, object], message: str) -> None:
    out = io.BytesIO()
    with pytest.raises(ConfigError, match=message):
        write_stream(**{"name": "requantize", "out": out, **arguments})  # type: ignore[arg-type]
    assert out.getvalue() == b""
