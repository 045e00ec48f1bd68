"""An adapter on a host with a full disk."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence

from litecheck.arrays import Arrays
from litecheck.devices.port import AdapterAnswer


class Adapter:
    """Opens well, and finds no space when it is to run."""

    def __init__(self, options: Mapping[str, str]) -> None:
        pass

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        raise OSError(errno.ENOSPC, "No space left on device")
