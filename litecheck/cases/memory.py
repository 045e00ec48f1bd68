"""What a device can do for models with variables: whether state is handed on from inference to inference."""

from __future__ import annotations

from enum import Enum


class Memory(str, Enum):
    """What series of inferences can be asked for."""

    NONE = "none"
    """Every inference begins with variables as they are at first."""
    KEPT = "kept"
    """Several inferences in a row, each from what the one before left behind."""
    SET = "set"
    """That, and the first of them from contents that it is given."""
