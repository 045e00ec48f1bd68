"""Progress of a conversion that passes over its samples several times."""

from __future__ import annotations

from collections.abc import Callable

#: Progress callback: the number of finished samples (approximate), and the current activity.
Told = Callable[[int, str], None]


class SampleProgress:
    """Progress over all passes. A pass calls it with its own number of finished samples.

    Example: after ``finish(32)``, ``progress(4, "comparing")`` tells the callback 36 samples.
    """

    def __init__(self, tell: Told | None = None) -> None:
        """Start with no finished samples. Without ``tell``, nobody is told."""
        self._tell, self._finished = tell, 0

    def __call__(self, done: int, what: str) -> None:
        """Tell the number of finished samples of all passes, and the current activity."""
        if self._tell is not None:
            self._tell(self._finished + done, what)

    def finish(self, samples: int | None) -> None:
        """Add the samples of a pass that has ended; None if their number is not known."""
        self._finished += samples or 0
