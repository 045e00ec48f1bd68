"""What is odd about answers as a whole, in sentences: not repeated, left over from the one before, of another type."""

from __future__ import annotations

from litecheck.compare.hints import Likeness
from litecheck.compare.stale import LeftOver, Unrepeated
from litecheck.report import counted

_LIKE = {
    Likeness.UNSCALED_REALS: "real values cannot be compared with integers that have no scale; give the stored integers",
    Likeness.STORED_INTEGERS: "stored integers where real values are wanted; give them dequantized",
    Likeness.SAME_BYTES: "the same bytes would do as {dtype}",
    Likeness.FLOAT32_BYTES: "so many bytes are as many float32 values; raw bytes are taken in the tensor's type, real "
    "values go into a .npy file",
    Likeness.RESHAPED: "as many elements, in another shape",
}


def unrepeated_sentence(found: Unrepeated) -> str:
    """``the same random inputs gave different outputs in 3 of 64 elements when repeated``."""
    total = counted(found.elements, "element")
    return (
        f"the same {found.kind} inputs gave different outputs in {found.differing} of {total} when repeated"
    )


def left_over_sentence(found: LeftOver) -> str:
    """``all 12 wrong elements of 2 inferences are what the device gave in the inference before it``."""
    wrong = f"all {found.elements:,} wrong elements of {counted(found.inferences, 'inference')}"
    whose = (
        "the inference before it should have given"
        if found.expected
        else "the device gave in the inference before it"
    )
    return f"{wrong} are what {whose}"


def likeness_sentence(found: Likeness, dtype: str) -> str:
    """What to give instead where values of ``dtype`` are wanted."""
    return _LIKE[found].format(dtype=dtype)
