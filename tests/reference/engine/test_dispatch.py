"""Selection of the kernel that computes an operator, and errors for tensors without a kernel."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import qparams
from litecheck.profile.load import load_profile
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import bind
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.suite_cases import plan_cases
from litecheck.suite.suite_writer import zeros


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_an_operator_is_bound_by_the_type_of_its_first_input_that_is_not_constant(kind: str) -> None:
    stages = {"ADD": {"requantize": "single"}, "ADD/int16": {"requantize": "floor"}}
    arithmetic = Arithmetic("own", "", "", "", stages, {})
    given, known = (
        run_time("input", (2,), kind, qparams(0.5, 0)),
        constant("known", np.zeros(2, np.int8), qparams(0.5, 0)),
    )
    for inputs in ([given, given], [known, given]):
        model = one_operator("ADD", inputs, [run_time("output", (2,), kind, qparams(0.5, 0))], {})
        main = model.subgraphs[0]
        bound = bind(main, main.operators[0], arithmetic)
        assert bound.variants["requantize"] == {"int8": "single", "int16": "floor"}[kind]


@pytest.mark.parametrize("opcode", ["CONV_2D", "PADV2", "BATCH_TO_SPACE_ND", "RIGHT_SHIFT", "SVDF"])
def test_types_without_a_kernel_are_errors_with_the_operator(opcode: str) -> None:
    """A float64 bias or float crops give an output or an error with the operator's name, as every invalid tensor does."""
    profile = load_profile("litert-runtime")
    combinations = 0
    for case in plan_cases(profile, "smoke", (opcode,), 0):
        if isinstance(case, SuiteCase) and case.broken.endswith("/dtype") and (inputs := zeros(case.model)):
            combinations += 1
            with suppress(RunError):
                ReferenceInterpreter(case.model).run(case.model.subgraphs[0], inputs[0])
    assert combinations
