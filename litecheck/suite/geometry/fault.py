"""A geometric fault: a device that computes correctly and reads or writes wrong places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from litecheck.arrays import Array, Arrays
from litecheck.model.types import Model
from litecheck.reference.runtime_tensors import RunError


def _no_variant(model: Model, inputs: Arrays) -> Array:
    raise RunError("the inference has no model")


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """An inference of a case with its correct output.

    ``shared`` is True if one tensor is several operands. ``compute`` returns the output for inputs of the same shapes,
    ``variant`` the output of a changed ``model``.
    """

    inputs: Arrays
    output: Array
    shared: bool
    compute: Callable[[Arrays], Array]
    model: Model | None = None
    variant: Callable[[Model, Arrays], Array] = _no_variant


#: Function from an inference to the faulty output, or to None if the inference does not show the fault.
Spoil = Callable[[Inference], "Array | None"]


@dataclass(frozen=True, slots=True, eq=False)
class GeometryFault:
    """A fault in the positions of read or written elements.

    A design can have it if it has a factor in ``needs``, or if ``needs`` is empty. ``reads`` is True for a fault that
    needs the kernel. ``ordered`` is True for a fault that elementwise operators and changes of shape do not show.
    """

    name: str
    description: str
    needs: frozenset[str]
    spoil: Spoil
    ordered: bool = False
