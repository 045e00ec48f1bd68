"""Faults of the test delegate at certain extents only: detected, and distinguished from the correct extents."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.comparison.wording import gathering_sentence
from litecheck.devices.registry import open_device
from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import prepare_probes
from litecheck.diagnosis.result import OperatorDiagnosis
from litecheck.rendering.wording.contrasts import contrast_sentences
from tests.delegate.build import delegate, device  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

_STRIDES = "all that fail have different strides; none that passes has"
_CHANNELS = (
    "all that fail have inputs beside their zero points and channels of the output of 33 or more (next is 32); "
    "none that passes has both"
)
#: Planted fault and operator -> property of failing probes only, and location of the differences.
TOLD = {
    ("swapped-strides", "CONV_2D"): (_STRIDES, ""),
    ("swapped-strides", "DEPTHWISE_CONV_2D"): (_STRIDES, ""),
    ("swapped-strides", "AVERAGE_POOL_2D"): (_STRIDES, ""),
    ("weights-31-for-32", "CONV_2D"): (_CHANNELS, "lie in channel 32"),
    ("weights-31-for-32", "FULLY_CONNECTED"): (_CHANNELS, "lie in channel 32"),
    ("offset-16", "CONV_2D"): (
        "all that fail have output elements of 66,560 or more (next is 65,536); none that passes has", "",
    ),
    ("offset-16", "MEAN"): (
        "all that fail have output elements of 65,537 or more (next is 65,536); none that passes has", "",
    ),
}  # fmt: skip


def first(library: Path, opcode: str, **options: str) -> OperatorDiagnosis:
    opened = open_device(device(library, ops=opcode, **options))
    try:
        return diagnose(opened, prepare_probes((), [opcode], repeats=12)).operators[0]
    finally:
        opened.close()


@pytest.mark.parametrize(("fault", "opcode"), TOLD)
def test_a_fault_of_extents_has_its_distinguishing_property(fault: str, opcode: str, delegate: Path) -> None:  # noqa: F811
    told, gathered = TOLD[fault, opcode]
    found = first(delegate, opcode, fault=fault)
    assert found.conclusion == "unknown"
    assert found.nearest is not None
    assert "litert-reference" in found.nearest.example.way.published
    assert found.contrast is not None
    assert told in tuple(contrast_sentences(found.contrast))
    assert any(gathered in gathering_sentence(p) for p in found.contrast.patterns) or not gathered
    assert len(found.contrast.failing) < len(found.contrast.passing)


def test_dilation_ignored_in_one_direction_is_distinguished(delegate: Path) -> None:  # noqa: F811
    """The nearest variant ignores both dilations; the contrast is computed for the variant without a defect."""
    found = first(delegate, "CONV_2D", fault="dilation-w")
    assert found.contrast is not None
    told = "all that fail have horizontal dilation of 2 or more (next is 1); none that passes has"
    assert told in tuple(contrast_sentences(found.contrast))


@pytest.mark.parametrize("opcode", sorted({opcode for _, opcode in TOLD}))
def test_without_a_fault_the_same_probes_name_the_reference(opcode: str, delegate: Path) -> None:  # noqa: F811
    found = first(delegate, opcode)
    assert found.conclusion == "identified"
    assert "litert-reference" in found.fits[0].published
    assert found.contrast is None
