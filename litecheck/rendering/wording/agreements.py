"""Sentences on the published arithmetics that a device agrees with."""

from __future__ import annotations

from litecheck.comparison.admitted_arithmetics import ExactUnder, PublishedAgreement
from litecheck.errors import ProfileError
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.rendering.escape import visible


def headline(agreement: PublishedAgreement) -> str:
    """Return ``exact under litert-xnnpack``, ``exact, arithmetic not distinguished``, ``exact, mixed numerics``, or
    ""."""
    if not agreement.groups:
        return ""
    if agreement.mixed:
        return "exact, mixed numerics"
    name = agreement.identified
    return f"exact under {visible(name)}" if name else "exact, arithmetic not distinguished"


def agreement_sentence(agreement: PublishedAgreement, exact: int = 0, of: int = 0) -> str:
    """Return ``litert-xnnpack: LiteRT with XNNPACK (default)``, ``not distinguished: litert-reference, tflm``, or the
    operators of each arithmetic, as a warning.

    If only ``exact`` ``of`` all operators have the arithmetic, the number comes first: ``of the 4 exact operators: ...``.
    """
    if not agreement.mixed:
        told = "".join(map(_group_name, agreement.groups))
        part = "the only exact operator" if exact == 1 else f"the {exact:,} exact operators"
        return f"of {part}: {told}" if told and exact < of else told
    parts = (
        f"{_group_name(group)} for {', '.join(map(visible, group.operators))}" for group in agreement.groups
    )
    return f"warning: mixed numerics among operators: {'; '.join(parts)}"


def not_distinguished(names: tuple[str, ...]) -> str:
    """Return a single name, or ``not distinguished: a, b``."""
    told = ", ".join(map(visible, names))
    return told if len(names) < 2 else f"not distinguished: {told}"


def _group_name(group: ExactUnder) -> str:
    if len(group.arithmetics) > 1:
        return not_distinguished(group.arithmetics)
    (name,) = group.arithmetics
    title = _title(name)
    return visible(f"{name}: {title}" if title else name)


def _title(name: str) -> str:
    """Return the title of an arithmetic; "" for one that is not there."""
    try:
        title = load_arithmetic(name, quoting=False).title
    except ProfileError:
        return ""
    return "" if title == name else title
