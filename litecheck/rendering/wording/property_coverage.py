"""Sentences on the properties that a diagnosis exercised, and those it did not."""

from __future__ import annotations

from litecheck.diagnosis.result import ProbedRange, UntestedProperty
from litecheck.summary_text import count_of

_ALWAYS = {
    "graphs": "operators in a graph: every probe is one isolated operator",
    "threads": "inferences at the same time on one device, and threads",
    "shapes": "inputs of other shapes than those the model states",
    "repetition": "the same input again and again: no probe was repeated",
}


def probed_values(had: ProbedRange) -> str:
    """Return ``NONE, RELU``, ``8 to 4,099``, ``1 of 3 probes``."""
    if had.having is not None:
        return f"{had.having} of {count_of(had.probes, 'probe')}"
    if had.words:
        return ", ".join(had.words)
    return f"{had.least:,}" if had.least == had.most else f"{had.least:,} to {had.most:,}"


def untested_sentence(untested: UntestedProperty) -> str:
    """Return ``channels of the output above 4,099, batch above 3``."""
    names = " and ".join(untested.names)
    valued = list(zip(untested.names, untested.numbers, strict=False))
    match untested.kind:
        case "types":
            return f"types other than {' and '.join(untested.beside)}: {', '.join(untested.names)}"
        case "peculiarity":
            return names
        case "words":
            return f"{untested.of} {names}"
        case "one value":
            return f"values other than {', '.join(f'{name} {n:,}' for name, n in valued)}"
        case "larger":
            return ", ".join(f"{name} above {n:,}" for name, n in valued)
        case "operators":
            counts = zip(untested.names, untested.numbers, strict=True)
            return f"of {untested.of}: {', '.join(f'{n} {name}' for name, n in counts)}"
        case "rarer":
            return f"errors in fewer than 1 of {untested.numbers[0]:,} inferences"
    return _ALWAYS[untested.kind]
