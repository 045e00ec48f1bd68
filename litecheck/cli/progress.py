"""Progress bar on stderr for work that takes longer than a second: tasks, or files by size."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

from litecheck.cli.console import OutputOptions, console
from litecheck.rendering.escape import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Seconds of work before a bar is shown.
DELAY = 1.0


class Bar:
    """A bar that counts from the start and draws after ``start``, which any thread may call.

    ``counted`` bars show the number of steps and the remaining time, other bars a percentage. ``before`` is printed
    before the current task.
    """

    def __init__(self, total: float | None, counted: bool, no_color: bool, before: str = "") -> None:
        self._total, self._counted, self._no_color, self._before = total, counted, no_color, before
        self._done, self._what = 0.0, ""
        self._over = False
        self._lock = threading.Lock()
        self._drawn: tuple[Progress, TaskID] | None = None

    def show(self, done: float, what: str) -> None:
        """Set the progress and the name of the current or last task."""
        self._done, self._what = done, what
        if self._drawn:
            bar, task = self._drawn
            total = (
                self._total if self._total is None else max(self._total, done)
            )  # trials of fixes are not counted
            bar.update(task, completed=round(done), total=total, description=visible(self._before + what))

    def start(self) -> None:
        """Start drawing."""
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns: list[ProgressColumn] = [TextColumn("{task.percentage:>3.0f}%"), TimeElapsedColumn()]
        if self._counted:
            columns = [MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        name = TextColumn("{task.description}", markup=False)
        with self._lock:
            if self._over:
                return
            err = console(self._no_color, stderr=True)
            bar = Progress(BarColumn(), *columns, name, console=err, transient=True)
            self._drawn = bar, bar.add_task("", total=self._total)
            bar.start()
        self.show(self._done, self._what)

    def stop(self) -> None:
        """Remove the bar."""
        with self._lock:
            self._over = True
            if self._drawn:
                self._drawn[0].stop()


class Advance:
    """A function that is called with each finished task. A task counts for one step, or for its weight.

    Weights are estimates. A repeated task, and a task without weight, count for one step.
    """

    def __init__(self, bar: Bar, weights: Mapping[str, float]) -> None:
        self._bar, self._weights = bar, dict(weights)
        self._order = list(weights)
        self._done = 0.0

    def __call__(self, what: str) -> None:
        """Count a finished task."""
        if what in self._order:
            self._order.remove(what)
        self._done += self._weights.pop(what, 1.0)
        self._bar.show(self._done, what)

    def show_steps(self, steps: int) -> None:
        """Show the steps of the current task that are done (approximate)."""
        what = self._order[0] if self._order else ""
        most = self._weights.get(what, 1.0)
        self._bar.show(self._done + min(float(steps), most), f"{what}, invocation {steps:,}")


@contextmanager
def steps(
    total: int, no_color: bool = False, weights: Mapping[str, float] | None = None, before: str = ""
) -> Iterator[Advance]:
    """Yield a function ``advance(what)`` to be called after each task."""
    with _show_later(Bar(total, True, no_color, before)) as bar:
        yield Advance(bar, weights or {})


@contextmanager
def samples_done(total: int | None, manner: OutputOptions) -> Iterator[Callable[[int, str], None]]:
    """Yield a function ``tell(done, what)`` for the number of finished samples. ``total`` is None if it is unknown."""
    with _show_later(Bar(total, True, manner.no_color), manner.quiet) as bar:
        yield bar.show


@contextmanager
def progress(files: Sequence[str], manner: OutputOptions) -> Iterator[Iterator[str]]:
    """Yield the files in sequence, with a bar that counts their bytes."""
    sizes = list(map(_size, files))

    def one_by_one() -> Iterator[str]:
        for file, before in zip(files, accumulate(sizes, initial=0), strict=False):
            bar.show(before, file)
            yield file
        bar.show(sum(sizes), "")

    with _show_later(Bar(sum(sizes), False, manner.no_color), manner.quiet) as bar:
        yield one_by_one()


@contextmanager
def _show_later(bar: Bar, quiet: bool = False) -> Iterator[Bar]:
    """Show the bar after a second if stderr is a terminal."""
    timer = threading.Timer(DELAY, bar.start)
    timer.daemon = True
    if sys.stderr.isatty() and not quiet:
        timer.start()
    try:
        yield bar
    finally:
        timer.cancel()
        bar.stop()


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0
