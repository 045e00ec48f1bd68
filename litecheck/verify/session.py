"""A whole verification as a user asks for one: journaled, resumable, with drift and reproducers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from litecheck.model.types import Model
from litecheck.reference.arithmetic import load_arithmetic
from litecheck.reference.values import RunError
from litecheck.verify import plan
from litecheck.verify.device import Device
from litecheck.verify.drift import drift
from litecheck.verify.journal import Journal, default_path
from litecheck.verify.outcome import Verification
from litecheck.verify.settings import Settings
from litecheck.verify.verify import about, sample_inputs, verify


def run(
    model: Model,
    device: Device,
    settings: Settings,
    journal: str | None = None,
    resume: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Verify, noting every result down as it comes; ``resume`` takes what an earlier run had noted.

    A journal nobody named lies in the user's cache folder and goes when the verification is complete. Raises what
    :func:`litecheck.verify.verify.verify` raises, and ConfigError for a journal that cannot be used.
    """
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    content = about(model, device, settings)
    book = Journal(Path(journal) if journal else default_path(content), content, resume)
    try:
        done = verify(model, device, settings, journal=book, progress=progress)
        if settings.drift:
            done = _with_drift(model, device, settings, done, progress)
    except BaseException:
        book.close()
        raise
    book.close(remove=journal is None)
    return replace(done, started=started)


def _with_drift(
    model: Model,
    device: Device,
    settings: Settings,
    done: Verification,
    progress: Callable[[str], None] | None,
) -> Verification:
    subgraph = plan.entries(model, settings.signature)[0]
    inputs = sample_inputs(model, subgraph, settings)[0]
    arithmetic = load_arithmetic(settings.arithmetics[0])
    try:
        steps = drift(model, subgraph, inputs, device, arithmetic, done.verdicts, progress)
    except RunError as error:
        return replace(done, notes=(*done.notes, f"drift was not measured: {error}"))
    return replace(done, drift=steps)
