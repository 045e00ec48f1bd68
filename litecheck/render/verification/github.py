"""A verification as GitHub workflow annotations, one per outcome and kind of operator: GitHub shows ten of a kind."""

from __future__ import annotations

from litecheck.render.escape import NAME, PHRASE, shorten, visible
from litecheck.render.github import command
from litecheck.render.verification import wording
from litecheck.report import counted
from litecheck.verify.outcome import Outcome, Verdict, Verification

_HANDFUL = 5


def render(verification: Verification) -> str:
    """Annotations, then the summary as a plain line."""
    model, device = verification.model, verification.device
    groups: dict[tuple[Outcome, str], list[Verdict]] = {}
    for v in wording.failing(verification):
        groups.setdefault((v.outcome, visible(v.opcode)), []).append(v)
    lines = []
    for (outcome, opcode), verdicts in groups.items():
        extent = f" ({counted(len(verdicts), 'case')})" if len(verdicts) > 1 else ""
        title = f"{outcome.value} on {device}: {opcode}{extent}"
        lines.append(command("error", model, title, "\n".join(_told(verdicts))))
    if verification.verdict == "not judged":
        lines.append(command("error", model, f"not judged on {device}", wording.tally(verification)))
    for outcome, opcode, why, verdicts in wording.unjudged(verification):
        title = f"{outcome.value}: {opcode} ({counted(len(verdicts), 'case')})"
        lines.append(command("notice", model, title, shorten(why, PHRASE)))
    fits = wording.fits(verification)
    if fits:
        lines.append(command("notice", model, "another arithmetic fits", fits))
    told = f"{verification.verdict} on {visible(device)}: {wording.tally(verification)}"
    return "\n".join([*lines, f"litecheck: {told}"]) + "\n"


def _told(verdicts: list[Verdict]) -> list[str]:
    """A single case in full, of several each in a line."""
    if len(verdicts) == 1:
        (verdict,) = verdicts
        details = [
            f"{label}: {shorten(line, PHRASE)}" for label, lines in wording.details(verdict) for line in lines
        ]
        return [wording.title(verdict, NAME), *details]
    told = [f"{wording.title(v, NAME)}: {shorten(wording.gist(v), PHRASE)}" for v in verdicts[:_HANDFUL]]
    if len(verdicts) > _HANDFUL:
        told.append(f"and {counted(len(verdicts) - _HANDFUL, 'other case')}")
    return told
