"""Sentences on claims and waivers: claims that a run does not show, and states of waivers."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.suite.claims import Shortfall
from litecheck.suite.waivers import WaiverRecord
from litecheck.summary_text import count_of

#: Sentences on claims that a run does not show, by subject.
_SHORTFALLS = {
    "profile": "the claim is about {claimed}, the suite about {found}",
    "version": "the claim is about {claimed}, the suite was made by {found}",
    "rules": "the claim is about rules with the SHA-256 {claimed}, the suite's have {found}",
    "level": "the claim is of level {claimed}, the suite of level {found}",
    "program": "the claim is about a program with the SHA-256 {claimed}, {found} ran",
    "operator": "{claimed} is claimed, and the suite has no case of it",
    "type": "{claimed} is claimed, and the suite has no case of that type",
}
_WAIVERS = {
    "used": "excuses {cases} until {expires}",
    "expired": "has expired on {expires}; {cases} would be excused",
    "unneeded": "none of its cases fails: remove the waiver",
    "matches nothing": "matches no case of the suite",
}


def shortfall_sentence(short: Shortfall) -> str:
    """Describe a claim that a run does not show."""
    return _SHORTFALLS[short.what].format(claimed=short.claimed, found=short.found or "none")


def shortfalls_sentence(shorts: Sequence[Shortfall]) -> str:
    """Describe the first claim that a run does not show, with the number of further ones; "" without any."""
    if not shorts:
        return ""
    more = f" ({count_of(len(shorts) - 1, 'further claim')} not shown)" if len(shorts) > 1 else ""
    return f"{shortfall_sentence(shorts[0])}{more}"


def waiver_sentence(record: WaiverRecord) -> str:
    """Describe the state of a waiver."""
    waiver = record.waiver
    state = _WAIVERS[record.state].format(cases=count_of(record.cases, "case"), expires=waiver.expires)
    return f"waiver of {waiver}: {state} ({waiver.reason})"
