"""Faults planted in a real delegate: verify detects each, and names the defect or the distinguishing property."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.comparison.wording import element_sentence, gathering_sentence
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.rendering.wording.separations import separation_sentence
from litecheck.verification.device_run import verify
from litecheck.verification.result import Verification
from litecheck.verification.settings import Settings
from tests.delegate.build import delegate, device  # noqa: F401 - a fixture
from tests.delegate.specimens import specimen

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

DEEP, SHALLOW = (288, 320, 512), (64, 100, 128, 200)


def verified(library: Path, fault: str, model: Model, *kinds: str) -> Verification:
    opened = open_device(device(library, fault=fault), Limits())
    try:
        return verify(model, opened, Settings(kinds=kinds or ("propagated", "random")))
    finally:
        opened.close()


def rows(*layers: tuple[int, int]) -> Model:
    """Return a FULLY_CONNECTED for each (depth, zero point of its input)."""
    random = np.random.default_rng(3)
    builder = ModelBuilder("rows")
    graph = builder.subgraph("main")
    inputs, outputs = [], []
    for number, (depth, zero) in enumerate(layers):
        x = graph.tensor(f"x{number}", (32, depth), "int8", qparams(1 / 16, zero))
        weights = random.integers(-127, 128, (6, depth)).astype(np.int8)
        weights[0, 0] = 127  # the largest magnitude is the same in all
        w = graph.constant(f"w{number}", weights, qparams(0.01))
        biases = np.arange(-300, 300, 100, np.int32)
        bias = graph.constant(f"b{number}", biases, qparams(0.01 / 16))
        y = graph.tensor(f"y{number}", (32, 6), "int8", qparams(2.0, 3))
        graph.add("FULLY_CONNECTED", [x, w, bias], [y], version=4)
        inputs.append(x)
        outputs.append(y)
    graph.inputs(*inputs)
    graph.outputs(*outputs)
    return builder.finish()


#: Fault -> the defect that it is called.
NAMED = {
    "float16-sums": "accumulator-float16",
    "neighbour-bias": "neighbour-bias",
    "bias-16-wraps": "bias-16-wraps",
    "swapped-scales": "swapped-weight-scales",
}


@pytest.mark.parametrize("fault", NAMED)
def test_a_fault_is_called_by_its_name(delegate: Path, fault: str) -> None:  # noqa: F811
    (verdict,) = verified(delegate, fault, specimen("FULLY_CONNECTED")).verdicts
    assert verdict.outcome is Outcome.MISMATCH
    assert [cause.names for cause in verdict.causes] == [(f"defect: {NAMED[fault]}",)]
    assert (verdict.causes[0].explained, verdict.causes[0].left) == (verdict.mismatches, 0)
    (output,) = verdict.differences
    assert output.explained is not None
    shown = output.explained.spot or output.worst
    assert shown is not None
    assert f"defect: {NAMED[fault]}" in {
        c.name for c in output.explained.candidates if c.value == shown.actual
    }
    assert not abs(shown.actual) >= 127  # at a limit, no value would be excluded
    hunted = " needs an accumulator of " in element_sentence(output.explained)
    assert hunted == (output.explained.limit is None)


def test_a_narrow_accumulator_is_distinguished_by_the_depth(delegate: Path) -> None:  # noqa: F811
    layers = [(depth, 5) for depth in (SHALLOW[0], DEEP[0], *SHALLOW[1:], *DEEP[1:])]
    report = verified(delegate, "accumulator-16-deep", rows(*layers), "propagated")
    wrong = [layers[v.operators[0]][0] for v in report.verdicts if v.outcome is Outcome.MISMATCH]
    assert wrong == list(DEEP)
    assert {v.outcome for v in report.verdicts} == {Outcome.EXACT, Outcome.MISMATCH}
    named = {names for v in report.verdicts for cause in v.causes for names in cause.names}
    assert {"defect: accumulator-16", "defect: accumulator-16-deep"} <= named
    assert separation_sentence(report.across[0]) == (
        "all 3 that fail have accumulation depth above 256 (288 to 512), none of the 4 operators that pass has: at most 200 "
        "(of so few operators this may be chance)"
    )


def test_a_negated_zero_point_in_8_bits_is_distinguished_by_the_zero_point(delegate: Path) -> None:  # noqa: F811
    layers = [(40, zero) for zero in (-128, 3, -127, -128, 0, 127, -128)]
    report = verified(delegate, "zero-point-int8", rows(*layers), "propagated")
    wrong = [v for v in report.verdicts if v.outcome is Outcome.MISMATCH]
    assert [v.operators[0] for v in wrong] == [0, 3, 6]
    assert all(("defect: int8-input-zero-point",) in [c.names for c in v.causes] for v in wrong)
    assert tuple(map(separation_sentence, report.across)) == (
        "all 3 that fail have input zero point below -127 (-128), none of the 4 operators that pass has: at least -127 "
        "(of so few operators this may be chance)",
    )


@pytest.mark.parametrize("opcode", ["CONV_2D", "FULLY_CONNECTED"])
def test_a_rounding_and_a_wrong_channel_are_both_named(delegate: Path, opcode: str) -> None:  # noqa: F811
    (verdict,) = verified(delegate, "single-and-channel", specimen(opcode)).verdicts
    (cause,) = verdict.causes
    assert {"single-rounding", "requantize: single"} <= {*cause.names, *cause.alike}
    assert cause.explained > 20
    assert cause.left
    assert gathering_sentence(cause.patterns[0]).startswith(
        f"all {cause.left:,} differences lie in channel 5 of "
    )


def test_without_a_fault_no_cause_is_named(delegate: Path) -> None:  # noqa: F811
    report = verified(delegate, "none", rows(*((depth, -128) for depth in (*SHALLOW, *DEEP))), "propagated")
    assert {v.outcome for v in report.verdicts} == {Outcome.EXACT}
    assert not report.across
    assert not any(v.causes for v in report.verdicts)
