"""Random valid movers for the shape functions: operators controlled by numbers in inputs and options."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import qparams
from tests.differential.shapes_draws import (
    Draw,
    Make,
    Random,
    broadcastable,
    dims,
    index,
    out,
    size,
    x,
)


def reshape(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 0, 5)
    wanted = list(rng.permutation(shape)) if rng.random() < 0.5 else [int(np.prod(shape))]
    if wanted and rng.random() < 0.5:
        wanted[size(rng, 0, len(wanted) - 1)] = -1
    if rng.random() < 0.6:
        return Draw(
            "RESHAPE",
            (x(rng, shape, dtype), index(rng, wanted)),
            (out(dtype),),
            {"new_shape": [int(v) for v in wanted]},
        )
    return Draw("RESHAPE", (x(rng, shape, dtype),), (out(dtype),), {"new_shape": [int(v) for v in wanted]})


def squeeze(rng: Random, dtype: str) -> Draw:
    shape = [1 if rng.random() < 0.5 else size(rng) for _ in range(size(rng, 1, 5))]
    ones = [at - len(shape) * int(rng.random() < 0.3) for at, dim in enumerate(shape) if dim == 1]
    return Draw(
        "SQUEEZE", (x(rng, shape, dtype),), (out(dtype),), {"squeeze_dims": ones[: size(rng, 0, len(ones))]}
    )


def transpose(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 6)
    perm = rng.permutation(len(shape))
    return Draw("TRANSPOSE", (x(rng, shape, dtype), index(rng, perm)), (out(dtype),), {}, 5)


def reverse(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 5)
    start = size(rng, 0, len(shape) - 1)
    axes = np.arange(start, size(rng, start + 1, len(shape)))
    return Draw("REVERSE_V2", (x(rng, shape, dtype), index(rng, axes)), (out(dtype),))


def reverse_sequence(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 2, 4)
    batch, along_ = (int(v) for v in rng.choice(len(shape), 2, replace=False))
    parts = (x(rng, shape, dtype), index(rng, rng.integers(1, shape[along_] + 1, shape[batch])))
    return Draw("REVERSE_SEQUENCE", parts, (out(dtype),), {"seq_dim": along_, "batch_dim": batch})


def to_depth(rng: Random, dtype: str) -> Draw:
    b = size(rng, 1, 3)
    shape = (size(rng, 1, 2), b * size(rng, 1, 3), b * size(rng, 1, 3), size(rng))
    return Draw("SPACE_TO_DEPTH", (x(rng, shape, dtype),), (out(dtype),), {"block_size": b})


def to_space(rng: Random, dtype: str) -> Draw:
    b = size(rng, 1, 3)
    shape = (size(rng, 1, 2), size(rng), size(rng), b * b * size(rng, 1, 3))
    return Draw("DEPTH_TO_SPACE", (x(rng, shape, dtype),), (out(dtype),), {"block_size": b})


def space_to_batch(rng: Random, dtype: str) -> Draw:
    spatial = size(rng, 1, 2)
    blocks = [size(rng, 1, 3) for _ in range(spatial)]
    lengths = [size(rng, 1, 6) for _ in range(spatial)]
    pads = []
    for block, length in zip(blocks, lengths, strict=True):
        low = size(rng, 0, 3)
        pads.append([low, -(length + low) % block])
    parts = (x(rng, (size(rng, 1, 2), *lengths, 2), dtype), index(rng, blocks), index(rng, pads))
    return Draw("SPACE_TO_BATCH_ND", parts, (out(dtype),), {}, 2)


def batch_to_space(rng: Random, dtype: str) -> Draw:
    spatial = size(rng, 1, 2)
    blocks = [size(rng, 1, 3) for _ in range(spatial)]
    lengths = [size(rng, 1, 5) for _ in range(spatial)]
    crops = [[size(rng, 0, 1), 0] if b * n > 2 else [0, 0] for b, n in zip(blocks, lengths, strict=True)]
    batch = int(np.prod(blocks)) * size(rng, 1, 2)
    parts = (x(rng, (batch, *lengths, 2), dtype), index(rng, blocks), index(rng, crops))
    return Draw("BATCH_TO_SPACE_ND", parts, (out(dtype),), {}, 2)


def diag(rng: Random, dtype: str) -> Draw:
    return Draw("MATRIX_DIAG", (x(rng, dims(rng, 1, 4), dtype),), (out(dtype),))


def set_diag(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 2, 4)
    return Draw(
        "MATRIX_SET_DIAG",
        (x(rng, shape, dtype), x(rng, (*shape[:-2], min(shape[-2:])), dtype)),
        (out(dtype),),
    )


def bitcast(rng: Random, dtype: str) -> Draw:
    to = str(rng.choice(["int8", "uint8", "int16", "int32", "float32"]))
    ratio = np.dtype(to).itemsize // np.dtype(dtype).itemsize
    shape = (*dims(rng, 0, 4), ratio) if ratio > 1 else dims(rng, 0, 4)
    return Draw("BITCAST", (x(rng, shape, dtype, q=None),), ((to, None),))


def slice_(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 5)
    begin = [size(rng, 0, dim - 1) for dim in shape]
    length = [
        -1 if rng.random() < 0.2 else size(rng, 1, dim - b) for dim, b in zip(shape, begin, strict=True)
    ]
    kind = str(rng.choice(["int32", "int64"]))
    return Draw(
        "SLICE",
        (x(rng, shape, dtype), index(rng, begin, kind), index(rng, length, kind)),
        (out(dtype),),
        {},
        3,
    )


def strided_slice(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 5)
    given = size(rng, 1, len(shape))
    begin, end = rng.integers(-6, 7, given), rng.integers(-6, 7, given)
    strides = rng.choice([1, 1, 1, 2, 3, -1, -2], given)
    masks = {
        f"{n}_mask": int(rng.integers(0, 1 << given)) if rng.random() < 0.3 else 0 for n in ("begin", "end")
    }
    if rng.random() < 0.3:
        masks["shrink_axis_mask"] = 1 << size(rng, 0, given - 1)
    if rng.random() < 0.3:
        masks["ellipsis_mask"] = 1 << size(rng, 0, given - 1)
    if rng.random() < 0.3:
        masks["new_axis_mask"] = 1 << size(rng, 0, given - 1)
    parts = (x(rng, shape, dtype), index(rng, begin), index(rng, end), index(rng, strides))
    return Draw("STRIDED_SLICE", parts, (out(dtype),), masks, 4)


def split(rng: Random, dtype: str) -> Draw:
    shape, parts = list(dims(rng, 1, 5)), size(rng, 1, 3)
    at = size(rng, 0, len(shape) - 1)
    shape[at] *= parts
    axis = at - len(shape) * int(rng.random() < 0.3)
    return Draw(
        "SPLIT", (index(rng, axis), x(rng, shape, dtype)), (out(dtype),) * parts, {"num_splits": parts}, 2
    )


def split_v(rng: Random, dtype: str) -> Draw:
    shape, sizes = list(dims(rng, 1, 5)), [size(rng, 1, 3) for _ in range(size(rng, 1, 3))]
    at = size(rng, 0, len(shape) - 1)
    shape[at] = sum(sizes)
    if rng.random() < 0.4:
        sizes[size(rng, 0, len(sizes) - 1)] = -1
    axis = at - len(shape) * int(rng.random() < 0.3)
    return Draw(
        "SPLIT_V",
        (x(rng, shape, dtype), index(rng, sizes), index(rng, axis)),
        (out(dtype),) * len(sizes),
        {"num_splits": len(sizes)},
        2,
    )


def update(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    part = [size(rng, 1, dim) for dim in shape]
    start = rng.integers(-2, 6, len(shape))
    return Draw(
        "DYNAMIC_UPDATE_SLICE", (x(rng, shape, dtype), x(rng, part, dtype), index(rng, start)), (out(dtype),)
    )


def top_k(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    k = size(rng, 1, shape[-1])
    return Draw(
        "TOPK_V2",
        (x(rng, shape, dtype), index(rng, k if rng.random() < 0.5 else [k])),
        (out(dtype), out("int32")),
        {},
        2,
    )


def concatenation(rng: Random, dtype: str) -> Draw:
    shape = list(dims(rng, 1, 5))
    at = size(rng, 0, len(shape) - 1)
    parts = []
    for _ in range(size(rng, 1, 4)):
        shape[at] = size(rng, 1, 4)
        parts.append(x(rng, shape, dtype, rng.random() < 0.2))
    axis = at - len(shape) * int(rng.random() < 0.3)
    return Draw("CONCATENATION", tuple(parts), (out(dtype),), {"axis": axis}, 2)


def pack(rng: Random, dtype: str) -> Draw:
    shape, number = dims(rng, 0, 4), size(rng, 1, 4)
    axis = int(rng.integers(-len(shape) - 1, len(shape) + 1))
    return Draw(
        "PACK",
        tuple(x(rng, shape, dtype) for _ in range(number)),
        (out(dtype),),
        {"axis": axis, "values_count": number},
        2,
    )


def unpack(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    axis = int(rng.integers(-len(shape), len(shape)))
    return Draw(
        "UNPACK", (x(rng, shape, dtype),), (out(dtype),) * shape[axis], {"axis": axis, "num": shape[axis]}, 2
    )


def tile(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 5)
    kind = str(rng.choice(["int32", "int64"]))
    return Draw(
        "TILE", (x(rng, shape, dtype), index(rng, rng.integers(1, 4, len(shape)), kind)), (out(dtype),), {}, 3
    )


def broadcast_to(rng: Random, dtype: str) -> Draw:
    whole = dims(rng, 1, 8, 3)
    part = [1 if rng.random() < 0.4 else dim for dim in whole][
        size(rng, 0, len(whole)) if rng.random() < 0.4 else 0 :
    ]
    return Draw(
        "BROADCAST_TO",
        (x(rng, part, dtype), index(rng, whole, str(rng.choice(["int32", "int64"])))),
        (out(dtype),),
        {},
        3,
    )


def broadcast_args(rng: Random, dtype: str) -> Draw:
    left, right = broadcastable(rng, 2, 5)
    return Draw("BROADCAST_ARGS", (index(rng, left, dtype), index(rng, right, dtype)), ((dtype, None),))


def pad(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        shape = dims(rng, 1, 5)
        most = 1 if opcode == "MIRROR_PAD" else 3
        pads = [[size(rng, 0, min(most, dim - 1)) for _ in range(2)] for dim in shape]
        parts = [x(rng, shape, dtype), index(rng, pads, str(rng.choice(["int32", "int64"])))]
        if opcode == "PADV2":
            parts.append(x(rng, (1,) if rng.random() < 0.5 else (), dtype, True))
        options = {"mode": str(rng.choice(["REFLECT", "SYMMETRIC"]))} if opcode == "MIRROR_PAD" else {}
        return Draw(opcode, tuple(parts), (out(dtype),), options, 2)

    return make


def resize(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        shape = (size(rng, 1, 2), size(rng), size(rng), size(rng, 1, 3))
        flags = [(False, False), (True, False), (False, True)][size(rng, 0, 2)]
        options = dict(zip(("align_corners", "half_pixel_centers"), flags, strict=True))
        return Draw(
            opcode,
            (x(rng, shape, dtype), index(rng, [size(rng, 1, 8), size(rng, 1, 8)])),
            (out(dtype),),
            options,
            3,
        )

    return make


def gather(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    axis = size(rng, 0, len(shape) - 1)
    batch = size(rng, 0, axis) if rng.random() < 0.4 else 0
    where = rng.integers(0, shape[axis], (*shape[:batch], *dims(rng, 0, 2)))
    options = {"axis": axis - len(shape) * int(rng.random() < 0.3), "batch_dims": batch}
    return Draw(
        "GATHER",
        (x(rng, shape, dtype), index(rng, where, str(rng.choice(["int32", "int64"])))),
        (out(dtype),),
        options,
        4,
    )


def gather_nd(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    depth = size(rng, 1, len(shape))
    lead = dims(rng, 0, 2)
    where = np.stack([rng.integers(0, shape[at], lead) for at in range(depth)], -1)
    return Draw("GATHER_ND", (x(rng, shape, dtype), index(rng, where)), (out(dtype),), {}, 3)


def scatter_nd(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    depth = size(rng, 1, len(shape))
    lead = dims(rng, 0, 2)
    where = np.stack([rng.integers(0, shape[at], lead) for at in range(depth)], -1)
    parts = (index(rng, where), x(rng, (*lead, *shape[depth:]), dtype), index(rng, shape))
    return Draw("SCATTER_ND", parts, (out(dtype),))


def embedding(rng: Random, dtype: str) -> Draw:
    table = dims(rng, 2, 4)
    return Draw(
        "EMBEDDING_LOOKUP",
        (index(rng, rng.integers(0, table[0], size(rng))), x(rng, table, dtype, True, qparams(0.1))),
        (("float32", None),),
        {},
        3,
    )


def hashtable_lookup(rng: Random, dtype: str) -> Draw:
    table = dims(rng, 1, 3)
    keys = np.arange(table[0]) * 2
    parts = (index(rng, rng.integers(0, 9, size(rng))), index(rng, keys), x(rng, table, dtype, False))
    return Draw("HASHTABLE_LOOKUP", parts, (out(dtype), ("uint8", None)))


def one_hot(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 0, 4)
    ends = [x(rng, (), dtype, rng.random() < 0.5) for _ in range(2)]
    parts = (index(rng, rng.integers(0, 4, shape)), index(rng, size(rng)), *ends)
    return Draw("ONE_HOT", parts, (out(dtype),), {"axis": int(rng.integers(-1, len(shape) + 1))})


def sparse_to_dense(rng: Random, dtype: str) -> Draw:
    shape, number = dims(rng, 1, 4), size(rng, 1, 4)
    where = np.stack([rng.integers(0, dim, number) for dim in shape], -1)
    if len(shape) == 1 and rng.random() < 0.5:
        where = where[:, 0]
    if len(shape) == 1 and rng.random() < 0.3:
        where, number = np.asarray(0), 1
    data = x(rng, () if rng.random() < 0.3 else (number,), dtype)
    parts = (index(rng, where), index(rng, shape), data, x(rng, (), dtype))
    return Draw("SPARSE_TO_DENSE", parts, (out(dtype),))


def segment_sum(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 3, 5)
    ids = np.cumsum(rng.integers(0, 2, shape[0]))
    return Draw("SEGMENT_SUM", (x(rng, shape, dtype), index(rng, ids - ids[0])), (out(dtype),))


def unsorted(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        shape = dims(rng, 1, 3, 5)
        number = size(rng, 1, 4)
        ids = rng.integers(0, number, shape[: size(rng, 1, len(shape))])
        return Draw(opcode, (x(rng, shape, dtype), index(rng, ids), index(rng, number)), (out(dtype),))

    return make


def gather_hlo(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 2, 3)
    sizes = [1, *(size(rng, 1, dim) for dim in shape[1:])]
    where_ = rng.integers(0, shape[0], (size(rng), 1))
    options = {"offset_dims": list(range(1, len(shape))), "collapsed_slice_dims": [0], "start_index_map": [0],
               "index_vector_dim": 1, "slice_sizes": sizes}  # fmt: skip
    return Draw("STABLEHLO_GATHER", (x(rng, shape, dtype), index(rng, where_)), (out(dtype),), options)


def stablehlo_pad(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    options = {n: rng.integers(-1, 3, len(shape)) for n in ("edge_padding_low", "edge_padding_high")}
    options["interior_padding"] = rng.integers(0, 3, len(shape))
    return Draw("STABLEHLO_PAD", (x(rng, shape, dtype), x(rng, (), dtype)), (out(dtype),), options)


def dilate(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 5)
    return Draw(
        "DILATE",
        (x(rng, shape, dtype), index(rng, rng.integers(1, 4, len(shape))), x(rng, (), dtype)),
        (out(dtype),),
    )


def reduce_window(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4, 6)
    rows = [index(rng, rng.integers(1, 3, len(shape)), "int64") for _ in range(3)]
    return Draw(
        "REDUCE_WINDOW",
        (x(rng, shape, dtype), x(rng, (), dtype), *rows),
        (out(dtype),),
        {"reduce_function": "ADD"},
    )
