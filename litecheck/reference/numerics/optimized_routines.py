"""exp and log of float32 in most C libraries: Arm's optimized routines, in double precision, rounded once.

glibc from 2.27 to 2.40, musl, newlib and bionic contain these approximations. About 1 output in 1500 is the float32
next to the correctly rounded value. From 2.41 on, glibc returns the correctly rounded value. Source: glibc's
sysdeps/ieee754/flt-32, e_expf.c, e_logf.c and their tables.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Singles: TypeAlias = NDArray[np.float32]

_LN2 = float.fromhex("0x1.62e42fefa39efp-1")
#: Center of each sixteenth of an octave from 0.6992 on: the reciprocal, rounded so that the logarithm is nearly exact,
#: and the logarithm.
_CENTERS = tuple(
    (float.fromhex(reciprocal), float.fromhex(logarithm))
    for reciprocal, logarithm in (
        ("0x1.661ec79f8f3bep+0", "-0x1.57bf7808caadep-2"), ("0x1.571ed4aaf883dp+0", "-0x1.2bef0a7c06ddbp-2"),
        ("0x1.49539f0f010bp+0", "-0x1.01eae7f513a67p-2"), ("0x1.3c995b0b80385p+0", "-0x1.b31d8a68224e9p-3"),
        ("0x1.30d190c8864a5p+0", "-0x1.6574f0ac07758p-3"), ("0x1.25e227b0b8eap+0", "-0x1.1aa2bc79c81p-3"),
        ("0x1.1bb4a4a1a343fp+0", "-0x1.a4e76ce8c0e5ep-4"), ("0x1.12358f08ae5bap+0", "-0x1.1973c5a611cccp-4"),
        ("0x1.0953f419900a7p+0", "-0x1.252f438e10c1ep-5"), ("0x1p+0", "0x0p+0"),
        ("0x1.e608cfd9a47acp-1", "0x1.aa5aa5df25984p-5"), ("0x1.ca4b31f026aap-1", "0x1.c5e53aa362eb4p-4"),
        ("0x1.b2036576afce6p-1", "0x1.526e57720db08p-3"), ("0x1.9c2d163a1aa2dp-1", "0x1.bc2860d22477p-3"),
        ("0x1.886e6037841edp-1", "0x1.1058bc8a07ee1p-2"), ("0x1.767dcf5534862p-1", "0x1.4043057b6ee09p-2"),
    )
)  # fmt: skip
_RECIPROCALS, _LOGARITHMS = (np.array(column) for column in zip(*_CENTERS, strict=True))
#: Bits of the smallest float32 of the first sixteenth.
_FIRST = 0x3F330000
_LOG = tuple(map(float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")))

#: Number of parts into which exp divides an octave, and number of these parts per unit.
_PARTS = 32
_PER_UNIT = float.fromhex("0x1.71547652b82fep+0") * _PARTS
_POWERS = np.exp2(np.arange(_PARTS) / _PARTS)
_EXP = tuple(
    float.fromhex(c) / _PARTS**n
    for c, n in (("0x1.c6af84b912394p-5", 3), ("0x1.ebfce50fac4f3p-3", 2), ("0x1.62e42ff0c52d6p-1", 1))
)


def log(x: NDArray[Any]) -> Singles:
    """Return the natural logarithm; -inf for 0, NaN below. Example: 2 gives 0.6931472."""
    x = np.asarray(x, np.float32)
    with np.errstate(all="ignore"):
        ordinary = (x >= np.finfo(np.float32).tiny) & np.isfinite(x)
        subnormal = (x > 0) & ~ordinary & np.isfinite(x)
        scaled = np.where(subnormal, x * np.float32(2.0**23), np.where(ordinary, x, np.float32(1)))
        bits = scaled.view(np.int32).astype(np.int64)
        above = bits - _FIRST
        octave = above >> 23
        part = (above >> 19) & 15
        z = (bits - (octave << 23)).astype(np.int32).view(np.float32).astype(np.float64)
        r = z * _RECIPROCALS[part] - 1
        whole = _LOGARITHMS[part] + (octave - 23 * subnormal) * _LN2
        tail = _LOG[0] * (r * r) + (_LOG[1] * r + _LOG[2])
        made: Singles = (tail * (r * r) + (whole + r)).astype(np.float32)
        return np.where(ordinary | subnormal, made, np.log(x)).astype(np.float32)


def exp(x: NDArray[Any]) -> Singles:
    """Return e^x; infinity above 88.7, 0 below -104. Example: 1 gives 2.7182817."""
    x = np.asarray(x, np.float32)
    with np.errstate(all="ignore"):
        steps = np.where(np.isfinite(x), np.clip(x, -200, 200), 0).astype(np.float64) * _PER_UNIT
        whole = np.rint(steps)
        r = steps - whole
        number = whole.astype(np.int64)
        power = np.ldexp(_POWERS[number % _PARTS], number // _PARTS)
        value = (_EXP[0] * r + _EXP[1]) * (r * r) + (_EXP[2] * r + 1)
        made: Singles = (value * power).astype(np.float32)
        return np.where(np.isfinite(x), made, np.exp(x)).astype(np.float32)
