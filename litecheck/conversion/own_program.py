"""litecheck's own conversion as a child process, so that it is measured in the same way as foreign converters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litecheck.conversion.calibration.prestart import prestarted


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite, checked and written as in ``litecheck convert --no-agreement``."""
    target = samples.parent / "made.tflite"
    started = prestarted(request["device"], compares=False)
    from litecheck.conversion.calibrating import Calibrating
    from litecheck.conversion.prepared import prepared
    from litecheck.conversion.settings import ConversionSettings
    from litecheck.conversion.source import load_source

    settings = ConversionSettings(
        to=request["to"],
        profile=request["profile"],
        data=(str(samples),),
        device=request["device"],
        agreement=False,
    )
    session = prepared(load_source(request["source"]), settings)
    calibrating = Calibrating(session, started=started)
    from litecheck.conversion.pipeline import carried_out

    record = carried_out(session, str(target), calibrating=calibrating)
    if not record.target:
        raise RuntimeError("the new model violates the profile, and is not written")
    return target.read_bytes()
