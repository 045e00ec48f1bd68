"""Shares of culprits in the outputs' error: merged culprits of one constant, the order, and the joint share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from litecheck.model.types import Subgraph
from litecheck.profile.operators import traits_of
from litecheck.summary_text import count_of
from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.trace_result import LEAST_SHARE, Cause, Culprit

#: Number of culprits whose share of the outputs' error is measured.
_SHARED = 8
#: Share from which a culprit has nearly all of the error.
_NEARLY_ALL = 0.9
#: Share of the error of a channel from which a shared range is a culprit: without it, the channel would gain 3 dB.
_LEAST_SHARED = 0.5
#: Causes in constants, which several operators may read.
_OF_CONSTANTS: tuple[Cause, ...] = ("weights", "weight_scale", "weight_axis", "bias")


def merge_culprits(culprits: Sequence[Culprit], subgraphs: Sequence[Subgraph]) -> list[Culprit]:
    """Return the culprits, merged for each fault of a constant that several operators read: the largest loss counts.

    Example: all steps of an unrolled LSTM read the same weights. The error of one step may not reach the outputs alone.
    """
    groups = dict[object, list[Culprit]]()
    for one in sorted(culprits, key=lambda one: -one.avoidable_db):
        data = _constants(subgraphs[one.subgraph], one) if one.cause in _OF_CONSTANTS else frozenset[bytes]()
        key = (one.subgraph, one.opcode, one.cause, one.detail, data) if data else one
        groups.setdefault(key, []).append(one)
    return [_merge_group(group) for group in groups.values()]


def _constants(subgraph: Subgraph, one: Culprit) -> frozenset[bytes]:
    """Return the data of an operator's constants that can have a culprit's fault: biases, or all other constants."""
    operator = subgraph.operators[one.operator]
    traits, read = traits_of(operator.kind), set[bytes]()
    for place, index in enumerate(operator.inputs):
        data = subgraph.tensors[index].data if index >= 0 else None
        if data is not None and (traits.inputs.get(traits.role(place)) == "bias") == (one.cause == "bias"):
            read.add(data.tobytes())
    return frozenset(read)


def _merge_group(group: Sequence[Culprit]) -> Culprit:
    first, others = group[0], tuple(sorted(one.operator for one in group[1:]))
    if not others:
        return first
    words = f"{first.detail}; {count_of(len(others), 'other operator')} {'reads' if len(others) == 1 else 'read'} the same"
    return replace(first, detail=f"{words} constants", others=others)


def rank_culprits(culprits: Sequence[Culprit], shares: Mapping[int, ErrorShares]) -> list[Culprit]:
    """Return the culprits with their shares of the outputs' error, those with the largest shares first.

    The share of an operator in a called subgraph is not known; it ranks by its avoidable loss.
    """
    worst = sorted(culprits, key=lambda one: -one.avoidable_db)
    measured = [replace(one, share=_share(one, shares.get(one.subgraph))) for one in worst[:_SHARED]]
    return [*sorted(measured, key=_rounded_share, reverse=True), *worst[_SHARED:]]


def drop_harmless_ranges(
    culprits: Sequence[Culprit], shares: Mapping[int, ErrorShares]
) -> tuple[list[Culprit], list[str]]:
    """Return the culprits without shared ranges that cost no channel of the outputs 3 dB, and a note on each of these.

    LiteRT demands that the inputs of a CONCATENATION share a range, so that every int8 model has this loss.
    """
    kept, notes = list[Culprit](), list[str]()
    for one in culprits:
        outputs = shares.get(one.subgraph) if one.cause == "shared_range" else None
        share = outputs.channel_share(one) if outputs is not None else None
        if share is None or share >= _LEAST_SHARED:
            kept.append(one)
        else:
            part = f"at most {100 * share:.0f} %" if share >= LEAST_SHARE else "less than 1 %"
            notes.append(
                f"{one.opcode} #{one.operator}: {one.detail}; {part} of the error of any channel of the outputs"
            )
    return kept, notes


def _rounded_share(one: Culprit) -> float:
    """Return the share of a culprit in one significant digit: 0.88 and 1 are equal (nearly all), 0.03 is more than 0.02."""
    return _NEARLY_ALL if one.share is None else min(_NEARLY_ALL, float(f"{one.share:.0e}"))


def _share(one: Culprit, outputs: ErrorShares | None) -> float | None:
    """Return the share of the outputs' error; for a shared range, of the channel that loses most, which can be small."""
    if outputs is None:
        return None
    return outputs.channel_share(one) if one.cause == "shared_range" else outputs.joint_share((one,))


def explained_share(culprits: Sequence[Culprit], outputs: ErrorShares | None) -> float | None:
    """Return the joint share of the outputs' error of the main subgraph's culprits; None for fewer than two.

    Culprits that do not reach the outputs alone count only if none does.
    """
    measured = [one for one in culprits if one.share is not None and not one.subgraph]
    harmful = [one for one in measured if one.reaches_outputs] or measured
    return None if outputs is None or len(harmful) < 2 else outputs.joint_share(harmful)
