"""What a suite has no case for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """What a suite has no case for, and why: an operator, one of its types, one of its forms, or a requirement."""

    opcode: str
    kind: str
    form: str
    reason: str
