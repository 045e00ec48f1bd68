"""The list of devices names missing packages."""

from __future__ import annotations

import pytest

from litecheck.devices import listing
from litecheck.devices.listing import listed_devices


def test_a_missing_package_gives_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "find_spec", lambda module: None if module == "tflite_micro" else object())
    missing = {device.usage: device.missing_extra for device in listed_devices()}
    assert missing["tflm[,arena=BYTES]"] == "tflm"
    assert missing["recorded:DIR"] == ""
    assert missing["litert:reference|optimized|xnnpack[,threads=N]"] == ""


def test_every_device_of_litecheck_has_a_usage_and_a_summary() -> None:
    from litecheck.devices.device_kinds import kinds

    for kind in kinds().values():
        assert kind.usage.startswith(kind.name), kind.name
        assert kind.summary, kind.name
