"""litecheck's own conversion as a child process, so that it is measured in the same way as foreign converters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litecheck.conversion.calibration.prestart import prestart_child
from litecheck.processes.garbage_collection import search_cycles_rarely

if TYPE_CHECKING:  # the child starts before these modules are imported
    from litecheck.conversion.calibration.dataset import CalibrationData
    from litecheck.conversion.calibration.samples import Chain
    from litecheck.model.types import Model


def to_integers(request: Mapping[str, Any], samples: Path) -> bytes:
    """Return the int8 or int16x8 .tflite, checked and written as in ``litecheck convert --no-agreement``."""
    search_cycles_rarely()
    target = samples.parent / "made.tflite"
    started = prestart_child(request["device"], compares=False)
    from litecheck.conversion.background_calibration import BackgroundCalibration
    from litecheck.conversion.session_setup import prepare_session
    from litecheck.conversion.settings import ConversionSettings
    from litecheck.conversion.source import load_source

    model = load_source(request["source"])
    settings = ConversionSettings(
        to=request["to"],
        profile=request["profile"],
        data=(
            _read_sequences(samples, model, request["sequences"]) if request["sequences"] else str(samples),
        ),
        device=request["device"],
        agreement=False,
    )
    session = prepare_session(model, settings)
    calibrating = BackgroundCalibration(session, started=started)
    from litecheck.conversion.pipeline import carry_out

    record = carry_out(session, str(target), calibrating=calibrating)
    if not record.target:
        raise RuntimeError("the new model violates the profile, and is not written")
    return target.read_bytes()


def _read_sequences(samples: Path, model: Model, lengths: Sequence[int]) -> CalibrationData:
    """Return the samples of a file in sequences of the given lengths."""
    from litecheck.conversion.calibration.calibration_data import open_data
    from litecheck.conversion.calibration.dataset import CalibrationData

    data = open_data(samples, model)

    def chains() -> Iterator[Chain]:
        single = (sample for chain in data for sample in chain)
        yield from (tuple(islice(single, length)) for length in lengths)

    return CalibrationData(chains, data.description, len(lengths), data.warnings)
