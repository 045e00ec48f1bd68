"""Agreement of a device with published arithmetics: the common rule of ``verify``, ``suite judge`` and ``diagnose``.

An operator is exact if it is exact under one of the admitted arithmetics. Without a choice of the user, a runtime's own
kernels must have the runtime's own arithmetic, and every other device the arithmetic of any published runtime.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

#: Arithmetics of the published runtimes, in order of preference.
PUBLISHED = ("litert-reference", "litert-optimized", "litert-xnnpack", "tflm")
#: Arithmetic of each device that is a published runtime.
_OWN = {
    "litert:reference": "litert-reference",
    "litert:optimized": "litert-optimized",
    "litert:xnnpack": "litert-xnnpack",
    "tflm": "tflm",
}


def admitted_arithmetics(device: str, known: tuple[str, ...] = PUBLISHED) -> tuple[str, ...]:
    """Return the arithmetics of ``known`` that are admitted for a device by default.

    Example: ``litert:xnnpack,threads=2`` gives ``("litert-xnnpack",)``, ``delegate:libacme.so`` gives all of PUBLISHED.
    """
    own = _OWN.get(device.partition(",")[0])
    return (own,) if own in known else known


def is_published(device: str) -> bool:
    """Return True if a device is a published runtime. Example: ``tflm,arena=9000``."""
    return device.partition(",")[0] in _OWN


@dataclass(frozen=True, slots=True)
class ExactUnder:
    """An arithmetic, or several that were not distinguished, and the operators that are exact under each of them."""

    arithmetics: tuple[str, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """Arithmetics that fit the exact operators of a device, in as few groups as the search finds.

    One group with one arithmetic identifies the arithmetic. Several arithmetics in a group are not distinguished, and
    several groups are mixed numerics.
    """

    groups: tuple[ExactUnder, ...]

    @property
    def mixed(self) -> bool:
        """True if no arithmetic fits all exact operators."""
        return len(self.groups) > 1

    @property
    def identified(self) -> str:
        """Name of the only arithmetic that fits all exact operators; "" if there is none or more than one."""
        names = self.groups[0].arithmetics if len(self.groups) == 1 else ()
        return names[0] if len(names) == 1 else ""


def agreement(
    exact: Iterable[tuple[str, Collection[str]]], order: Sequence[str] = PUBLISHED
) -> PublishedAgreement:
    """Return the arithmetics that fit exact operators, given as (operator, arithmetics that fit).

    Example: ``[("ADD", {"b"}), ("TANH", {"a", "b"})]`` gives one group, b with ADD and TANH. A greedy cover finds the
    groups: the arithmetic that fits most of the remaining operators comes first.
    """
    left = [(operator, frozenset(names)) for operator, names in exact if names]
    known = [*order, *sorted({name for _, names in left for name in names}.difference(order))]
    groups = []
    while left:
        best = max(known, key=lambda name: sum(name in names for _, names in left))
        taken = [(operator, names) for operator, names in left if best in names]
        shared = frozenset.intersection(*(names for _, names in taken))
        operators = tuple(dict.fromkeys(operator for operator, _ in taken))
        groups.append(ExactUnder(tuple(name for name in known if name in shared), operators))
        left = [(operator, names) for operator, names in left if best not in names]
    return PublishedAgreement(tuple(groups))
