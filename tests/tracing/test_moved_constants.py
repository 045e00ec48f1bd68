"""Constants of the float model in a wrong place, planted in a fully connected layer and in a convolution filter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.matching import SubgraphMatch, match
from litecheck.model.types import Model, Tensor
from litecheck.tracing.float_forms import constants_of
from litecheck.tracing.isolated_operators import isolated_operators
from litecheck.tracing.moved_constants import bias_words, channel_words, dimension_words, input_words

KERNEL = np.random.default_rng(0).integers(-127, 128, (4, 3, 3, 4)).astype(np.float64)
KERNEL[0, 0, 0, 0] = 127
SCALES = np.array([1.0, 0.5, 4.0, 0.25])


def scaled(values: np.ndarray) -> np.ndarray:
    return values * SCALES[:, None, None, None]


def stored(values: np.ndarray) -> Tensor:
    main = (builder := ModelBuilder()).subgraph()
    index = main.constant("w", values.astype(np.int8), qparams(SCALES, 0, 0))
    return builder.finish().subgraphs[0].tensors[index]


def written(order: str) -> str:
    return f"its weights are the float model's, written with the dimensions in the order {order}"


@pytest.mark.parametrize(
    ("integers", "words"),
    [
        (KERNEL.transpose(0, 2, 1, 3), written("0, 2, 1, 3")),
        (KERNEL.transpose(1, 2, 3, 0).reshape(KERNEL.shape), written("1, 2, 3, 0")),
        (KERNEL, ""),
        (-KERNEL, ""),
        (np.clip(KERNEL.transpose(0, 2, 1, 3), -40, 40), ""),
    ],
    ids=["height and width", "HWIO", "in place", "sign", "clipped"],
)
def test_order_of_dimensions(integers: np.ndarray, words: str) -> None:
    assert dimension_words(scaled(KERNEL), scaled(integers), stored(integers)) == words


def test_dimensions_that_were_moved_with_their_scales() -> None:
    moved = scaled(KERNEL).transpose(1, 2, 3, 0).reshape(KERNEL.shape)
    assert dimension_words(scaled(KERNEL), moved, stored(KERNEL)) == written("1, 2, 3, 0")


ROWS = scaled(KERNEL).reshape(4, -1)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ROWS[[0, 2, 1, 3]], "2 of 4 channels are in another order: channel 1 has the weights of channel 2"),
        (ROWS[[3, 3, 3, 3]], "3 of 4 channels are in another order: channel 0 has the weights of channel 3"),
        (ROWS, ""),
        (ROWS[[0, 1, 2, 2]], ""),
        (np.concatenate([ROWS[[1, 0]], -ROWS[2:]]), ""),
    ],
    ids=["swapped", "repeated", "in place", "one channel", "wrong values"],
)
def test_order_of_channels(rows: np.ndarray, words: str) -> None:
    assert channel_words(ROWS, rows) == words


@pytest.mark.parametrize(
    "moved",
    [lambda w: w.T.reshape(w.shape), lambda w: w.reshape(w.shape[::-1]).T],
    ids=["written", "read"],
)
def test_a_transposed_matrix(moved: Callable[[np.ndarray], np.ndarray]) -> None:
    matrix = KERNEL.reshape(4, -1)
    words = "its weights are the float model's, transposed"
    assert dimension_words(ROWS, moved(matrix) * SCALES[:, None], stored(matrix)) == words


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([2, 1, 0, 3], "its weights are the float model's with the input channels in the order 2, 1, 0, 3"),
        ([0, 1, 2, 3], ""),
        ([*range(4)] * 3, ""),
        (
            [1, 0, *range(2, 12)],
            "2 of 12 input channels are in another order: input channel 0 has the weights of input channel 1",
        ),
    ],
    ids=["BGR", "in place", "many in place", "many"],
)
def test_order_of_input_channels(order: list[int], words: str) -> None:
    weights = np.random.default_rng(1).normal(0, 1, (4, 3, 3, len(order)))
    assert input_words(weights, weights[..., order if len({*order}) == len(order) else slice(None)]) == words


def test_channels_of_zeros_move_no_input_channels() -> None:
    """With a single output channel, all input channels of equal sign are equal except for their size."""
    weights = np.random.default_rng(2).uniform(0.1, 1.0, (2, 1, 1, 12))
    left = weights * np.array([1.0, 0.0]).reshape(2, 1, 1, 1)
    assert input_words(weights, left) == ""


BIASES = ([2.0, -4.0, 6.0, 1.0], [-1.0, 3.0, 0.5, 8.0])


def layers(dtype: str, biases: tuple[list[float], list[float]]) -> Model:
    """Return two layers with accumulator steps of 0.5 and 0.25."""
    main = (builder := ModelBuilder()).subgraph()
    real = dtype == "float32"
    names = ("x", "h", "y")
    x, h, y = (main.tensor(n, (1, 4), dtype, None if real else qparams(0.5)) for n in names)
    for source, made, step, bias in zip((x, h), (h, y), (0.5, 0.25), biases, strict=True):
        weight, held = np.eye(4), np.array(bias)
        if real:
            constants = (main.constant("w", weight.astype("f4")), main.constant("b", held.astype("f4")))
        else:
            constants = (
                main.constant("w", (weight / step / 2).astype("i1"), qparams(2 * step)),
                main.constant("b", np.rint(held / step).astype("i4"), qparams(step)),
            )
        main.add("FULLY_CONNECTED", [source, *constants], [made])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def bias_of_first(part: SubgraphMatch) -> str:
    fed = next(iter(isolated_operators(part)))
    return bias_words(part, fed, next(c for c in constants_of(part, 0, 0) if c.kind == "bias"))


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (BIASES[1], "its bias is that of FULLY_CONNECTED #1"),
        ([2 * value for value in BIASES[1]], "its bias is that of FULLY_CONNECTED #1"),
        (BIASES[0], ""),
        ([-value for value in BIASES[1]], ""),
    ],
    ids=["values", "integers", "its own", "sign"],
)
def test_bias_of_another_operator(own: list[float], words: str) -> None:
    (part,) = match(layers("float32", BIASES), layers("int8", (own, BIASES[1]))).subgraphs
    assert bias_of_first(part) == words
