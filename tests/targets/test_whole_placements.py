"""Placements of whole models on every target: operators, partitions, peak memory and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litecheck.model.load import load_model
from litecheck.profile.load import load_profile, profile_names
from litecheck.target_kinds import import_attribute, target_kind

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TARGETS = [name for name in profile_names() if load_profile(name).judges == "placement"]
FILES = (
    "conv_int8", "fc_int8", "int16x8", "uint8", "convert/attention_int8", "convert/branches_int8",
    "convert/comparison_int8", "convert/detection_int8", "convert/gather_select_int8", "convert/lstm_fused_int8",
    "convert/lstm_unrolled_int8", "convert/mixed_concat_int8", "convert/ranges_int16x8", "convert/residual_int8",
    "convert/separable_int8", "convert/streaming_int8", "convert/transpose_conv_int8",
)  # fmt: skip


def lines(target: str) -> Iterator[str]:
    """Yield the placement of each model."""
    profile = load_profile(target)
    place = import_attribute(target_kind(profile.target).place)
    for name in FILES:
        report, findings = place(load_model(FIXTURES / f"{name}.tflite"), profile)
        yield f"{name}: {report.partitions} partitions, peak {report.live}"
        for one in report.operators:
            facts = (one.opcode, one.place, one.partition, one.macs, one.unverified)
            yield f"  {one.subgraph}:{one.index} {' '.join(map(str, facts))}".rstrip()
        for finding in findings:
            said = f"{finding.found} | {finding.required} | {finding.effect}"
            yield f"  {finding.level} {finding.path} {finding.where.operator}: {said}"


@pytest.mark.parametrize("target", TARGETS)
def test_whole_placements(target: str, golden: Callable[[str, str], None]) -> None:
    golden(f"placement.{target}.txt", "".join(f"{line}\n" for line in lines(target)))
