"""erfc, expm1 and tanh of float32 in most C libraries: Sun's fdlibm in single precision, bit for bit.

glibc up to 2.40, newlib and musl contain these approximations, each step of which rounds to float32. LiteRT uses the
functions of its C library. From glibc 2.41 on, the functions are correctly rounded. Source: glibc's
sysdeps/ieee754/flt-32, s_erff.c, s_expm1f.c, s_tanhf.c and e_expf.c.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Singles: TypeAlias = NDArray[np.float32]

_F = np.float32
_ONE, _TWO, _HALF = _F(1), _F(2), _F(0.5)


def _singles(*values: float) -> Singles:
    return np.array(values, _F)


def _polynomial(z: Singles, coefficients: Singles) -> Singles:
    """Return c0 + z (c1 + z (c2 + ...)), computed from the innermost bracket, each operation rounded."""
    value = np.full_like(z, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = coefficient + z * value
    return value


#: Numerator and denominator of each piece of erf and erfc, lowest power first.
_NEAR = (
    _singles(1.2837916613e-01, -3.2504209876e-01, -2.8481749818e-02, -5.7702702470e-03, -2.3763017452e-05),
    _singles(1, 3.9791721106e-01, 6.5022252500e-02, 5.0813062117e-03, 1.3249473704e-04, -3.9602282413e-06),
)
_AROUND_ONE = (
    _singles(-2.3621185683e-03, 4.1485610604e-01, -3.7220788002e-01, 3.1834661961e-01, -1.1089469492e-01,
             3.5478305072e-02, -2.1663755178e-03),
    _singles(1, 1.0642088205e-01, 5.4039794207e-01, 7.1828655899e-02, 1.2617121637e-01, 1.3637083583e-02,
             1.1984500103e-02),
)  # fmt: skip
_FARTHER = (
    _singles(-9.8649440333e-03, -6.9385856390e-01, -1.0558626175e01, -6.2375331879e01, -1.6239666748e02,
             -1.8460508728e02, -8.1287437439e01, -9.8143291473e00),
    _singles(1, 1.9651271820e01, 1.3765776062e02, 4.3456588745e02, 6.4538726807e02, 4.2900814819e02,
             1.0863500214e02, 6.5702495575e00, -6.0424413532e-02),
)  # fmt: skip
_FARTHEST = (
    _singles(-9.8649431020e-03, -7.9928326607e-01, -1.7757955551e01, -1.6063638306e02, -6.3756646729e02,
             -1.0250950928e03, -4.8351919556e02),
    _singles(1, 3.0338060379e01, 3.2579251099e02, 1.5367296143e03, 3.1998581543e03, 2.5530502930e03,
             4.7452853394e02, -2.2440952301e01),
)  # fmt: skip
_ERF_OF_ONE = _F(8.4506291151e-01)
#: End of the third piece, about 1 / 0.35.
_THIRD_END = np.uint32(0x4036DB6D).view(_F)
_EXPM1 = _singles(
    1, -3.3333335072e-02, 1.5873016091e-03, -7.9365076090e-05, 4.0082177293e-06, -2.0109921195e-07
)
_LN2_HIGH, _LN2_LOW, _PER_LN2 = _F(6.9313812256e-01), _F(9.0580006145e-06), _F(1.4426950216e00)
#: Limits of the libraries: 27 ln 2, ln 2 / 2, 1.5 ln 2 and 128 ln 2.
_LARGE, _SMALL, _ONCE, _INFINITE = np.array([0x4195B844, 0x3EB17218, 0x3F851592, 0x42B17218], np.uint32).view(
    _F
)
#: e^x from powers 2^(n/32), in float64: the powers, and the first three terms of 2^(r/32) - 1.
_32NDS = np.exp2(np.arange(32) / 32)
_ORDERS = tuple(
    float.fromhex(c) / 32**power
    for power, c in ((1, "0x1.62e42ff0c52d6p-1"), (2, "0x1.ebfce50fac4f3p-3"), (3, "0x1.c6af84b912394p-5"))
)


def _quotient(z: Singles, piece: tuple[Singles, Singles]) -> Singles:
    ratio: Singles = _polynomial(z, piece[0]) / _polynomial(z, piece[1])
    return ratio


def erfc(x: NDArray[Any]) -> Singles:
    """Return 1 - erf(x), of any shape, from four approximations by the magnitude of x. Example: 1 gives 0.1572992."""
    x = np.asarray(x, _F)
    size = np.abs(x)
    with np.errstate(all="ignore"):
        tail = _tail(size)
        far = np.where(x < 0, np.where(size >= 6, _TWO, _TWO - tail), tail)
        middle = _quotient(size - _ONE, _AROUND_ONE)
        one = np.where(x < 0, _ONE + (_ERF_OF_ONE + middle), (_ONE - _ERF_OF_ONE) - middle)
        y = x * _quotient(x * x, _NEAR)
        near = np.where(x < _F(0.25), _ONE - (x + y), _HALF - (y + (x - _HALF)))
    value: Singles = np.where(size < _F(0.84375), near, np.where(size < _F(1.25), one, far))
    return np.where(np.isnan(x), x, value)


def _tail(size: Singles) -> Singles:
    """Return erfc(x) for x >= 1.25: e^(-x^2) as two factors, the first from a shortened x, divided by x; 0 from 28 on."""
    s = _ONE / (size * size)
    ratio = np.where(size < _THIRD_END, _quotient(s, _FARTHER), _quotient(s, _FARTHEST))
    short = (size.view(np.uint32) & np.uint32(0xFFFFE000)).view(_F)
    power = _exp(-short * short - _F(0.5625)) * _exp((short - size) * (short + size) + ratio)
    return np.where(size < 28, power / size, _F(0))


def _exp(x: Singles) -> Singles:
    """Return e^x within 0.502 units of the last place, for x below 88, as the library does, not correctly rounded."""
    steps = np.clip(x.astype(np.float64), -200, 88) * (32 / np.log(2))
    whole = np.rint(steps)
    r = steps - whole
    first, second, third = _ORDERS
    fraction = (third * r + second) * (r * r) + (first * r + 1)
    index = whole.astype(np.int64)
    power: Singles = (fraction * np.ldexp(_32NDS[index % 32], index // 32)).astype(_F)
    return power


def expm1(x: NDArray[Any]) -> Singles:
    """Return e^x - 1, of any shape: x - k ln 2, a rational function of the remainder, scaled by 2^k. Example: 1 gives
    1.7182819."""
    x = np.asarray(x, _F)
    with np.errstate(all="ignore"):
        k, rest, lost = _reduce_argument(np.clip(np.where(np.isnan(x), _F(0), x), -_LARGE, _F(88.75)))
        half_square = rest * (_HALF * rest)
        r = _polynomial(half_square, _EXPM1)
        t = _F(3) - r * (_HALF * rest)
        e = half_square * ((r - t) / (_F(6) - rest * t))
        plain = rest - (rest * e - half_square)
        e = (rest * (e - lost) - lost) - half_square
        scaled = _scale_by_power(k, rest, e)
    value = np.where(k == 0, plain, scaled)
    value = np.where(np.abs(x) < _F(2.0**-25), x, value)
    value = np.where(x <= -_LARGE, -_ONE, np.where(x >= _INFINITE, _F(np.inf), value))
    return np.where(np.isnan(x), x, value).astype(_F)


def _reduce_argument(x: Singles) -> tuple[NDArray[np.int32], Singles, Singles]:
    """Return k, x - k ln 2 and the rounding error of the difference. ln 2 has two parts, so that k times the first is
    exact."""
    size = np.abs(x)
    nearest = (_PER_LN2 * x + np.copysign(_HALF, x)).astype(np.int32)
    k = np.where(size <= _SMALL, 0, np.where(size < _ONCE, np.where(x < 0, -1, 1), nearest)).astype(np.int32)
    high, low = x - k.astype(_F) * _LN2_HIGH, k.astype(_F) * _LN2_LOW
    rest = high - low
    return k, rest, (high - rest) - low


def _scale_by_power(k: NDArray[np.int32], x: Singles, e: Singles) -> Singles:
    """Return 2^k (1 + x - e) - 1, by the formula with the smallest rounding error for each k."""
    power = np.exp2(-k.astype(np.float64)).astype(_F)
    wide = np.ldexp(_ONE - (e - x), k) - _ONE
    below = np.ldexp((_ONE - power) - (e - x), k)
    above = np.ldexp((x - (e + power)) + _ONE, k)
    once = np.where(x < _F(-0.25), -_TWO * (e - (x + _HALF)), _ONE + _TWO * (x - e))
    many = np.where((k <= -2) | (k > 56), wide, np.where(k < 23, below, above))
    value: Singles = np.where(k == -1, _HALF * (x - e) - _HALF, np.where(k == 1, once, many))
    return value


def tanh(x: NDArray[Any]) -> Singles:
    """Return tanh(x), of any shape, from e^2x - 1 for |x| >= 1 and from e^-2x - 1 below. Example: 1 gives 0.7615942."""
    x = np.asarray(x, _F)
    size = np.abs(x)
    with np.errstate(all="ignore"):
        t = expm1(np.where(size >= 1, _TWO * size, -_TWO * size))
        value = np.where(size >= 1, _ONE - _TWO / (t + _TWO), -t / (t + _TWO))
    value = np.where(size < 22, value, _ONE)
    value = np.where(size < _F(2.0**-55), size, value)
    return np.where(np.isnan(x), x, np.copysign(value, x)).astype(_F)
