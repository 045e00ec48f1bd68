"""Distance of requantized weights from their earlier values."""

from __future__ import annotations

import numpy as np

from fixtures.models import uint8_model
from litecheck.conversion.convert_float import Request
from litecheck.conversion.retype_8bit import retype
from litecheck.conversion.weight_errors import weight_errors
from litecheck.model.stored_values import stored_integers


def test_every_channel_is_measured_in_steps_of_the_old_scale() -> None:
    old = uint8_model()
    conversion = retype(old, Request())
    (found,) = weight_errors(old, conversion)
    before = next(t for t in old.subgraphs[0].tensors if t.name == "weight")
    after = next(t for t in conversion.model.subgraphs[0].tensors if t.name == "weight")
    one, other = stored_integers(before), stored_integers(after)
    assert one is not None
    assert other is not None
    real = after.quantization.scale.astype(np.float64)[:, None] * other
    off = np.abs(real / before.quantization.scale.astype(np.float64) - (one.astype(np.float64) - 131))
    worst = int(off.max(axis=1).argmax())
    assert found.channels[0].channel == worst
    assert np.isclose(found.largest, off.max())
    assert np.isclose(found.rms, np.sqrt(np.square(off).mean()))
    assert np.isclose(found.channels[0].rms, np.sqrt(np.square(off[worst]).mean()))
    assert [one.largest for one in found.channels] == sorted(
        (c.largest for c in found.channels), reverse=True
    )
    assert 0 < found.largest < 0.6
