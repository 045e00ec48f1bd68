"""GPTQ: stored integers of weights with the smallest error of the layer's outputs, by second moments of its inputs.

Rounding each weight to the nearest integer gives the smallest error of the weights. GPTQ rounds the columns of a layer in
order and changes the columns that follow, so that they cancel part of the error of the outputs. Source: Frantar et
al., GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers, 2022, algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Share of the mean second moment that is added to each, so that inputs that depend on each other have an inverse.
DAMPING = 0.01
#: Number of columns that are rounded before the following columns are updated.
BLOCK = 128


def gptq_integers(
    weights: NDArray[Any], scales: NDArray[Any], moments: NDArray[np.float64], largest: int
) -> NDArray[np.int8]:
    """Return the stored integers, within -largest..largest, of weights of shape (outputs, inputs).

    ``scales`` broadcast to this shape, and ``moments`` is x^T x of the inputs of shape (inputs, inputs). Example: weights
    (0.4, 0.4) with scale 1 and two inputs that are always equal give (0, 1): the sum 1 is nearer to 0.8 than 0.
    """
    left: NDArray[np.float64] = weights.astype(np.float64)
    steps: NDArray[np.float64] = np.broadcast_to(scales, left.shape).astype(np.float64)
    factors = inverse_factors(moments)
    stored = np.zeros(left.shape, np.int8)
    for begin in range(0, left.shape[1], BLOCK):
        end = min(begin + BLOCK, left.shape[1])
        errors = np.zeros((len(left), end - begin))
        for column in range(begin, end):
            step = steps[:, column]
            stored[:, column] = np.rint(left[:, column] / step).clip(-largest, largest)
            error = (left[:, column] - stored[:, column] * step) / factors[column, column]
            left[:, column:end] -= np.outer(error, factors[column, column:end])
            errors[:, column - begin] = error
        left[:, end:] -= errors @ factors[begin:end, end:]
    return stored


def inverse_factors(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the upper Cholesky factor of the inverse of damped second moments. Inputs that are always 0 count as 1.

    Example: diag(4, 1) without damping gives diag(0.5, 1).
    """
    diagonal = np.diag(moments)
    damping = DAMPING * float(diagonal.mean())
    damped = moments + np.diag(np.where(diagonal > 0, damping, damping or 1.0))
    inverse = np.linalg.inv(damped)
    factor: NDArray[np.float64] = np.linalg.cholesky((inverse + inverse.T) / 2).T
    return factor
