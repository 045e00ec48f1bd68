"""Items that a thread computes ahead: their order, errors, bounds, and the end of the thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from threading import Event, active_count

import pytest

from litecheck.conversion.calibration.read_ahead import ReadAhead


def test_items_come_in_order() -> None:
    assert list(ReadAhead(iter(range(20)))) == list(range(20))
    assert list(ReadAhead(iter(()))) == []


def test_the_next_item_is_computed_while_the_caller_works() -> None:
    computed = Event()

    def items() -> Iterator[int]:
        yield 0
        computed.set()
        yield 1

    with closing(ReadAhead(items())) as several:
        assert next(iter(several)) == 0
        assert computed.wait(60)


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 0
        raise ValueError("sample 1")

    with closing(ReadAhead(items())) as opened:
        several = iter(opened)
        assert next(several) == 0
        with pytest.raises(ValueError, match="sample 1"):
            next(several)


def test_few_items_are_computed_ahead_and_none_after_close() -> None:
    computed: list[int] = []
    before = active_count()
    with closing(ReadAhead(computed.append(n) or n for n in count())) as several:  # type: ignore[func-returns-value]
        assert list(islice(several, 3)) == [0, 1, 2]
    assert 3 <= len(computed) <= 6
    assert active_count() == before
