"""A quantized dimension beyond the rank has a single finding, for the runtimes that reject it."""

from __future__ import annotations

import pytest

from litecheck.checks.validate import validate
from litecheck.profile.load import load_profile
from tests.checks.person_detect import DEPTHWISE, person_detect


@pytest.mark.parametrize("profile", ["litert-runtime", "litert-int8"])
def test_every_such_bias_is_found_once(profile):
    findings = validate(person_detect(), [load_profile(profile)]).findings
    assert [f.path for f in findings] == ["DEPTHWISE_CONV_2D/bias/granularity"] * DEPTHWISE
    assert {f.level for f in findings} == {"violation"}
    assert {f.found for f in findings} == {"its quantized dimension is 3 and its shape is [8]"}
    assert {f.required for f in findings} == {"a quantized dimension in 0..0"}


def test_litert_fails_to_load_the_model():
    finding = validate(person_detect(), [load_profile("litert-runtime")]).findings[0]
    assert finding.effect == "fails to load"
    assert finding.because == ("LiteRT fails to load mismatched counts of scales, zero points and channels")


def test_tflm_does_not_read_the_quantized_dimension():
    report = validate(person_detect(), [load_profile("tflm")])
    assert report.findings == ()
    assert {o.status for o in report.operators} == {"conforms"}


@pytest.mark.parametrize("profile", ["litert-runtime", "litert-int8", "tflm"])
def test_along_the_dimension_it_has_it_conforms(profile):
    assert validate(person_detect(0), [load_profile(profile)]).findings == ()
