"""Random integers of many seeds at once, equal to those of numpy's generators, which take 10 us each to be seeded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Words64 = NDArray[np.uint64]
Integers = NDArray[np.int64]

#: Constants of numpy's SeedSequence (numpy/random/bit_generator.pyx).
_POOL = 4
_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_L, _MIX_R = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_MASK = 0xFFFFFFFF
#: Multiplier of PCG64 (numpy/random/src/pcg64/pcg64.h), and the largest number of outputs for which a formula over all
#: streams is faster than a generator for each.
_MULTIPLIER, _FEW = 0x2360ED051FC65DA44385DF649FCCF645, 40


class Streams(Protocol):
    """Streams of random integers, read in parallel."""

    def integers(self, bounds: Integers, count: int = 1) -> Integers:
        """Return ``count`` integers below its bound for each stream, (streams, count).

        A stream with bound 1 gives zeros and stays where it is.
        """
        ...


class OneStream:
    """A single stream: that of a generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def integers(self, bounds: Integers, count: int = 1) -> Integers:
        """Return ``count`` integers below the only bound, (1, count)."""
        drawn: Integers = self._rng.integers(0, int(bounds[0]), (1, count))
        return drawn


class SeededStreams:
    """The streams of ``numpy.random.default_rng([*key, n])`` for several n.

    Example: with key (0, 7) and numbers 1 and 2, ``integers([10, 10], 3)`` gives as rows what ``integers(0, 10, 3)``
    gives for the seeds [0, 7, 1] and [0, 7, 2].
    """

    def __init__(self, key: Sequence[int], numbers: Integers, count: int = 0) -> None:
        """Initialize the streams; ``count`` is the expected number of integers of each stream."""
        self._seeds, self._expected = _states(key, numbers), count
        self._words = np.empty((len(numbers), 0), np.uint32)
        self._at = np.zeros(len(numbers), np.int64)

    def integers(self, bounds: Integers, count: int = 1) -> Integers:
        """Return ``count`` integers below its bound for each stream, (streams, count).

        Lemire's multiplication, as in numpy/random/src/distributions/distributions.c: the high half of word x bound;
        words whose low half is below 2^32 mod bound are skipped.
        """
        wide = bounds.astype(np.uint64)[:, None]
        products = self._next_words(count) * wide
        skipped = ((products & np.uint64(_MASK)) < (1 << 32) % wide).any(1)
        self._at += np.where(bounds > 1, count, 0)
        found: Integers = (products >> np.uint64(32)).astype(np.int64)
        for row in np.flatnonzero(skipped):
            self._at[row] -= count
            found[row] = self._draw_one_by_one(int(row), int(bounds[row]), count)
        return found

    def _draw_one_by_one(self, row: int, bound: int, count: int) -> list[int]:
        """Return the integers of a stream that skips words."""
        found: list[int] = []
        while len(found) < count:
            product = int(self._next_words(1)[row, 0]) * bound
            self._at[row] += 1
            if product & _MASK >= (1 << 32) % bound:
                found.append(product >> 32)
        return found

    def _next_words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` words of each stream, (streams, count). PCG64 gives the low half first."""
        needed = int(self._at.max(initial=0)) + count
        if needed > self._words.shape[1]:
            outputs = _outputs(self._seeds, -(-max(needed, self._expected) // 2))
            self._words = outputs.astype("<u8", copy=False).view("<u4")
        firsts = self._at + np.arange(0, self._words.size, self._words.shape[1])
        return self._words.take(firsts[:, None] + np.arange(count)).astype(np.uint64)


class _Seeded(ISeedSequence):
    """State that SeedSequence would generate."""

    def __init__(self, state: NDArray[np.uint64]) -> None:
        self._state = state

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[np.uint64]:
        """Return the state, which has the words that PCG64 wants."""
        return self._state


def _outputs(seeds: Words64, count: int) -> Words64:
    """Return the first ``count`` outputs of PCG64 for each seed, (streams, count).

    Output k is a function of the state m^(k + 2) seed + (1 + m + ... + m^(k + 2)) increment, modulo 2^128.
    """
    if count > _FEW:
        sources: Any = map(_Seeded, seeds)  # numpy's type hints lack the seed sequence interface
        return np.stack([np.random.PCG64(source).random_raw(count) for source in sources])
    of_seed, of_increment = _factors(count)
    *seed, high, low = (words[:, None] for words in seeds.T)
    increment = high << np.uint64(1) | low >> np.uint64(63), low << np.uint64(1) | np.uint64(1)
    highs, lows = zip(_multiply_wide(seed, of_seed), _multiply_wide(increment, of_increment), strict=True)
    low = lows[0] + lows[1]
    high = highs[0] + highs[1] + (low < lows[0])
    mixed, turn = high ^ low, high >> np.uint64(58)
    outputs: Words64 = mixed >> turn | mixed << (np.uint64(64) - turn) % np.uint64(64)
    return outputs


@cache
def _factors(count: int) -> tuple[Words64, Words64]:
    """Return the factors of the seed and of the increment in ``count`` outputs, each as (high words, low words)."""
    powers = [pow(_MULTIPLIER, n, 1 << 128) for n in range(count + 2)]
    sums = list(accumulate(powers))
    of_seed, of_increment = (
        np.array([divmod(factor % (1 << 128), 1 << 64) for factor in factors], np.uint64).T
        for factors in (powers[2:], sums[2:])
    )
    return of_seed, of_increment


def _multiply_wide(x: Sequence[Words64] | Words64, y: Words64) -> tuple[Words64, Words64]:
    """Return high and low words of the products of 128-bit integers, modulo 2^128."""
    half, mask = np.uint64(32), np.uint64(_MASK)
    (x1, x0), (y1, y0) = ((words[1] >> half, words[1] & mask) for words in (x, y))
    across = x1 * y0 + (x0 * y0 >> half)
    carried = x0 * y1 + (across & mask)
    high = x1 * y1 + (across >> half) + (carried >> half)
    return high + x[0] * y[1] + x[1] * y[0], x[1] * y[1]


def _states(key: Sequence[int], numbers: Integers) -> Words64:
    """Return ``SeedSequence([*key, n]).generate_state(4, np.uint64)`` for each n below 2^32, (numbers, 4)."""
    words = [word for integer in key for word in _words_of(integer)]
    entropy = np.zeros((max(_POOL, len(words) + 1), len(numbers)), np.uint32)
    entropy[: len(words)] = np.array(words, np.uint32)[:, None]
    entropy[len(words)] = numbers
    hash_words = _Hash(_INIT_A, _MULT_A)
    pool = hash_words(entropy[:_POOL], _POOL)
    for source in range(_POOL):
        others = [at for at in range(_POOL) if at != source]
        pool[others] = _mix_words(pool[others], hash_words(pool[source], len(others)))
    for word in entropy[_POOL:]:
        pool = _mix_words(pool, hash_words(word, _POOL))
    state = _Hash(_INIT_B, _MULT_B)(np.tile(pool, (2, 1)), 2 * _POOL)
    return np.ascontiguousarray(state.T, "<u4").view("<u8").astype(np.uint64)


def _words_of(integer: int) -> list[int]:
    """Return the 32-bit words of an integer, low words first."""
    return [integer >> at & _MASK for at in range(0, max(integer.bit_length(), 1), 32)]


class _Hash:
    """Hash with a constant that changes from word to word."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant, self._multiplier = constant, multiplier

    def __call__(self, words: Words, count: int) -> Words:
        """Return the hashes of ``count`` words of each stream, or ``count`` hashes of one word, (count, streams)."""
        constants = [self._constant * pow(self._multiplier, n, 1 << 32) & _MASK for n in range(count + 1)]
        self._constant = constants[-1]
        salts = np.array(constants, np.uint32)[:, None]
        return _fold_word((words ^ salts[:-1]) * salts[1:])


def _mix_words(one: Words, other: Words) -> Words:
    return _fold_word(one * _MIX_L - other * _MIX_R)


def _fold_word(word: Words) -> Words:
    folded: Words = word ^ word >> np.uint32(16)
    return folded
