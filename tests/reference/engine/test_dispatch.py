"""Which kernel computes an operator, and what comes of operands that none has."""

from __future__ import annotations

from contextlib import suppress

import pytest

from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.suite_cases import planned
from litecheck.suite.suite_writer import zeros


@pytest.mark.parametrize("opcode", ["CONV_2D", "PADV2", "BATCH_TO_SPACE_ND", "RIGHT_SHIFT", "SVDF"])
def test_operands_of_a_type_that_kernels_do_not_have_are_told(opcode: str) -> None:
    """A float64 bias, float crops: an error with the operator's name, as of all that does not fit, or a result."""
    profile = load_profile("litert-runtime")
    tried = 0
    for case in planned(profile, "smoke", (opcode,), 0):
        if isinstance(case, SuiteCase) and case.broken.endswith("/dtype") and (inputs := zeros(case.model)):
            tried += 1
            with suppress(RunError):
                ReferenceInterpreter(case.model).run(case.model.subgraphs[0], inputs[0])
    assert tried
