"""What a target's own compiler made of a model, beside what was said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.checks.validate import validate
from litecheck.devices.compiled import compiled
from litecheck.devices.port import DeviceError
from litecheck.devices.vela import Compilation, placed_otherwise
from litecheck.profile.load import load_profile
from tests.devices.test_vela import half_and_half, model


@pytest.mark.parametrize(
    ("said", "fates", "otherwise"),
    [
        (["npu", "cpu"], ("gone", "cpu"), {}),
        (["npu", "cpu"], ("npu", "npu"), {1: "npu"}),
        (["npu", "refused"], ("refused", "refused"), {}),
        (["npu", "crashes"], ("refused", "refused"), {0: "refused", 1: "refused"}),
        (["npu", "cpu"], ("crash", "crash"), {0: "crashes", 1: "crashes"}),
    ],
)
def test_a_compiler_places_operators_otherwise(said, fates, otherwise) -> None:
    assert placed_otherwise(said, Compilation(fates)) == otherwise


def test_the_compiler_is_asked() -> None:
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    made = half_and_half()
    report = validate(made, [load_profile("ethos-u55")])
    (target,) = compiled(made, report).targets
    assert target.compiler is not None
    assert not target.compiler.otherwise
    assert target.compiler.partitions == target.partitions
    (told,) = report.targets
    wrong = replace(told, operators=tuple(replace(op, place="npu") for op in told.operators))
    (target,) = compiled(made, replace(report, targets=(wrong,))).targets
    assert target.compiler is not None
    assert [op.opcode for op in target.compiler.otherwise] == ["SQRT", "SQRT"]


def test_a_target_without_a_compiler_says_so() -> None:
    made = model("TANH")
    report = validate(made, [load_profile("artpec-9")])
    with pytest.raises(DeviceError, match="no compiler can be asked of artpec-9; one is known of ethos-u55"):
        compiled(made, report)
