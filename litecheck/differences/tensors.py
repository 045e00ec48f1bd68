"""Changes of one tensor: type, shape, quantization, constant values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from litecheck.differences.change import Change
from litecheck.model.constant_values import along_axis, constant_values
from litecheck.model.stored_values import same_bytes, stored_integers
from litecheck.model.types import Tensor
from litecheck.quantization import Custom, MultiAxis, Quantization

#: Relative changes of a scale up to this number of ULP are stated in ULP.
_ULPS = 64
#: Bytes of integers whose difference fits into an integer of twice the size.
_NARROW = 4
#: Integers without a scale, such as paddings, that are listed.
_LISTED = 16
#: Relative difference of real values from two roundings to float32.
_FLOAT32 = 2.0**-22


def tensor_changes(old: Tensor, new: Tensor) -> Iterator[Change]:
    """Yield the changes from one tensor to its partner, without their place."""
    if old.dtype != new.dtype:
        yield Change("dtype", before=old.dtype, after=new.dtype, changed=1, elements=1)
    if old.shape != new.shape or old.shape_signature != new.shape_signature:
        yield Change("shape", before=_shape(old), after=_shape(new))
    if old.is_variable != new.is_variable:
        yield Change("variable", before=_variable(old), after=_variable(new))
    yield from _quantization_changes(old.quantization, new.quantization)
    if old.is_constant != new.is_constant:
        yield Change("constancy", before=_constancy(old), after=_constancy(new))
    elif old.data is not None and not same_bytes(old, new):
        yield from _value_changes(old, new)


def _shape(tensor: Tensor) -> str:
    return str(list(tensor.shape_signature or tensor.shape))


def _variable(tensor: Tensor) -> str:
    return "variable" if tensor.is_variable else "not variable"


def _constancy(tensor: Tensor) -> str:
    return "constant" if tensor.is_constant else "computed"


def _quantization_changes(old: Quantization, new: Quantization) -> Iterator[Change]:
    if _details(old) != _details(new):
        yield Change("block-quantization", before=_details(old), after=_details(new))
    if old.scale.size != new.scale.size:
        yield Change("granularity", before=_scales(old), after=_scales(new))
        return
    if old.scale.tobytes() != new.scale.tobytes():
        yield _scale_change(old.scale, new.scale)
    if old.zero_point.tobytes() != new.zero_point.tobytes():
        yield _zero_point_change(old.zero_point, new.zero_point)
    if old.axis != new.axis and old.scale.size > 1:
        yield Change("axis", before=str(old.axis), after=str(new.axis))


def _details(q: Quantization) -> str:
    """Return the details in words, without the numbers of the tensors that hold the scales."""
    if q.details is None or isinstance(q.details, Custom):
        return (
            "none"
            if q.details is None
            else f"custom, {len(q.details.data)} bytes, CRC {crc32(q.details.data):08x}"
        )
    shape = q.details.axes if isinstance(q.details, MultiAxis) else q.details.block_shape
    kind = "axes" if isinstance(q.details, MultiAxis) else "block shape"
    return f"blocks of {q.details.block_size}" + (f", {kind} {list(shape)}" if shape else "")


def _scales(q: Quantization) -> str:
    return {0: "no scale", 1: "one scale"}.get(q.scale.size, f"{q.scale.size:,} scales")


def _scale_change(old: NDArray[np.float32], new: NDArray[np.float32]) -> Change:
    with np.errstate(all="ignore"):
        ratio = new.astype(np.float64) / old
    off = np.nan_to_num(np.abs(ratio - 1), nan=np.inf)
    ulps = np.abs(old.view(np.int32).astype(np.int64) - new.view(np.int32))
    changed, worst = int(np.count_nonzero(ulps)), int(np.argmax(off))
    close = ulps.max() < _ULPS
    text = f"{int(ulps.max())} ULP" if close else f"x {ratio[worst]:.4g}"
    many = f", channel {worst}, {changed} of {old.size} channels" if old.size > 1 else ""
    return Change(
        "scale", before=_decimal(old[worst], close), after=_decimal(new[worst], close), text=text + many,
        changed=changed, elements=old.size, relative=float(off.max()),
    )  # fmt: skip


def _decimal(scale: np.float32, exact: bool) -> str:
    return f"{scale:.9g}" if exact else f"{scale:.6g}"


def _zero_point_change(old: NDArray[np.int64], new: NDArray[np.int64]) -> Change:
    if old.size != new.size:
        return Change("zero-point", before=f"{old.size} zero points", after=f"{new.size} zero points")
    off = np.abs(new - old)
    worst = int(np.argmax(off))
    many = f"channel {worst}, {np.count_nonzero(off)} of {off.size} channels" if off.size > 1 else ""
    return Change(
        "zero-point", before=str(old[worst]), after=str(new[worst]), text=many,
        changed=int(np.count_nonzero(off)), elements=off.size,
    )  # fmt: skip


def _value_changes(old: Tensor, new: Tensor) -> Iterator[Change]:
    one, other = stored_integers(old), stored_integers(new)
    if one is None or other is None or one.shape != other.shape:
        yield Change("constant", text="other bytes", changed=1, elements=max(old.size, 1))
        return
    share = relative_change(old, new)
    if one.dtype != other.dtype:
        text = f"real values {100 * share:.3g} % (rms)"
        yield Change("constant", text=text, changed=one.size, elements=one.size, relative=share)
        return
    changed = int(np.count_nonzero(_bits(one) != _bits(other)))
    if not changed:  # padding bits of packed types
        return
    if one.dtype.kind in "iu" and one.size <= _LISTED and not old.quantization.scale.size:
        values = (str(array.reshape(old.shape).tolist()) for array in (one, other))
        yield Change(
            "constant",
            before=next(values),
            after=next(values),
            changed=changed,
            elements=one.size,
            relative=share,
        )
        return
    largest = ""
    p, q = old.quantization, new.quantization
    if p.scale.tobytes() != q.scale.tobytes() or p.zero_point.tobytes() != q.zero_point.tobytes():
        largest = ", scale changed"
    elif one.dtype.kind in "iu":
        wide: Any = f"i{2 * one.itemsize}" if one.itemsize <= _NARROW else object
        largest = f", at most {int(np.abs(other.astype(wide) - one.astype(wide)).max())} LSB"
    text = f"{changed:,} of {one.size:,} values{largest}; real values {100 * share:.3g} % (rms)"
    yield Change("constant", text=text, changed=changed, elements=one.size, relative=share)


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(f"u{values.itemsize}") if values.dtype.kind == "f" else values


def relative_change(old: Tensor, new: Tensor) -> float:
    """Return the root mean square difference of real values as a share of the old: (1, 2) and (1, 2.1) give 0.045."""
    before, after = constant_values(old), constant_values(new)
    if before is None or after is None or before.shape != after.shape:
        return 0.0
    with np.errstate(all="ignore"):
        length = _power(before)
        after -= before
        off = _power(after)
    return float(np.sqrt(off / length)) if length and np.isfinite(off / length) else float(off > 0)


def _power(values: NDArray[np.float64]) -> float:
    """Return the sum of squares, in one pass and one thread."""
    flat = values.reshape(-1)
    return float(np.einsum("i,i->", flat, flat))


def follows_scale(old: Tensor, new: Tensor) -> bool:
    """Return True if a constant has the same real values in its new scale, up to one of the larger steps.

    Two roundings of one value differ by at most half of each step, so that the order of the models does not matter.
    """
    before, after = constant_values(old), constant_values(new)
    scaled = [q for q in (old.quantization, new.quantization) if q.scale.size]
    if before is None or after is None or before.shape != after.shape or not scaled:
        return False
    steps = np.max(
        [np.broadcast_to(along_axis(q.scale, q, before.ndim), before.shape) for q in scaled], axis=0
    )
    # float32 scales of float32 products: the real values differ in the last bits
    return bool(np.all(np.abs(after - before) <= 1.001 * steps + _FLOAT32 * np.abs(before)))
