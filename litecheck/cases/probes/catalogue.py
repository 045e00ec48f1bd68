"""Catalog of probes: the families by the names that ``rules/operators.yaml`` uses in ``probes``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from litecheck.cases.probes import elements, extents, products, recurrent, regions
from litecheck.cases.probes.probe import Probe
from litecheck.profile.operators import operator_names, traits_of

#: A family of probes. Its probes of an operator depend on the generator alone.
Family = Callable[[np.random.Generator, str], Iterator[Probe]]

FAMILIES: dict[str, Family] = {
    "conv_2d": products.of_conv_2d,
    "conv_2d_extents": extents.of_conv_2d,
    "depthwise_conv_2d": products.of_depthwise_conv_2d,
    "depthwise_conv_2d_extents": extents.of_depthwise_conv_2d,
    "fully_connected": products.of_fully_connected,
    "fully_connected_extents": extents.of_fully_connected,
    "transpose_conv": products.of_transpose_conv,
    "transpose_conv_extents": extents.of_transpose_conv,
    "batch_matmul": products.of_batch_matmul,
    "batch_matmul_extents": extents.of_batch_matmul,
    "sums_of_two": partial(elements.of_two, table=elements.SUMS),
    "products_of_two": partial(elements.of_two, table=elements.PRODUCTS),
    "mean": regions.of_mean,
    "pool": regions.of_pool,
    "resize_bilinear": regions.of_resize_bilinear,
    "rescaling": elements.of_one,
    "leaky_relu": partial(elements.of_one, options_of=elements.slopes),
    "elu": partial(elements.of_one, rare=elements.RARE_ELUS),
    "gelu": partial(elements.of_one, options_of=elements.approximations, rare=elements.RARE_GELUS),
    "logistic": partial(elements.of_one, fixed=elements.SHARE, rare=elements.RARE_SHARES),
    "tanh": partial(elements.of_one, fixed=elements.SIGNED_SHARE, rare=elements.RARE_SIGNED_SHARES),
    "svdf": recurrent.of_svdf,
    "lstm": recurrent.of_lstm,
    "softmax": elements.of_softmax,
    "quantize": elements.of_quantize,
    "dequantize": elements.of_dequantize,
}


@cache
def probed_operators() -> tuple[str, ...]:
    """Return the operators with probes."""
    return tuple(name for name in operator_names() if traits_of(name).probes)


@cache
def probes(opcode: str, seed: int = 0) -> tuple[Probe, ...]:
    """Return the probes of an operator; none if its family has none."""
    rng = np.random.default_rng([seed, *opcode.encode()])
    return tuple(probe for name in traits_of(opcode).probes for probe in FAMILIES[name](rng, opcode))
