"""Layout of a case: operands and options, and helpers that read the values of geometric factors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.template_operand import TemplateOperand
from litecheck.model.build import Option

Operands = Mapping[str, tuple[TemplateOperand, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Operands, options, and the cost: the number of multiplications, or of input elements if there are none.

    If ``aliased``, the first tensor is all operands of its shape. ``results`` is the number of outputs. With
    ``small_sums``, a suite shows every unit of the sums: their multipliers are about 1, and few inputs are not zero.
    """

    operands: Operands
    options: Mapping[str, Option]
    cost: int
    aliased: bool = False
    results: int = 1
    small_sums: bool = False


def runtime(*shapes: tuple[int, ...]) -> tuple[TemplateOperand, ...]:
    """Return operands of a role whose values are run-time inputs."""
    return tuple(TemplateOperand(shape) for shape in shapes)


def weight(*shape: int) -> tuple[TemplateOperand, ...]:
    """Return a constant operand with random values."""
    return (TemplateOperand(shape, constant=True),)


def steering(values: object) -> tuple[TemplateOperand, ...]:
    """Return a constant operand of these values."""
    array = np.asarray(values)
    return (TemplateOperand(array.shape, array, constant=True),)


def integers(row: Row, *names: str) -> tuple[int, ...]:
    """Return the values of factors that are whole numbers."""
    return tuple(int(row[name]) for name in names)


def activation_option(row: Row) -> dict[str, Option]:
    """Return the option of a fused activation; empty without the factor."""
    return {"fused_activation_function": row["activation"]} if "activation" in row else {}


def has_small_sums(row: Row) -> bool:
    """Return True if every unit of the sums is to be visible."""
    return row.get("sums") == "small"


def factor_values(row: Row, name: str) -> tuple[int, ...]:
    """Return the numbers in a factor's value. Example: ``5 1`` gives (5, 1)."""
    return tuple(map(int, row[name].split()))


def image(row: Row) -> tuple[int, ...]:
    """Return the shape of an image."""
    return integers(row, "batch", "height", "width", "channels")


def smaller(shape: tuple[int, ...], along: str) -> tuple[int, ...]:
    """Return the shape of a tensor that is broadcast to an image.

    Example: for (2, 3, 5, 4), ``column`` gives (2, 3, 1, 1), and ``batch channels`` (2, 1, 1, 4).
    """
    shapes = {
        "scalar": (),
        "element": (1,),
        "channels": shape[3:],
        "pixel": (1, 1, 1, *shape[3:]),
        "rows": (1, 1, shape[2], shape[3]),
        "column": (shape[0], shape[1], 1, 1),
        "images": shape[:1],
        "batch channels": (shape[0], 1, 1, shape[3]),
        "batch rows": (shape[0], 1, *shape[2:]),
        "plane": (1, *shape[1:3], 1),
        "planes": (*shape[:3], 1),
        "image": (1, *shape[1:]),
    }
    return shapes.get(along, shape)


def at_rank(row: Row, *operands: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the shapes of operands of an image at the factor ``rank``; the first operand has the shape of the image.

    Example: an image of (2, 3, 5, 4) is (3, 5, 4) at rank 3, and (2, 3, 2, 5, 4) at rank 5.
    """
    rank = int(row.get("rank", "4"))
    for shape in operands:
        if rank > 4 and len(shape) == 4:
            yield (*shape[:2], *[2 if shape == operands[0] else 1] * (rank - 4), *shape[2:])
        else:
            yield shape[-rank:]
