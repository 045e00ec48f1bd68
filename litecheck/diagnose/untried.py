"""What probes had, and what none of them had: a diagnosis says nothing of the latter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from litecheck.diagnose.properties import Properties, Property
from litecheck.reference.registry import ANY, kernels
from litecheck.report import counted

#: Words that an operator may have.
_WORDS = {"activation": ("NONE", "RELU", "RELU6", "RELU_N1_TO_1"), "padding": ("SAME", "VALID")}
#: Peculiarities whose absence says nothing.
_NEVER_MISSED = ("several inferences", "inputs beside their zero points")


def tried(probes: Sequence[Properties]) -> tuple[tuple[str, str], ...]:
    """Every property with the values it had: numbers from the least to the most, words, peculiarities by how many."""
    names = dict.fromkeys(name for one in probes for name in one)
    values = {name: [one[name] for one in probes if name in one] for name in names}
    return tuple((name, _shown(of)) for name, of in values.items())


def _shown(values: Sequence[Property]) -> str:
    if all(isinstance(v, bool) for v in values):
        return f"{sum(map(bool, values))} of {counted(len(values), 'probe')}"
    if all(isinstance(v, str) for v in values):
        return ", ".join(sorted(map(str, set(values))))
    numbers = sorted(int(v) for v in values)
    return f"{numbers[0]:,}" if numbers[0] == numbers[-1] else f"{numbers[0]:,} to {numbers[-1]:,}"


def untried(opcode: str, kinds: Iterable[str], probes: Sequence[Properties]) -> tuple[str, ...]:
    """What no answered probe of an operator had. ``kinds`` are the types that were tried."""
    return (*_types(opcode, kinds), *_missing(probes))


def _types(opcode: str, kinds: Iterable[str]) -> Iterator[str]:
    known = {t for kernel in kernels().get(opcode, ()) for t in kernel.types if t is not ANY}
    missing = sorted(known - set(kinds))
    if missing:
        yield f"types other than {' and '.join(sorted(kinds))}: {', '.join(missing)}"


def _missing(probes: Sequence[Properties]) -> Iterator[str]:
    one: list[str] = []
    most: list[str] = []
    for name in dict.fromkeys(name for like in probes for name in like):
        values = [like[name] for like in probes if name in like]
        if all(isinstance(v, bool) for v in values):
            if not any(values) and name not in _NEVER_MISSED:
                yield name
        elif name in _WORDS:
            missing = [word for word in _WORDS[name] if word not in values]
            if missing and set(values) <= set(_WORDS[name]):
                yield f"{name} {' and '.join(missing)}"
        else:
            numbers = {int(v) for v in values}
            (one if len(numbers) == 1 else most).append(f"{name} {max(numbers):,}")
    if one:
        yield f"others than {', '.join(one)}"
    if most:
        yield f"more than {', '.join(most)}"


def general(repeats: int) -> Iterator[str]:
    """What no operator is asked for, however many of them are diagnosed."""
    yield "operators in a graph: every probe is one operator by itself"
    yield "inferences at the same time on one device, and threads"
    yield "inputs of other shapes than those the model states"
    if repeats:
        # Three in n: the rate at which n inferences without a fault leave a chance of 5 %.
        yield f"what goes wrong in fewer than 1 of {max(repeats // 3, 1):,} inferences"
    else:
        yield "the same input again and again: no probe was repeated"


def left_out(model: str, opcodes: Iterable[str]) -> Iterator[str]:
    """Operators of a model that were not tried, by kind."""
    counts = Counter(opcodes)
    if counts:
        names = ", ".join(f"{count} {opcode}" for opcode, count in sorted(counts.items()))
        yield f"of {model}: {names}"
