"""Measurements of SOFTMAX: beta, and the number of rows."""

from __future__ import annotations

from litecheck.profile.measurements.measured_operator import Measured, Operands, number
from litecheck.profile.measurements.register import measures, option
from litecheck.targets.ethos_u.measurements.windows import height_and_width
from litecheck.targets.generators.windows import set_height_x_width


@measures(option("beta"))
def negative_beta(operands: Operands) -> Measured:
    """1 if the option beta is negative, else 0. Example: beta -0.5 gives 1."""
    beta = number(operands, "beta")
    return None if beta is None else int(beta < 0)


@measures(set_height_x_width)
def height_x_width(operands: Operands) -> Measured:
    """Height times width of the input; the shape is padded with leading 1s to rank 4. Example: (1, 5, 7, 8) gives 35."""
    source = operands.one("input")
    if source is None:
        return None
    height, width = height_and_width(source)
    return height * width
