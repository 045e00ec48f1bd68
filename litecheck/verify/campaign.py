"""A whole verification as a user asks for one: journaled, resumable, with drift and reproducers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from litecheck.cases import parts
from litecheck.cases.model_inputs import sample_inputs
from litecheck.devices.port import Device, Limits
from litecheck.devices.registry import open_device
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.operands import RunError
from litecheck.verify.drift import drift
from litecheck.verify.identity import about
from litecheck.verify.journal import Journal, JournalHeldError, default_path
from litecheck.verify.outcome import Verification
from litecheck.verify.settings import Settings
from litecheck.verify.verify import verify


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
    :func:`litecheck.verify.verify.verify` raises, ConfigError for a journal that cannot be used, and KeyboardInterrupt
    with words for the user.
    """
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    content = about(model, device, settings)
    book: Journal | None = None
    notes: tuple[str, ...] = ()
    try:
        book = Journal(Path(journal) if journal else default_path(content), content, resume)
    except JournalHeldError:
        if journal or resume:
            raise
        notes = (
            "another run of the same verification was under way and kept the journal; this one kept none",
        )
    try:
        done = _verified(model, device, settings, book, progress)
    except BaseException as stop:
        if book is not None:
            book.close(remove=journal is None and book.empty)
            if isinstance(stop, KeyboardInterrupt):
                raise KeyboardInterrupt(_interrupted(book)) from stop
        raise
    if book is not None:
        book.close(remove=journal is None)
        if book.stale:
            told = "the device is another build than the journal's: nothing of it was taken, every case was run anew"
            notes = (told,)
    return replace(done, started=started, notes=(*done.notes, *notes))


def _interrupted(book: Journal) -> str:
    if not book.results:
        return "interrupted: no case was done yet"
    done = (
        "1 case is done, its result is"
        if book.results == 1
        else f"{book.results} cases are done, their results are"
    )
    return f"interrupted: {done} kept in {book.path}; the same command with --resume goes on from there"


def verify_model(
    model: Model, device: str | Device, *, limits: Limits | None = None, **settings: Any
) -> Verification:
    """Verify a model on a device, given open or by the text that ``--device`` takes; ``settings`` are Settings' fields.

    Nothing is journaled. A device given by its text is opened, within ``limits`` for each case, and closed again.
    Raises DeviceError where it cannot be opened, and what :func:`litecheck.verify.verify.verify` raises.
    """
    asked = Settings(**settings)
    opened = open_device(device, limits) if isinstance(device, str) else device
    try:
        return _verified(model, opened, asked)
    finally:
        if opened is not device:
            opened.close()


def _verified(
    model: Model,
    device: Device,
    settings: Settings,
    journal: Journal | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Every case, and drift where that is asked for."""
    done = verify(model, device, settings, journal=journal, progress=progress)
    if not settings.drift:
        return done
    subgraph = parts.entries(model, settings.signature)[0]
    inputs = sample_inputs(model, subgraph, settings.drawing)[0]
    arithmetic = load_arithmetic(settings.arithmetics[0])
    try:
        steps = drift(model, subgraph, inputs, device, arithmetic, done.verdicts, progress)
    except RunError as error:
        return replace(done, notes=(*done.notes, f"drift was not measured: {error}"))
    return replace(done, drift=steps)
