"""Models that LiteRT accepts silently, rejects or crashes on: exactly the intended finding, and none on the
valid model."""

from __future__ import annotations

import pytest

from litecheck.checks.validate import validate
from tests.differential.silent_faults import SilentFault, faults

FAULTS = {fault.name: fault for fault in faults()}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_a_silent_fault_is_a_violation(fault: SilentFault) -> None:
    good = [f.path for f in validate(fault.good).findings]
    opcodes = tuple(path.split("/")[0] for path in fault.paths)  # the called subgraph may contain the fault
    found = [f for f in validate(fault.bad).findings if f.path not in good and f.path.startswith(opcodes)]
    assert sorted(f.path for f in found) == sorted(fault.paths), [f"{f.path}: {f.found}" for f in found]
    assert "violation" in {f.level for f in found}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_the_valid_model_conforms(fault: SilentFault) -> None:
    assert [f.path for f in validate(fault.good).findings if f.level != "note"] == []


def test_no_two_faults_have_one_name() -> None:
    assert len(FAULTS) == len(list(faults()))
