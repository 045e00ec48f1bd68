"""Gap of a suite: the part without a test case, and the reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MissingCase:
    """A gap of a suite, with the reason: an operator, a type, a form or a requirement without a test case."""

    opcode: str
    kind: str
    form: str
    reason: str
