"""litecheck's own conversion as a child process, so that it is measured in the same way as foreign converters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from litecheck.conversion.calibration.prestart import prestart_child


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite, checked and written as in ``litecheck convert --no-agreement``."""
    target = samples.parent / "made.tflite"
    started = prestart_child(request["device"], compares=False)
    from litecheck.conversion.background_calibration import BackgroundCalibration
    from litecheck.conversion.session_setup import prepare_session
    from litecheck.conversion.settings import ConversionSettings
    from litecheck.conversion.source import load_source

    settings = ConversionSettings(
        to=request["to"],
        profile=request["profile"],
        data=(str(samples),),
        device=request["device"],
        agreement=False,
    )
    session = prepare_session(load_source(request["source"]), settings)
    calibrating = BackgroundCalibration(session, started=started)
    from litecheck.conversion.pipeline import carry_out

    record = carry_out(session, str(target), calibrating=calibrating)
    if not record.target:
        raise RuntimeError("the new model violates the profile, and is not written")
    return target.read_bytes()
