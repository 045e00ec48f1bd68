"""Effective bits of the members of same-quantization groups."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from fixtures.detector import float_detector
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.convert_float import Request, convert
from litecheck.conversion.plan_profiles import profile_of
from litecheck.conversion.shared_scales import effective_bits, shared_quantizations
from litecheck.model.types import Model
from litecheck.profile.load import load_profile

RANGES = {
    "image": (-1.0, 1.0),
    "features": (0.0, 4.0),
    "deeper": (0.0, 4.0),
    "pooled": (0.0, 1.0),
    "boxes": (-100.0, 155.0),
    "logits": (-3.0, 3.0),
    "scores": (0.0, 1.0),
    "detections": (-100.0, 155.0),
    "phase": (-1.0, 1.0),
}


def ranges(model: Model) -> dict[tuple[int, int], tuple[float, float]]:
    tensors = model.subgraphs[0].tensors
    return {(0, t.index): RANGES[t.name] for t in tensors if t.name in RANGES}


def form(scale: float, zero_point: int = 0) -> QuantParams:
    return QuantParams("int8", np.array([scale], np.float32), np.array([zero_point]))


@pytest.mark.parametrize(
    ("extent", "bits"),
    [((-64.0, 64.0), 7), ((0.0, 1.0), 0), ((0.0, 0.25), 0), ((0.0, 4.0), 2), ((-1e9, 1e9), log2(255))],
)
def test_bits_are_counted_in_steps_of_the_scale(extent: tuple[float, float], bits: float) -> None:
    assert effective_bits(extent, form(1.0)) == pytest.approx(bits)


def test_a_tensor_of_one_value_has_no_loss() -> None:
    assert effective_bits((3.0, 3.0), form(1.0)) is None


def test_the_range_of_a_form() -> None:
    assert form(0.5, -128).reach == (0.0, 127.5)


def test_scores_that_share_a_scale_with_boxes_lose_bits() -> None:
    model = float_detector()
    done = convert(model, Request(), ranges(model))
    (group,) = shared_quantizations(
        model, done.plan, profile_of(done.plan, load_profile("litert-runtime")), ranges(model)
    )
    assert group.scale == 1.0
    assert [member.name for member in group.members] == ["scores", "boxes", "detections"]
    worst = group.members[0]
    assert (worst.bits, worst.low_resolution) == (0.0, True)
    assert not any(member.low_resolution for member in group.members[1:])
    (joint,) = worst.joints
    assert (joint.opcode, joint.operator, joint.leaves) == ("CONCATENATION", 6, True)
    assert joint.path == "CONCATENATION/same_quantization"
    assert joint.demand.startswith("rules/litert-int8.yaml:")


def test_float_operators_share_no_quantization() -> None:
    model = float_detector()
    done = convert(model, Request(keep=("CONCATENATION",)), ranges(model))
    assert (
        shared_quantizations(
            model, done.plan, profile_of(done.plan, load_profile("litert-runtime")), ranges(model)
        )
        == ()
    )


def test_members_of_unknown_range_are_left_out() -> None:
    model = float_detector()
    done = convert(model, Request(), ranges(model))
    assert (
        shared_quantizations(model, done.plan, profile_of(done.plan, load_profile("litert-runtime")), {})
        == ()
    )
