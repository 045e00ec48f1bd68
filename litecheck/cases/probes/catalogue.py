"""Which operators there are probes for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from litecheck.cases.probes import elements, extents, products, recurrent, regions
from litecheck.cases.probes.probe import Probe

Family = Callable[[np.random.Generator], Iterator[Probe]]

_PAIRS = ("ADD", "SUB", "MUL", "SQUARED_DIFFERENCE")
_UNARY = ("LEAKY_RELU", "RELU", "RELU6", "LOGISTIC", "TANH", "HARD_SWISH", "ELU", "GELU")


def _both(first: Family, second: Family) -> Family:
    def family(rng: np.random.Generator) -> Iterator[Probe]:
        yield from first(rng)
        yield from second(rng)

    return family


#: By operator; what a family draws depends on the generator alone.
FAMILIES: dict[str, Family] = {
    "CONV_2D": _both(products.of_conv_2d, extents.of_conv_2d),
    "DEPTHWISE_CONV_2D": _both(products.of_depthwise_conv_2d, extents.of_depthwise_conv_2d),
    "FULLY_CONNECTED": _both(products.of_fully_connected, extents.of_fully_connected),
    "TRANSPOSE_CONV": _both(products.of_transpose_conv, extents.of_transpose_conv),
    "BATCH_MATMUL": _both(products.of_batch_matmul, extents.of_batch_matmul),
    **{opcode: partial(elements.of_two, opcode=opcode) for opcode in _PAIRS},
    "MEAN": regions.of_mean,
    "AVERAGE_POOL_2D": partial(regions.of_pool, opcode="AVERAGE_POOL_2D"),
    "MAX_POOL_2D": partial(regions.of_pool, opcode="MAX_POOL_2D"),
    "RESIZE_BILINEAR": regions.of_resize_bilinear,
    **{opcode: partial(elements.of_one, opcode=opcode) for opcode in _UNARY},
    "SVDF": recurrent.of_svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": recurrent.of_lstm,
    "SOFTMAX": elements.of_softmax,
    "QUANTIZE": elements.of_quantize,
    "DEQUANTIZE": elements.of_dequantize,
}


@cache
def probes(opcode: str, seed: int = 0) -> tuple[Probe, ...]:
    """The designed probes of an operator; none where there is no family for it."""
    family = FAMILIES.get(opcode)
    return tuple(family(np.random.default_rng([seed, *opcode.encode()]))) if family else ()
