"""The public models of docs/models.md: the verdict each must get, and no false violation on any."""

from __future__ import annotations

import pytest

from litecheck import load_profile, validate_file
from litecheck.report import Report

pytestmark = pytest.mark.models

FC_NOTE = "FULLY_CONNECTED/weight/granularity"

#: file -> (exit code, operators with checked quantization, {finding: count}, {status: count} of operators
#: that neither conform nor violate, profiles of the check)
EXPECTED: dict[str, tuple[int, int, dict[str, int], dict[str, int], str]] = {
    "kws_ref_model": (0, 13, {FC_NOTE: 1}, {}, "litert-runtime"),
    "ad01_int8": (0, 10, {FC_NOTE: 10}, {}, "litert-runtime"),
    "pretrainedResnet_quant": (0, 16, {FC_NOTE: 1}, {}, "litert-runtime"),
    "tf2_mobilenet_v2_1.0_224_ptq": (0, 68, {"SOFTMAX/known_fault": 1}, {}, "litert-runtime"),
    "trained_lstm_int8": (0, 4, {FC_NOTE: 1}, {}, "litert-runtime"),
    "two_signatures_a8w8": (0, 2, {}, {}, "litert-runtime"),
    # A correct finding: LiteRT's kernel reads no scale from the 128 scales, and outputs 0 everywhere.
    "static_w8_a16_quantized_attn_vec_einsum": (
        1, 3, {"BATCH_MATMUL/rhs/granularity": 1}, {}, "litert-int16x8",
    ),
    "movenet_single_pose_lightning_ptq": (
        0, 138, {}, {"structure checked only": 6}, "litert-runtime litert-uint8 litert-structure",
    ),
    "posenet_mobilenet_v1_075_353_481_16_quant_decoder": (
        0, 37, {"CUSTOM/kernel": 1}, {"not covered": 1}, "litert-runtime",
    ),
    "partly_quantized_mnist": (
        0, 4, {}, {"structure checked only": 4}, "litert-runtime litert-hybrid litert-structure",
    ),
    "mobilenet_v1_0.25_128_quant": (0, 31, {"SOFTMAX/known_fault": 1}, {}, "litert-uint8"),
    "pretrainedResnet": (2, 0, {}, {"structure checked only": 16}, "litert-structure"),
    "qwen_fc_blockwise_quantized": (0, 1, {"FULLY_CONNECTED/known_fault": 1}, {}, "litert-hybrid"),
    "model_invoking_error": (2, 0, {"CUSTOM/kernel": 1}, {"not covered": 1}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict(models, name):
    exit_code, covered, findings, apart, profiles = EXPECTED[name]
    (report,) = validate_file(models / f"{name}.tflite")
    counts = {
        path: sum(f.path == path for f in report.findings) for path in {f.path for f in report.findings}
    }
    assert counts == findings
    assert report.covered == covered
    open_ = ("structure checked only", "not covered", "not applicable")
    assert {status: report.coverage[status] for status in open_ if report.coverage[status]} == apart
    assert " ".join(report.profiles) == profiles
    assert not report.problems
    assert Report("", (report,)).exit_code == exit_code


def test_every_model_of_the_folder_is_in_the_table(models):
    """The folder may contain further models; all models of the table must be present."""
    assert {path.stem for path in models.glob("*.tflite")} >= set(EXPECTED)


def test_an_empty_list_of_buffers_is_remarked_with_its_place(models):
    (report,) = validate_file(models / "model_invoking_error.tflite")
    assert "byte" in report.remarks[0]
    assert "empty buffer" in report.remarks[0]


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if e[0] == 0 and "litert-runtime" in e[4]])
def test_no_model_breaks_the_page_itself(models, name):
    """The specification alone covers fewer operators than the runtime profile, and no operator violates it."""
    (report,) = validate_file(models / f"{name}.tflite", [load_profile("litert-int8")])
    assert not [f for f in report.findings if f.level == "violation"]
    assert report.covered
