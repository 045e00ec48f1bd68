"""The report of a target's compiler on a model, compared with the predicted placement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.checks.compilation import compilers_of, with_compiler_reports
from litecheck.checks.validate import validate
from litecheck.devices.port import DeviceError
from litecheck.errors import ConfigError
from litecheck.placement import TargetReport
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.compiler.compiler_report import compile_for_target
from litecheck.targets.ethos_u.compiler.vela import Compilation, placement_differences
from tests.targets.ethos_u.compiler.test_vela import half_and_half, model


@pytest.mark.parametrize(
    ("message", "fates", "otherwise"),
    [
        (["npu", "cpu"], ("optimized out", "cpu"), {}),
        (["npu", "cpu"], ("npu", "npu"), {1: "npu"}),
        (["npu", "refused"], ("refused", "refused"), {}),
        (["npu", "crashes"], ("refused", "refused"), {0: "refused", 1: "refused"}),
        (["npu", "cpu"], ("crash", "crash"), {0: "crashes", 1: "crashes"}),
    ],
)
def test_differences_between_compiler_and_prediction(message, fates, otherwise) -> None:
    assert placement_differences(message, Compilation(fates)) == otherwise


def test_the_compiler_runs_for_targets_with_a_compiler() -> None:
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    made = half_and_half()
    profile = load_profile("ethos-u55")
    report = validate(made, [profile])
    compilers = compilers_of([profile])
    (target,) = with_compiler_reports(compilers, made, report).targets
    assert target.compiler is not None
    assert not target.compiler.otherwise
    assert target.compiler.partitions == target.partitions
    (told,) = report.targets
    wrong = replace(told, operators=tuple(replace(op, place="npu") for op in told.operators))
    wrong_report = replace(report, targets=(wrong,))
    (target,) = with_compiler_reports(compilers, made, wrong_report).targets
    assert target.compiler is not None
    assert [op.opcode for op in target.compiler.otherwise] == ["SQRT", "SQRT"]


def test_a_target_without_a_compiler_is_an_error() -> None:
    with pytest.raises(ConfigError, match="--compile: no compiler is known for artpec-9"):
        compilers_of([load_profile("artpec-9"), load_profile("ethos-u55")])


def test_a_profile_of_another_name_has_no_accelerator() -> None:
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    report = TargetReport("acme-u55", (), 0, 0)
    with pytest.raises(DeviceError, match="Vela does not compile for acme-u55; available: ethos-u55"):
        compile_for_target(model("TANH"), report)
