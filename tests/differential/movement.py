"""Movers and resizers: random configurations with computed or constant indices and data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from tests.differential.one_operator import Trial
from tests.differential.operands import ANY, varied
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
Q = qparams(0.05, -3)
TYPES = ("int8", "int8", "int8", "int16", "uint8", "float32", "int32")


class Case:
    """Builder of a single operator with random inputs: computed data, constant indices."""

    def __init__(self, rng: Random, opcode: str, dtype: str | None = None) -> None:
        self.rng, self.opcode = rng, opcode
        self.builder = ModelBuilder("case")
        self.graph = self.builder.subgraph("main")
        self.dtype = dtype or str(rng.choice(TYPES))
        self.inputs: list[np.ndarray] = []
        self.given: list[int] = []
        self.operands: list[int] = []

    def quantization(self):
        return {"int8": Q, "uint8": qparams(0.05, 125), "int16": qparams(0.05, 0)}.get(self.dtype)

    def data(self, shape: tuple[int, ...], values: np.ndarray | None = None) -> None:
        """Add a data input."""
        if values is None:
            kind = np.dtype(self.dtype)
            if kind.kind == "f":
                values = self.rng.normal(size=shape).astype(kind)
            else:
                low, high = (
                    (-1000, 1000) if kind.itemsize == 4 else (np.iinfo(kind).min, np.iinfo(kind).max + 1)
                )
                values = self.rng.integers(low, high, shape).astype(kind)
        name = f"x{len(self.inputs)}"
        self.operands.append(self.graph.tensor(name, shape, self.dtype, self.quantization()))
        self.given.append(self.operands[-1])
        self.inputs.append(values)

    def index(self, values) -> None:
        """Add a constant int32 input."""
        array = np.asarray(values, np.int32)
        self.operands.append(self.graph.constant(f"c{len(self.operands)}", array, None))

    def finish(
        self, *shapes: tuple[int, ...], dtype: str | None = None, **options
    ) -> tuple[Model, list[np.ndarray]]:
        quantization = self.quantization() if dtype is None else None
        outputs = [
            self.graph.tensor(f"y{i}", s, dtype or self.dtype, quantization) for i, s in enumerate(shapes)
        ]
        self.graph.add(self.opcode, self.operands, outputs, **options)
        self.graph.inputs(*self.given)
        self.graph.outputs(*outputs)
        return self.builder.finish(), self.inputs


def shape(rng: Random, least: int = 1, most: int = 4) -> tuple[int, ...]:
    return tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(least, most + 1))))


def reshape(rng):
    c, s = Case(rng, "RESHAPE"), shape(rng)
    c.data(s)
    n = int(np.prod(s))
    c.index([-1, s[-1]])
    return c.finish((n // s[-1], s[-1]))


def transpose(rng):
    c, s = Case(rng, "TRANSPOSE"), shape(rng)
    perm = rng.permutation(len(s))
    c.data(s)
    c.index(perm)
    return c.finish(tuple(s[p] for p in perm))


def concatenation(rng):
    c, s = Case(rng, "CONCATENATION"), shape(rng)
    axis, count = int(rng.integers(-len(s), len(s))), int(rng.integers(1, 4))
    at, total = axis % len(s), 0
    for _ in range(count):
        n = int(rng.integers(1, 5))
        c.data((*s[:at], n, *s[at + 1 :]))
        total += n
    return c.finish((*s[:at], total, *s[at + 1 :]), axis=axis)


def pack(rng):
    c, s = Case(rng, "PACK"), shape(rng, 1, 3)
    axis, count = int(rng.integers(0, len(s) + 1)), int(rng.integers(1, 4))
    for _ in range(count):
        c.data(s)
    return c.finish((*s[:axis], count, *s[axis:]), axis=axis, values_count=count)


def unpack(rng):
    c, s = Case(rng, "UNPACK"), shape(rng, 2, 4)
    axis = int(rng.integers(0, len(s)))
    c.data(s)
    return c.finish(*[(*s[:axis], *s[axis + 1 :])] * s[axis], axis=axis, num=s[axis])


def split(rng):
    c, s = Case(rng, "SPLIT"), list(shape(rng))
    axis, parts = int(rng.integers(-len(s), len(s))), int(rng.integers(1, 4))
    s[axis] *= parts
    c.index(axis)
    c.data(tuple(s))
    s[axis] //= parts
    return c.finish(*[tuple(s)] * parts, num_splits=parts)


def split_v(rng):
    c, s = Case(rng, "SPLIT_V", str(rng.choice(("int8", "int16", "float32", "int32")))), list(shape(rng))
    axis, sizes = int(rng.integers(0, len(s))), [int(n) for n in rng.integers(1, 4, 3)]
    s[axis] = sum(sizes)
    c.data(tuple(s))
    c.index([-1 if i == 1 else n for i, n in enumerate(sizes)])
    c.index(axis)
    return c.finish(*[(*s[:axis], n, *s[axis + 1 :]) for n in sizes], num_splits=3)


def slice_(rng):
    c, s = Case(rng, "SLICE"), shape(rng)
    begin = [int(rng.integers(0, n)) for n in s]
    size = [int(rng.integers(1, n - b + 1)) for n, b in zip(s, begin, strict=True)]
    c.data(s)
    c.index(begin)
    c.index([-1 if b + z == n else z for b, z, n in zip(begin, size, s, strict=True)])
    return c.finish(tuple(size))


def strided_slice(rng):
    c, s = Case(rng, "STRIDED_SLICE"), shape(rng, 2, 4)
    n = len(s)
    step = [int(rng.choice((1, 1, 2, -1, -2))) for _ in s]
    masks = {f"{m}_mask": int(rng.integers(0, 2**n)) for m in ("begin", "end")}
    shrink = int(rng.integers(0, 2**n)) & int(rng.integers(0, 2**n))
    index, begin, end = [], [], []
    for i, size in enumerate(s):
        a, b = int(rng.integers(0, size)), int(rng.integers(0, size))
        if step[i] > 0:
            a, b = min(a, b), max(a, b) + 1
        else:
            a, b = max(a, b), min(a, b) - 1
            b = b if b >= 0 else -size - 1
        if shrink >> i & 1:
            step[i], b = 1, a + 1
            index.append(0 if masks["begin_mask"] >> i & 1 else a)
        else:
            first = None if masks["begin_mask"] >> i & 1 else a
            last = None if masks["end_mask"] >> i & 1 else b
            index.append(slice(first, last, step[i]))
        begin.append(a)
        end.append(b)
    c.data(s)
    for values in (begin, end, step):
        c.index(values)
    made = np.zeros(s)[tuple(index)].shape
    return c.finish(made, shrink_axis_mask=shrink, **masks)


def pad(rng):
    c, s = Case(rng, "PAD"), shape(rng)
    widths = rng.integers(0, 3, (len(s), 2))
    c.data(s)
    c.index(widths)
    return c.finish(tuple(int(n + w.sum()) for n, w in zip(s, widths, strict=True)))


def pad_v2(rng):
    c, s = Case(rng, "PADV2"), shape(rng)
    widths = rng.integers(0, 3, (len(s), 2))
    c.data(s)
    c.index(widths)
    c.data((1,))
    return c.finish(tuple(int(n + w.sum()) for n, w in zip(s, widths, strict=True)))


def mirror_pad(rng):
    c, s = Case(rng, "MIRROR_PAD"), tuple(n + 1 for n in shape(rng))
    widths = np.array([rng.integers(0, n, 2) for n in s])
    c.data(s)
    c.index(widths)
    made = tuple(int(n + w.sum()) for n, w in zip(s, widths, strict=True))
    return c.finish(made, mode=int(rng.integers(0, 2)))


def gather(rng):
    c, s = Case(rng, "GATHER"), shape(rng, 2, 4)
    batch = int(rng.integers(0, 2))
    axis = int(rng.integers(batch, len(s)))
    at = rng.integers(0, s[axis], (*s[:batch], *shape(rng, 1, 2)))
    c.data(s)
    c.index(at)
    return c.finish((*s[:axis], *at.shape[batch:], *s[axis + 1 :]), axis=axis, batch_dims=batch)


def gather_nd(rng):
    c, s = Case(rng, "GATHER_ND"), shape(rng, 2, 4)
    depth = int(rng.integers(1, len(s) + 1))
    lead = shape(rng, 1, 2)
    at = np.stack([rng.integers(0, s[i], lead) for i in range(depth)], -1)
    c.data(s)
    c.index(at)
    return c.finish((*lead, *s[depth:]))


def space_to_depth(rng):
    c, b = (
        Case(rng, "SPACE_TO_DEPTH", str(rng.choice(("int8", "uint8", "float32", "int32")))),
        int(rng.integers(1, 4)),
    )
    n, h, w, ch = (int(v) for v in rng.integers(1, 4, 4))
    c.data((n, h * b, w * b, ch))
    return c.finish((n, h, w, ch * b * b), block_size=b)


def depth_to_space(rng):
    c, b = (
        Case(rng, "DEPTH_TO_SPACE", str(rng.choice(("int8", "uint8", "float32", "int32")))),
        int(rng.integers(1, 4)),
    )
    n, h, w, ch = (int(v) for v in rng.integers(1, 4, 4))
    c.data((n, h, w, ch * b * b))
    return c.finish((n, h * b, w * b, ch), block_size=b)


def space_to_batch(rng):
    c = Case(rng, "SPACE_TO_BATCH_ND", str(rng.choice(("int8", "uint8", "float32"))))
    block, pads = [int(v) for v in rng.integers(1, 3, 2)], rng.integers(0, 3, (2, 2))
    n, ch = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    space = [int(rng.integers(1, 4)) * b for b in block]
    pads = np.array(
        [[a, a % b] if (a + a % b) % b == 0 else [0, 0] for (a, _), b in zip(pads, block, strict=True)]
    )
    c.data((n, *space, ch))
    c.index(block)
    c.index(pads)
    made = [(s + int(p.sum())) // b for s, p, b in zip(space, pads, block, strict=True)]
    return c.finish((n * block[0] * block[1], *made, ch))


def batch_to_space(rng):
    c = Case(rng, "BATCH_TO_SPACE_ND", str(rng.choice(("int8", "uint8", "float32"))))
    block = [int(v) for v in rng.integers(1, 3, 2)]
    n, ch = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    space = [int(v) for v in rng.integers(2, 5, 2)]
    crops = rng.integers(0, 2, (2, 2))
    c.data((n * block[0] * block[1], *space, ch))
    c.index(block)
    c.index(crops)
    return c.finish((n, *[s * b - int(k.sum()) for s, b, k in zip(space, block, crops, strict=True)], ch))


def tile(rng):
    c, s = Case(rng, "TILE", str(rng.choice(("int8", "float32", "int32")))), shape(rng)
    times = [int(v) for v in rng.integers(1, 4, len(s))]
    c.data(s)
    c.index(times)
    return c.finish(tuple(n * t for n, t in zip(s, times, strict=True)))


def broadcast_to(rng):
    c, s = Case(rng, "BROADCAST_TO"), shape(rng)
    thin = tuple(1 if rng.random() < 0.4 else n for n in s)
    c.data(thin)
    c.index(s)
    return c.finish(s, version=3 if c.dtype == "int8" else 2)


def reverse(rng):
    c, s = Case(rng, "REVERSE_V2", str(rng.choice(("int8", "int16", "float32", "int32")))), shape(rng)
    first = int(rng.integers(0, len(s)))
    c.data(s)
    c.index(list(range(first, int(rng.integers(first, len(s))) + 1)))
    return c.finish(s)


def expand_dims(rng):
    c, s = Case(rng, "EXPAND_DIMS"), shape(rng, 1, 3)
    axis = int(rng.integers(-len(s) - 1, len(s) + 1))
    c.data(s)
    c.index(axis)
    at = axis % (len(s) + 1)
    return c.finish((*s[:at], 1, *s[at:]))


def squeeze(rng):
    c, s = Case(rng, "SQUEEZE"), shape(rng, 1, 3)
    at = int(rng.integers(0, len(s) + 1))
    c.data((*s[:at], 1, *s[at:]))
    return c.finish(s, squeeze_dims=[at])


def update_slice(rng):
    c, s = Case(rng, "DYNAMIC_UPDATE_SLICE", str(rng.choice(("int8", "float32", "int32")))), shape(rng)
    part = tuple(int(rng.integers(1, n + 1)) for n in s)
    c.data(s)
    c.data(part)
    c.index([int(rng.integers(-1, n + 1)) for n in s])
    return c.finish(s)


def resize(opcode: str) -> Callable[[Random], tuple]:
    def make(rng):
        types = (
            ("int8", "uint8", "uint8", "float32")
            if opcode == "RESIZE_BILINEAR"
            else ("int8", "int16", "uint8", "float32")
        )
        c = Case(rng, opcode, str(rng.choice(types)))
        n, h, w, ch = (
            int(rng.integers(1, 3)),
            *(int(v) for v in rng.integers(1, 9, 2)),
            int(rng.integers(1, 10)),
        )
        to = [int(v) for v in rng.integers(1, 17, 2)]
        c.data((n, h, w, ch))
        c.index(to)
        mode = int(rng.integers(0, 3))
        return c.finish((n, *to, ch), align_corners=mode == 1, half_pixel_centers=mode == 2)

    return make


CASES: dict[str, Callable[[Random], tuple[Model, list[np.ndarray]]]] = {
    "RESHAPE": reshape, "TRANSPOSE": transpose, "CONCATENATION": concatenation, "PACK": pack, "UNPACK": unpack,
    "SPLIT": split, "SPLIT_V": split_v, "SLICE": slice_, "STRIDED_SLICE": strided_slice, "PAD": pad, "PADV2": pad_v2,
    "MIRROR_PAD": mirror_pad, "GATHER": gather, "GATHER_ND": gather_nd, "SPACE_TO_DEPTH": space_to_depth,
    "DEPTH_TO_SPACE": depth_to_space, "SPACE_TO_BATCH_ND": space_to_batch, "BATCH_TO_SPACE_ND": batch_to_space,
    "TILE": tile, "BROADCAST_TO": broadcast_to, "REVERSE_V2": reverse, "EXPAND_DIMS": expand_dims,
    "SQUEEZE": squeeze, "DYNAMIC_UPDATE_SLICE": update_slice,
    "RESIZE_NEAREST_NEIGHBOR": resize("RESIZE_NEAREST_NEIGHBOR"), "RESIZE_BILINEAR": resize("RESIZE_BILINEAR"),
}  # fmt: skip


def _made(opcode: str) -> Make:
    def make(rng: Random) -> Trial:
        model, inputs = CASES[opcode](rng)
        return Trial(f"{opcode} {[x.shape for x in inputs]}", model, (tuple(inputs),))

    return varied(make, ANY, ANY)


def too_far(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return a mask of floats beyond the tolerance of interpolation: twice 16 ULPs of the largest value.

    Coordinates are float32 and at most 16 pixels: an ULP of a coordinate moves the output by at most 16 ULPs.
    """
    return np.abs(ours - theirs) > 32 * np.spacing(np.abs(theirs).max(initial=0))


FAMILY = Family({opcode: _made(opcode) for opcode in CASES}, lambda kind, resolver, trial: too_far)
