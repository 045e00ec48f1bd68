"""Wording for tensors whose shared quantization leaves a low effective resolution."""

from __future__ import annotations

from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.shared_scales import (
    LOW_RESOLUTION,
    SharedMember,
    SharedQuantization,
    SharedScaleConstraint,
)
from litecheck.quantization import BITS
from litecheck.rendering.conversion import wording
from litecheck.rendering.escape import shorten
from litecheck.rendering.operator_names import operator_name, operator_number
from litecheck.summary_text import count_of


def low_resolution(record: ConversionRecord) -> list[tuple[SharedQuantization, SharedMember]]:
    """Return the members of all groups with a low effective resolution, the worst first."""
    found = [(group, member) for group in record.groups for member in group.members if member.low_resolution]
    return sorted(found, key=lambda pair: pair[1].bits or 0.0)


def sharing_title(record: ConversionRecord) -> str:
    """Return ``2 groups by rule, effective resolution of each tensor``."""
    return f"{count_of(len(record.groups), 'group')} by rule, effective resolution of each tensor"


def effective_bits_text(group: SharedQuantization, member: SharedMember) -> str:
    """Return ``0.4 of 8 bits``."""
    return "constant" if member.bits is None else f"{member.bits:.1f} of {BITS[group.dtype]} bits"


def resolution_title(group: SharedQuantization, member: SharedMember, limit: int | None = None) -> str:
    """Return ``'scores': effective resolution 0.4 of 8 bits``; names are at most ``limit`` characters long."""
    return f"'{_name(member.name, limit)}': effective resolution {effective_bits_text(group, member)}"


def _name(name: str, limit: int | None) -> str:
    return name if limit is None else shorten(name, limit)


def joint_place(joint: SharedScaleConstraint, limit: int | None = None) -> str:
    """Return ``CONCATENATION #7 'detections'``."""
    return f"{operator_name(joint.subgraph, joint.operator, joint.opcode)} '{_name(joint.name, limit)}'"


def joint_number(joint: SharedScaleConstraint) -> str:
    """Return ``CONCATENATION #7``, or ``CONCATENATION 1/#7`` in subgraph 1."""
    return f"{joint.opcode} {operator_number(joint.subgraph, joint.operator)}"


def resolution_lines(
    group: SharedQuantization, member: SharedMember, limit: int | None = None
) -> list[tuple[str, str]]:
    """Return labeled lines with location, reason and fix; names are at most ``limit`` characters long."""
    joint = member.joints[-1]
    others = [one for one in group.members if one is not member]
    beside = [one for one in others if one.subgraph != joint.subgraph or one.tensor not in joint.results]
    widest = max(beside or others, key=lambda one: one.high - one.low)
    return [
        ("at", joint_place(joint, limit)),
        ("range", f"{wording.extent(member.low, member.high)}; one step of its group is {group.scale:.4g}"),
        (
            "because",
            f"it shares one scale with '{_name(widest.name, limit)}' ({wording.extent(widest.low, widest.high)})",
        ),
        ("rule", f"{joint.path} in {joint.demand}"),
    ]


def resolution_rule() -> str:
    """Return the text of the rule for rows with a low effective resolution."""
    return (
        f"The effective resolution of a tensor is below {LOW_RESOLUTION:g} bits: log2 of its range divided by the scale "
        "that a rule makes it share."
    )
