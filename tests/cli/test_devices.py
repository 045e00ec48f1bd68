"""litecheck devices."""

from __future__ import annotations

import json
from collections.abc import Callable

from typer.testing import Result

from litecheck.devices.registry import known_devices

Run = Callable[..., Result]


def test_every_kind_of_device_is_listed(run: Run) -> None:
    text = run("devices").stdout
    rows = json.loads(run("devices", "-f", "json").stdout)["devices"]
    for kind in known_devices():
        assert any(row["device"].startswith(kind) and row["summary"] for row in rows), kind
    assert all(row["device"] in text and row["summary"] in text for row in rows)
