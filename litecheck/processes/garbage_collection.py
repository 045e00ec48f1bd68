"""Interval of Python's search for reference cycles, for processes that convert one model and end."""

from __future__ import annotations

import gc

#: Net number of new objects between two searches. Python's default of 700 makes a search for every few new classes.
_NEW_OBJECTS = 100_000


def search_cycles_rarely() -> None:
    """Set a longer interval between two searches, which take 9 % of the time of imports and find almost nothing.

    Objects without cycles are freed at once in any case.
    """
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
