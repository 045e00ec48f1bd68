"""``recorded:DIR``: outputs that were dumped earlier."""

from __future__ import annotations

from litecheck.devices.kinds import DeviceKind
from litecheck.devices.port import Spec
from litecheck.devices.replay import Recorded


def _opened(spec: Spec) -> Recorded:
    return Recorded(spec.text, spec.argument)


KIND = DeviceKind("recorded", opened=_opened, whole=True)
