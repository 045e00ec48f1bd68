"""Custom operators: the compiler that wrote them, and kernels of a runtime."""

from __future__ import annotations

import pytest

from litecheck.profile.custom_operators import compiler_of, has_kernel, kernels_line


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("ethos-u", "Arm Ethos-U"), ("edgetpu-custom-op", "Edge TPU"), ("NeutronGraph", "NXP eIQ Neutron"),
        ("XC_conv2d_v2", "XMOS xcore"), ("DISPATCH_OP", "an NPU"),
    ],
)  # fmt: skip
def test_a_compiler_is_known_by_its_operator(name: str, target: str) -> None:
    found = compiler_of(name)
    assert found is not None
    assert found.target == target


@pytest.mark.parametrize("name", ["TFLite_Detection_PostProcess", "ethos", "FlexErf", ""])
def test_operators_of_a_model_have_no_compiler(name: str) -> None:
    assert compiler_of(name) is None


def test_kernels_are_of_a_runtime() -> None:
    assert has_kernel("litert", "Mfcc")
    assert not has_kernel("tflm", "Mfcc")
    assert has_kernel("tflm", "SignalRfft")
    assert not has_kernel("litert", "SignalRfft")
    assert kernels_line("litert") < kernels_line("tflm")
