"""Limits of a computation: bytes of tensors, subgraph calls and seconds, checked before memory is allocated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from math import inf, prod
from time import monotonic

import numpy as np

from litecheck.errors import ConfigError
from litecheck.files import bytes_text
from litecheck.reference.runtime_tensors import Operand, RunError

#: Bytes of intermediate arrays per element of the operands: several copies as int64 or float64.
WORKING = 64


#: Message if a limit allows more memory than the system has.
NO_MEMORY = "this system has no memory for the tensors"


class LimitError(RunError):
    """Error for an operator that needs more memory, subgraph calls or time than the limits allow."""

    def __init__(self, problem: str, operator: str = "") -> None:
        self.problem, self.operator = problem, operator
        super().__init__(f"{operator}: {problem}" if operator else problem)

    def with_operator(self, operator: str) -> LimitError:
        """Return the error with its operator. For nested calls, the message names the first and the last operator."""
        inside = self.operator.rpartition(": in ")[2]
        return LimitError(self.problem, f"{operator}: in {inside}" if inside else operator)


@dataclass(frozen=True, slots=True)
class ComputeLimits:
    """Limits of an inference.

    ``memory`` counts the bytes of live tensors and of an operator's intermediate arrays; constants in the file do not
    count. ``calls`` counts calls of subgraphs: an iteration of WHILE makes two. ``seconds`` is the time of an operator
    of the entry point, including the subgraphs that the operator calls.
    """

    memory: int = 4 << 30
    calls: int = 250_000
    seconds: float = 600.0

    def __post_init__(self) -> None:
        """Raise ConfigError for a limit that is not positive."""
        for one in fields(self):
            if not (value := getattr(self, one.name)) > 0:
                raise ConfigError(f"limit {one.name}: got {value}, expected a positive number")


@dataclass(slots=True)
class ComputeBudget:
    """Use of the limits by an inference: bytes of live tensors, calls of subgraphs, and the deadline."""

    limits: ComputeLimits = field(default_factory=ComputeLimits)
    allocated: int = 0
    calls: int = 0
    deadline: float = inf

    def start_operator(self) -> None:
        """Start the time of an operator of the entry point."""
        self.deadline = monotonic() + self.limits.seconds


_BUDGET: ContextVar[ComputeBudget | None] = ContextVar("budget", default=None)
_in_force = ComputeLimits()


def limits_in_force() -> ComputeLimits:
    """Return the default limits of inferences in this process."""
    return _in_force


def set_limits(limits: ComputeLimits) -> None:
    """Set the default limits of inferences in this process."""
    global _in_force
    _in_force = limits


def budget() -> ComputeBudget:
    """Return the budget of the current inference, or a new budget outside of inferences."""
    return _BUDGET.get() or ComputeBudget(_in_force)


@contextmanager
def spending(spent: ComputeBudget) -> Iterator[None]:
    """Count memory, calls and time of kernels in this budget."""
    token = _BUDGET.set(spent)
    try:
        yield
    finally:
        _BUDGET.reset(token)


def check_limit(problem: str, got: str, expected: str, option: str) -> None:
    """Raise LimitError. All limits of this module are reported here."""
    raise LimitError(f"{problem}: got {got}, expected at most {expected}. Raise the limit with {option}.")


def reserve(shape: Iterable[int], bytes_per_element: int, name: str = "output") -> None:
    """Check that an array fits into the memory, before a kernel allocates the array. Raises LimitError.

    For example, ``reserve((1, 40_000, 40_000, 1), 8)`` needs 12.8 GB, more than the 4.3 GB of the default.
    """
    needed = prod(shape) * bytes_per_element
    spent = _BUDGET.get() or budget()
    if spent.allocated + needed > spent.limits.memory:
        check_limit(
            f"{name} of {bytes_text(needed)}",
            f"{bytes_text(spent.allocated + needed)} of tensors",
            bytes_text(spent.limits.memory),
            "--memory",
        )


def fits(shape: Iterable[int], bytes_per_element: int) -> bool:
    """Return True if an array fits into the memory limit."""
    try:
        reserve(shape, bytes_per_element)
    except LimitError:
        return False
    return True


def reserve_working(operands: Sequence[Operand | None], bytes_per_element: int, broadcast: bool) -> None:
    """Check the intermediate arrays of an operator, from the elements of its operands. Raises LimitError.

    Constants do not count, because the size of the file bounds them, unless ``broadcast`` repeats their elements.
    """
    elements = 0
    for operand in operands:
        if operand is not None and not operand.constant:
            elements += operand.data.size
    if broadcast:
        shapes = {operand.data.shape for operand in operands if operand is not None}
        if len(shapes) > 1:
            with suppress(ValueError):  # the kernel reports shapes that do not broadcast
                elements = max(elements, prod(np.broadcast_shapes(*shapes)))
    reserve((elements,), bytes_per_element, "intermediate arrays")


def check_time() -> None:
    """Check the deadline of an operator, in loops whose length depends on the model. Raises LimitError."""
    spent = _BUDGET.get()
    if spent is not None and monotonic() > spent.deadline:
        late, seconds = monotonic() - spent.deadline, spent.limits.seconds
        check_limit("computation", f"{seconds + late:.1f} s", f"{seconds:.1f} s", "--timeout")


def count_call() -> None:
    """Count a call of a subgraph, or an iteration of a loop. Raises LimitError."""
    spent = budget()
    spent.calls += 1
    if spent.calls > spent.limits.calls:
        check_limit("subgraph calls", f"{spent.calls:,}", f"{spent.limits.calls:,}", "--timeout")
    check_time()
