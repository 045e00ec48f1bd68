"""Limits on a computation: bytes of tensors, subgraph calls and seconds, checked before the memory is allocated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import inf, prod
from time import monotonic

from litecheck.reference.operands import RunError

#: Bytes that kernels need at most for an element that they compute: several copies as int64 or float64.
WORKING = 64


class LimitError(RunError):
    """An operator that needs more memory, subgraph calls or time than a computation may take."""


@dataclass(frozen=True, slots=True)
class ComputeLimits:
    """Limits on one inference.

    ``memory`` counts the bytes of the tensors that are in use and of an operator's intermediate arrays; constants of the
    file do not count. ``calls`` counts calls of subgraphs: a turn of WHILE makes two. ``seconds`` is the time of one
    operator of the entry point, with the subgraphs that the operator calls.
    """

    memory: int = 4 << 30
    calls: int = 1_000_000
    seconds: float = 600.0


@dataclass(slots=True)
class Budget:
    """The use of the limits by one inference: bytes of live tensors, calls of subgraphs, and the end of the time."""

    limits: ComputeLimits = field(default_factory=ComputeLimits)
    held: int = 0
    calls: int = 0
    deadline: float = inf

    def start_operator(self) -> None:
        """Give an operator of the entry point its time."""
        self.deadline = monotonic() + self.limits.seconds


_CURRENT: ContextVar[Budget] = ContextVar("budget")
_DEFAULT = Budget()


def budget() -> Budget:
    """Return the budget of the inference that runs, or a new one under the limits in force."""
    return _CURRENT.get(_DEFAULT)


@contextmanager
def spending(spent: Budget) -> Iterator[None]:
    """Let kernels take memory, calls and time from this budget."""
    token = _CURRENT.set(spent)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def limited(limits: ComputeLimits) -> None:
    """Set the limits of every later inference in this thread that states none."""
    _CURRENT.set(Budget(limits))


def check_limit(problem: str, got: str, expected: str, option: str) -> None:
    """Raise LimitError. Every limit of this module ends here."""
    raise LimitError(f"{problem}: got {got}, expected at most {expected}. Raise the limit with {option}.")


def reserve(shape: Iterable[int], bytes_per_element: int, name: str = "output") -> None:
    """Check that an array fits into the memory, before a kernel allocates the array. Raises LimitError.

    Example: ``reserve((1, 40_000, 40_000, 1), 8)`` needs 12.8 GB, more than the 4.3 GB of the default.
    """
    needed = prod(max(0, n) for n in shape) * bytes_per_element
    spent = budget()
    if spent.held + needed > spent.limits.memory:
        check_limit(
            f"{name} of {shown_bytes(needed)}",
            f"{shown_bytes(spent.held + needed)} of tensors",
            shown_bytes(spent.limits.memory),
            "--memory",
        )


def check_time() -> None:
    """Check that an operator is within its time: for loops whose turns depend on the model. Raises LimitError."""
    spent = budget()
    late = monotonic() - spent.deadline
    if late > 0:
        seconds = spent.limits.seconds
        check_limit("computation", f"{seconds + late:.1f} s", f"{seconds:.1f} s", "--timeout")


def count_call() -> None:
    """Count a call of a subgraph, or a turn of a loop. Raises LimitError."""
    spent = budget()
    spent.calls += 1
    if spent.calls > spent.limits.calls:
        check_limit(
            "subgraph calls", f"{spent.calls:,}", f"{spent.limits.calls:,}", "ComputeLimits(calls=...)"
        )
    check_time()


def shown_bytes(count: int) -> str:
    """A number of bytes in decimal units, such as ``4.3 GB``."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"
