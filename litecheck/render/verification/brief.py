"""The verification for ``--quiet``: one line a case that fails, nothing else."""

from __future__ import annotations

from litecheck.render.escape import NAME, PHRASE, shorten, visible
from litecheck.render.verification import wording
from litecheck.verify.outcome import Verification


def render(verification: Verification) -> str:
    """``model.tflite: mismatch: CONV_2D #12 'conv': 3 of 64 elements ...``, a line each; empty where all is well."""
    model = visible(verification.model)
    lines = [
        f"{model}: {v.outcome.value}: {wording.title(v, NAME)}: {shorten(wording.gist(v), PHRASE)}"
        for v in wording.failing(verification)
    ]
    if verification.verdict == "not judged":
        lines.append(f"{model}: not judged: {wording.tally(verification)}")
    return "".join(f"{line}\n" for line in lines)
