"""litecheck's own conversion as a child process, so that it is measured in the same way as foreign converters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litecheck.convert.calibration.ahead import started_ahead


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite, checked and written as in ``litecheck convert --no-agreement``."""
    target = samples.parent / "made.tflite"
    started = started_ahead(request["device"], compares=False)
    from litecheck.convert.calibrating import Calibrating
    from litecheck.convert.prepared import prepared
    from litecheck.convert.settings import ConversionSettings
    from litecheck.convert.source import load_source

    settings = ConversionSettings(
        to=request["to"],
        profile=request["profile"],
        data=(str(samples),),
        device=request["device"],
        agreement=False,
    )
    session = prepared(load_source(request["source"]), settings)
    calibrating = Calibrating(session, started=started)
    from litecheck.convert.session import carried_out

    record = carried_out(session, str(target), calibrating=calibrating)
    if not record.target:
        raise RuntimeError("what came out violates the profile, and is not written")
    return target.read_bytes()
