"""No known mistake survives a suite: a few operators here, all of them by ``litecheck suite make`` and ``prove``."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.suite.make import Scope, make
from litecheck.suite.manifest import read_suite
from litecheck.suite.prove import prove


@pytest.mark.parametrize("opcode", ["LOGISTIC", "TANH", "SOFTMAX", "AVERAGE_POOL_2D"])
def test_nothing_survives_at_standard(opcode: str, tmp_path: Path) -> None:
    make(Scope("litert-int8", select=(f"{opcode}/int8/[!r]*",), flags=False), tmp_path / "suite")
    table = prove(read_suite(tmp_path / "suite"))
    assert table.counted
    assert [row.mistake for row in table.survivors()] == []
