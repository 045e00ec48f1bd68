"""Float32 activations and integer weights: ``python -m tests.differential hybrid``.

Rows of activations are drawn so that they distinguish quantizations: half of them are ties of a power-of-two scale, at
which half away and half to even differ by a step. Outputs are real numbers. Runtimes scale and add their sums in
different orders, so that they may differ by ``BOUND`` of the largest magnitude. LiteRT's int4 kernel has the largest
error, because it adds 8 to each weight and subtracts the sum of that in float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.quantization import Blockwise, Quantization
from litecheck.reference.numerics.windows import axis
from tests.differential.one_operator import Trial
from tests.differential.operands import varied
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
#: Tolerance of outputs, as a part of the largest magnitude among them.
BOUND = 3e-5


def rows(random: Random, count: int, depth: int, zeros: bool = True) -> NDArray[np.float32]:
    """Return rows around zero, of one sign, of ties of an int8 grid, and, with ``zeros``, a row of zeros."""
    made = random.normal(size=(count, depth)) * np.exp(random.uniform(-3, 3, (count, 1)))
    kind = random.choice(["normal", "shifted", "positive", "ties", "ties", "ties about 0"])
    if kind == "shifted":
        made += random.normal(size=(count, 1))
    elif kind == "positive":
        made = np.abs(made)
    elif kind.startswith("ties"):
        low = int(random.integers(-255, 1)) if kind == "ties" else -127
        high = 255 + low if kind == "ties" else 127
        made = random.integers(low, high, (count, depth)) + 0.5
        made[:, 0], made[:, -1] = low, high
        made *= 2.0 ** random.integers(-6, 3, (count, 1))
    if zeros and random.random() < 0.2:
        made[int(random.integers(count))] = 0
    return made.astype(np.float32)


class Maker:
    """Builder of a model with one float32 input, integer weights and one float32 output."""

    def __init__(self, random: Random, shape: tuple[int, ...], images: int, zeros: bool = True) -> None:
        self.random = random
        self.builder = ModelBuilder()
        self.main = self.builder.subgraph("main")
        self.given = [rows(random, images, int(np.prod(shape)) // images, zeros).reshape(shape)]
        self.operands = [self.main.tensor("x", shape, "float32")]

    def weights(
        self,
        shape: tuple[int, ...],
        along: int,
        kind: str = "int8",
        computed: bool = False,
        single_scale: bool = False,
    ) -> None:
        """Add weights with one scale or a scale for each channel, in some cases equal scales."""
        most = {"int4": 7, "int2": 1}.get(kind, 127)
        count = 1 if single_scale else shape[along]
        scales = self.random.uniform(0.005, 0.05, count)
        if self.random.random() < 0.15:
            scales[:] = scales[0]
        stored = self.random.integers(-most, most + 1, shape).astype(np.int8)
        if self.random.random() < 0.2:
            stored.flat[self.random.integers(0, stored.size, 3)] = -most - 1
        stated = qparams(scales, 0, along)
        if computed:
            self.operands.append(self.main.tensor("w", shape, kind, stated))
            self.given.append(stored)
        else:
            self.operands.append(self.main.constant("w", stored, stated, kind))

    def block_weights(self, units: int, depth: int, block: int) -> None:
        """Add int4 weights with a float16 scale for each block."""
        scales = self.random.uniform(0.005, 0.05, (units, depth // block)).astype(np.float16)
        details = Blockwise(self.main.constant("scales", scales), -1, block)
        stored = self.random.integers(-8, 8, (units, depth)).astype(np.int8)
        self.operands.append(self.main.constant("w", stored, Quantization(details=details), "int4"))

    def bias(self, channels: int) -> None:
        self.operands.append(self.main.constant("b", self.random.normal(size=channels).astype(np.float32)))

    def case(self, opcode: str, shape: tuple[int, ...], title: str, version: int, **options: Option) -> Trial:
        out = self.main.tensor("y", shape, "float32")
        self.main.add(opcode, self.operands, [out], version=version, **options)
        self.main.inputs(self.operands[0], *self.operands[1 : len(self.given)])
        self.main.outputs(out)
        return Trial(f"{opcode} {title} {options}", self.builder.finish(), (tuple(self.given),))


def _activation(random: Random) -> str:
    """Return an activation without an upper bound: the largest output must show the size of the sums."""
    return str(random.choice(["NONE", "RELU"]))


def _any_activation(random: Random) -> str:
    """Return an activation without an upper bound, TANH or SIGN_BIT, which need sums of a small error."""
    return str(random.choice(["NONE", "NONE", "RELU", "RELU", "TANH", "SIGN_BIT"]))


def fully_connected(random: Random, kind: str) -> Trial:
    """Return a random FULLY_CONNECTED with int8, int4 or int2 weights."""
    count, units = int(random.integers(1, 9)), int(random.choice([1, 2, 3, 4, 5, 8, 13, 33]))
    depth = int(random.choice([1, 2, 7, 16, 30, 32, 33, 64, 200, 1200]))
    made, single_scale = Maker(random, (count, depth), count), bool(random.random() < 0.5)
    computed = kind == "int8" and bool(random.random() < 0.15)
    made.weights((units, depth), 0, kind, computed, single_scale)
    if random.random() < 0.8:
        made.bias(units)
    return made.case(
        "FULLY_CONNECTED", (count, units), f"{count} {units}x{depth} {kind} one scale {single_scale} computed {computed}", 9,
        asymmetric_quantize_inputs=bool(random.random() < 0.5),
        fused_activation_function=_activation(random) if kind == "int4" else _any_activation(random),
    )  # fmt: skip


def blockwise(random: Random) -> Trial:
    """Return a random FULLY_CONNECTED with int4 weights and a scale for each block.

    No row is all zeros: XNNPACK gives such a row zero point -128 and scale 1, so that its sums have a rounding error.
    """
    count, units = int(random.integers(1, 9)), int(random.choice([4, 5, 8, 13, 33]))
    block = int(random.choice([4, 16, 32, 32, 64, 128]))
    depth = block * int(random.integers(max(1, 32 // block), max(2, 256 // block) + 1))
    made = Maker(random, (count, depth), count, zeros=False)
    made.block_weights(units, depth, block)
    if random.random() < 0.7:
        made.bias(units)
    return made.case(
        "FULLY_CONNECTED", (count, units), f"blocks of {block} {count} {units}x{depth}", 12,
        asymmetric_quantize_inputs=bool(random.random() < 0.5),
        fused_activation_function=_activation(random),
    )  # fmt: skip


def _window(random: Random, opcode: str, kind: str, groups: int = 1) -> Trial:
    kernel, dilation = (int(random.integers(1, 4)) for _ in range(2))
    dilation = dilation if random.random() < 0.3 else 1
    stride, images = (int(random.integers(1, 4)) for _ in range(2))
    height, width = (int((kernel - 1) * dilation + random.integers(1, 8)) for _ in range(2))
    depth, channels = (
        groups * int(random.choice([1, 2, 3, 8, 17])),
        groups * int(random.choice([1, 2, 3, 5, 9])),
    )
    deep = opcode == "DEPTHWISE_CONV_2D"
    multiplier = int(random.choice([1, 1, 2, 3])) if deep else 0
    channels = depth * multiplier if deep else channels
    made = Maker(random, (images, height, width, depth), images)
    shape = (1, kernel, kernel, channels) if deep else (channels, kernel, kernel, depth // groups)
    made.weights(
        shape, 3 if deep else 0, kind, single_scale=not deep and groups == 1 and bool(random.random() < 0.4)
    )
    made.bias(channels)
    padding = int(random.integers(2))
    sizes = [axis(size, kernel, stride, dilation, padding).out for size in (height, width)]
    more = {"depth_multiplier": multiplier} if deep else {}
    return made.case(
        opcode, (images, *sizes, channels), f"{made.given[0].shape} {shape} {kind}", 6,
        padding=["SAME", "VALID"][padding], stride_h=stride, stride_w=stride, dilation_h_factor=dilation,
        dilation_w_factor=dilation, fused_activation_function=_activation(random), **more,
    )  # fmt: skip


def batch_matmul(random: Random, computed: bool) -> Trial:
    """Return a random BATCH_MATMUL of float32 and int8.

    At most one leading dimension is not 1, see rules/arithmetic/known-faults.yaml.
    """
    count, depth, columns = (int(random.choice([1, 2, 5, 8, 17, 40])) for _ in range(3))
    lead = ((), (int(random.integers(1, 4)),), (int(random.integers(1, 4)), 1), (1, 3))[
        int(random.integers(4))
    ]
    right_lead = tuple(n if random.random() < 0.6 else 1 for n in lead)[int(random.integers(0, 2)) :]
    adj_x, adj_y = bool(random.random() < 0.3), bool(random.random() < 0.5)
    made = Maker(random, (*lead, count, depth), int(np.prod(lead, dtype=int)) * count)
    if adj_x:
        made = Maker(random, (*lead, depth, count), int(np.prod(lead, dtype=int)) * depth)
    single_scale = bool(random.random() < 0.6)
    right = (*right_lead, *((columns, depth) if adj_y else (depth, columns)))
    made.weights(right, len(right) - (2 if adj_y else 1), computed=computed, single_scale=single_scale)
    shape = (*np.broadcast_shapes(lead, right_lead), count, columns)
    return made.case(
        "BATCH_MATMUL", shape, f"{made.given[0].shape} {right} one scale {single_scale}", 4,
        adj_x=adj_x, adj_y=adj_y, asymmetric_quantize_inputs=bool(random.random() < 0.5),
    )  # fmt: skip


_KINDS: dict[str, Make] = {
    "FULLY_CONNECTED x int8": lambda r: fully_connected(r, "int8"),
    "FULLY_CONNECTED x int4": lambda r: fully_connected(r, "int4"),
    "FULLY_CONNECTED x int2": lambda r: fully_connected(r, "int2"),
    "FULLY_CONNECTED x blocks of int4": blockwise,
    "CONV_2D x int8": lambda r: _window(r, "CONV_2D", "int8"),
    "CONV_2D x int8 grouped": lambda r: _window(r, "CONV_2D", "int8", 2),
    "CONV_2D x int4": lambda r: _window(r, "CONV_2D", "int4"),
    "DEPTHWISE_CONV_2D x int8": lambda r: _window(r, "DEPTHWISE_CONV_2D", "int8"),
    "BATCH_MATMUL x int8": lambda r: batch_matmul(r, False),
    "BATCH_MATMUL x computed int8": lambda r: batch_matmul(r, True),
}  # fmt: skip


#: Ends of kinds with weights of several values in a byte, which no operator computes.
NO_COMPUTED = ("int4", "int2")
MAKERS: dict[str, Make] = {
    name: varied(make, ("bias",) if name.endswith(NO_COMPUTED) or "DEPTHWISE" in name else ("weight", "bias"))
    for name, make in _KINDS.items()
}


def too_far(ours: NDArray[np.generic], theirs: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return a mask of outputs that differ by more than the order of sums explains."""
    apart: NDArray[np.bool_] = np.abs(ours - theirs) > BOUND * np.abs(theirs).max(initial=0)
    return apart


FAMILY = Family(
    MAKERS,
    lambda kind, resolver, trial: too_far,
    faulty=frozenset(
        {("FULLY_CONNECTED x blocks of int4", "reference"), ("BATCH_MATMUL x computed int8", "xnnpack")}
    ),
)
