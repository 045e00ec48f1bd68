"""When and where a device was diagnosed."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

from litecheck.diagnose.result import Diagnosis


def stamped(diagnosis: Diagnosis, build: str = "", untested: Sequence[str] = ()) -> Diagnosis:
    """The diagnosis with this machine, this hour, what is said of the device's version, and what of models was left
    out."""
    host = (
        f"{platform.system()} {platform.release()}, {platform.machine()}, Python {platform.python_version()}"
    )
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return replace(
        diagnosis, build=build, host=host, started=started, untried=(*untested, *diagnosis.untried)
    )
