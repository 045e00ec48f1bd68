"""Missing kernels explain rejections by tflm, and no outcome of another device."""

from __future__ import annotations

import pytest

from litecheck.comparison.missing_kernels import missing_kernel
from litecheck.devices.outcome import Outcome
from tests.comparison.test_errata import unary

REFUSED = Outcome.REFUSED


@pytest.mark.parametrize(
    ("opcode", "dtype", "path"),
    [("LOGISTIC", "uint8", "LOGISTIC/types"), ("HARD_SWISH", "int16", "HARD_SWISH/input/dtype")],
)
def test_the_requirement_and_the_command_are_named_for_tflm_alone(opcode: str, dtype: str, path: str) -> None:
    model = unary(opcode, dtype)
    told = missing_kernel("tflm,arena=100000", model, REFUSED)
    assert path in told
    assert "litecheck validate --profile tflm" in told
    assert [missing_kernel(name, model, REFUSED) for name in ("litert:reference", "my-tflm")] == ["", ""]


def test_only_a_rejection_of_a_type_without_a_kernel_is_explained() -> None:
    assert missing_kernel("tflm", unary("LOGISTIC"), REFUSED) == ""
    told = {outcome: missing_kernel("tflm", unary("LOGISTIC", "uint8"), outcome) for outcome in Outcome}
    assert [outcome for outcome, reason in told.items() if reason] == [REFUSED]
