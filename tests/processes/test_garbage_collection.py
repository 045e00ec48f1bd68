"""The search for reference cycles is rare, and finds cycles when it is requested."""

from __future__ import annotations

import gc

from litecheck.processes.garbage_collection import search_cycles_rarely


def test_only_the_interval_between_two_searches_changes() -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 5)
        search_cycles_rarely()
        interval, *older = gc.get_threshold()
        assert interval > 700
        assert older[0] == 10
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
