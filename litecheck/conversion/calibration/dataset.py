"""A set of calibration samples that can be iterated repeatedly, and the options for reading files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite, nan

from litecheck.conversion.calibration.samples import Chain, Scaling
from litecheck.errors import ConfigError


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationData:
    """Samples that can be iterated repeatedly, with a single chain in memory at a time.

    Each item is a chain: samples that run without a reset in between, usually a single sample. ``description`` describes
    the samples in words, ``warnings`` are for the user, and ``count`` is the number of chains, or None before reading.
    """

    iterate: Callable[[], Iterator[Chain]]
    description: str
    count: int | None = None
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Chain]:
        return self.iterate()


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Options for reading files as samples of a model.

    They are the signature, True for sequences, the maximum number of chains, and for images and uint8 arrays
    ``scale:offset``: a value (0..255) becomes value * scale + offset, for images by default 0..1. For example,
    ``1/127.5:-1`` gives -1..1.
    """

    signature: str | None = None
    sequences: bool = False
    most: int | None = None
    preprocessing: str = ""

    @property
    def scaling(self) -> Scaling | None:
        """Scale and offset, or None if none are stated. The scale may be a fraction, ``1/127.5:-1``. Raises ConfigError."""
        text = self.preprocessing
        if not text:
            return None
        scale, _, offset = text.partition(":")
        over, slash, under = scale.partition("/")
        try:
            pair = float(over) / float(under) if slash else float(over), float(offset or 0)
        except (ValueError, ZeroDivisionError):
            pair = nan, nan
        if not all(map(isfinite, pair)) or not pair[0]:
            raise ConfigError(f"--preprocessing {text}: expected SCALE:OFFSET, such as 1/127.5:-1")
        return pair
