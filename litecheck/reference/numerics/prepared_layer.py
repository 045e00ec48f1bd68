"""Weights, bias and rescaling of one layer, prepared once for all inferences of a model whose weights are constant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.integer_matmul import Weights
from litecheck.reference.numerics.requantize import Requantizer, requantizer
from litecheck.reference.numerics.rescale import Scales
from litecheck.reference.operands import Operand, Options, OutputSpec


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLayer:
    """Filters, what is added to each of their sums (int64, shape (channels,)), and the way to stored values."""

    filters: Weights
    offset: Ints
    rescale: Requantizer
    bias: Operand | None


class Rescaling(NamedTuple):
    """How an operator rescales: the variant, a float32 product of the scales (``narrow``), 32-bit sums (``int32``).

    A tuple, because it is looked up by in every inference.
    """

    opcode: str
    variant: str
    narrow: bool = False
    int32: bool = True


def layer(
    operands: tuple[Operand, Operand, Operand | None],
    output: OutputSpec,
    options: Options,
    zero: int,
    variants: Rescaling,
    filters: Callable[[], Weights],
) -> PreparedLayer:
    """The layer of (input, weight, bias), kept with the weights where weights and bias are constants.

    ``zero`` is the input's zero point as ``filters`` are multiplied with it. Raises RunError as ``requantizer`` does.
    """
    input, weight, bias = operands

    def make() -> PreparedLayer:
        made = filters()
        offset = made.offset(bias, zero)
        scales = Scales.of(input, weight, output, len(made.matrix))
        wrap = variants.int32 and made.wraps(offset)
        rescale = requantizer(
            variants.variant, scales, output, options, narrow=variants.narrow, wrap=wrap, most=made.bound
        )
        return PreparedLayer(made, offset, rescale, bias)

    if bias is not None and not bias.constant:
        return make()
    fused = options.get("fused_activation_function", 0) if options is not None else 0
    kinds = input.dtype, input.quantization, output.dtype, output.quantization
    return weight.once((variants, kinds, fused, bias), make)
