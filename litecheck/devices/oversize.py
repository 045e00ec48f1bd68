"""Outputs in files far larger than they can be: refused by their size, before they cost memory."""

from __future__ import annotations

from pathlib import Path

from litecheck.model.types import Tensor

#: Bytes that an element has at most: a float64, where a device gives real values for integers.
_WIDEST = 8
#: The header of a .npy file, and more.
_HEADER = 1 << 12
#: What is read in any case: the shapes of some outputs are known to the runtime only.
SMALL = 1 << 24


class TooLargeError(RuntimeError):
    """An output that has many times the bytes of the tensor it should be."""


def check(name: str, size: int, tensor: Tensor, runs: int = 1) -> None:
    """Raise TooLargeError for a file of ``size`` bytes that holds an output of so many runs."""
    most = max(SMALL, runs * _WIDEST * tensor.size + _HEADER)
    if size > most:
        shape = "x".join(map(str, tensor.shape)) or "scalar"
        wanted = f"{runs} times {tensor.dtype} {shape}" if runs > 1 else f"{tensor.dtype} {shape}"
        raise TooLargeError(f"{name} has {size:,} bytes; '{tensor.name}' is {wanted}, it is not read")


def check_file(file: Path, tensor: Tensor, runs: int = 1) -> None:
    """The same of a file by its size on the disk. Raises TooLargeError and OSError."""
    check(file.name, file.stat().st_size, tensor, runs)
