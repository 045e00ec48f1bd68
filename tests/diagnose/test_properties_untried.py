"""What a diagnosis says that it did not try."""

from __future__ import annotations

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Failure, Job
from litecheck.diagnose.diagnose import diagnose
from litecheck.diagnose.probe_sets import prepared
from litecheck.diagnose.properties import general, properties, tried, untried
from litecheck.diagnose.result import Untested
from litecheck.rendering.wording.probed import probed_values, untested_sentence
from tests.verify.inprocess import InProcess
from tests.verify.planted import of


def test_what_no_probe_had_is_said() -> None:
    like = [
        {"different strides": False, "activation": "RELU", "batch": 1, "channels": 8},
        {"different strides": False, "activation": "NONE", "batch": 1, "channels": 4099},
    ]
    assert tuple(map(untested_sentence, untried("CONV_2D", ["int8", "int16"], like))) == (
        "types other than int16 and int8: float32, uint8",
        "different strides",
        "activation RELU6 and RELU_N1_TO_1",
        "others than batch 1",
        "more than channels 4,099",
    )
    assert tuple((had.property, probed_values(had)) for had in tried(like)) == (
        ("different strides", "0 of 2 probes"),
        ("activation", "NONE, RELU"),
        ("batch", "1"),
        ("channels", "8 to 4,099"),
    )


def test_designed_probes_had_what_devices_get_wrong() -> None:
    """Of each of these nothing was tried before."""
    (ordinary, _) = of(InProcess(), "CONV_2D").operators
    had = {one.property: one for one in ordinary.tried}
    for peculiarity in ("different strides", "different dilations", "a window that is not square"):
        assert had[peculiarity].having
    assert had["batch"].most == 3
    assert (had["output elements"].most or 0) > 1 << 16
    missing = {name for one in ordinary.untried if one.kind == "peculiarity" for name in one.names}
    assert not {"different strides", "different dilations", "dilation"} & missing
    assert {"weights given at run time", "no bias"} <= missing


def test_sums_that_count_reach_beyond_32_channels_and_256_products() -> None:
    for group in prepared(
        (), ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"], repeats=0
    ):
        like = [properties(probe) for probe in group.probes]
        fed = [one for one in like if one["inputs beside their zero points"]]
        assert max(int(one["channels of the output"]) for one in fed) > 33
        assert max(int(one["products in a sum"]) for one in fed) > 256


def test_what_is_not_answered_was_not_tried() -> None:
    def instead(job: Job) -> Failure | None:
        options = job.model.subgraphs[0].operators[0].options
        different = options is not None and options.get("stride_h") != options.get("stride_w")
        return Failure(Outcome.REFUSED, "no such strides") if different else None

    (ordinary, _) = of(InProcess(instead=instead), "CONV_2D").operators
    assert len(ordinary.unanswered) == 3
    assert Untested("peculiarity", ("different strides",)) in ordinary.untried
    assert ordinary.conclusion == "named"


@pytest.mark.parametrize(
    ("repeats", "said"), [(600, "fewer than 1 of 200 inferences"), (0, "again and again")]
)
def test_how_often_inputs_come_again_is_said(repeats: int, said: str) -> None:
    assert any(said in untested_sentence(one) for one in general(repeats))
    found = diagnose(InProcess(), prepared((), ["RELU"], repeats=repeats and 9))
    assert any(("1 of 3 " if repeats else said) in untested_sentence(one) for one in found.untried)
