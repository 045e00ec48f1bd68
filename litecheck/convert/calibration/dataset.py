"""A set of calibration samples, gone through as often as needed, and how files become one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from litecheck.convert.calibration.samples import Chain


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationData:
    """Samples that can be gone through again and again, one in memory at a time.

    Each item is a chain: samples run without a reset in between, usually one. ``described`` says in words what they are,
    ``warnings`` what people must be told, ``count`` how many chains there are where that is known before reading.
    """

    read: Callable[[], Iterator[Chain]]
    described: str
    count: int | None = None
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Chain]:
        return self.read()


@dataclass(frozen=True, slots=True)
class DataOptions:
    """How files become samples of a model: which signature they enter, whether they are sequences, at most how many
    chains, and for images what becomes of a value (0..255): value * scale + offset, ``scale:offset``; 0..1 without."""

    signature: str | None = None
    sequences: bool = False
    most: int | None = None
    preprocessing: str = ""
