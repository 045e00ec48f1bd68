"""What a verification will cost, for people: a row for each case, and the sum."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from litecheck.rendering.escape import shorten, visible
from litecheck.rendering.page import Page
from litecheck.report import counted
from litecheck.verify.forecast import Forecast

_HEADS = ("case", ">inputs", ">invocations", "name")


def print_forecast(forecast: Forecast, console: Console, verbose: bool = False) -> None:
    """Print every case with its invocations, and how long they take together."""
    page = Page(console, verbose)
    page.title(forecast.model, "nothing was verified", "bold")
    page.labelled("device", visible(forecast.described))
    if forecast.budget:
        page.labelled("budget", forecast.budget)
    page.line()
    rows = [
        (
            visible(c.case),
            f"{c.inputs:,}",
            f"{c.invocations:,}",
            visible(c.name) if verbose else shorten(c.name),
        )
        for c in forecast.cases
    ]
    if rows:
        page.grid(_HEADS, rows, [""] * len(rows))
        page.line()
    page.line(Text(summary(forecast), "bold"))


def summary(forecast: Forecast) -> str:
    """``7 cases, 148 invocations, about 2 min 28 s: one of 0000-CONV_2D took 1 s``."""
    told = f"{counted(len(forecast.cases), 'case')}, {counted(forecast.invocations, 'invocation')}"
    if forecast.further:
        told += f" ({forecast.further:,} of them for drift)"
    sampled, seconds = forecast.sampled, forecast.seconds
    if sampled is None:
        return told
    if seconds is None:
        failed = sampled.failed.partition("\n")[0]
        return f"{told}; how long they take is not known: {visible(sampled.case)}, {visible(failed)}"
    one = f"one of {visible(sampled.case)} took {sampled.seconds:.3g} s"
    start = f", the start of the device {sampled.start:.3g} s" if sampled.start else ""
    return f"{told}, about {duration(seconds)}: {one}{start}"


def duration(seconds: float) -> str:
    """``2.5 s``, ``2 min 28 s``, ``3 h 05 min``."""
    if seconds < 60:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, left = divmod(minutes, 60)
    return f"{hours} h {left:02d} min" if hours else f"{minutes} min {rest:02d} s"
