from __future__ import annotations

from litecheck.rendering.validation.grouping import blocks, sort_findings, waived_counts
from litecheck.rendering.validation.rows import finding_identities


def test_the_gravest_come_first_then_the_requirement(make_finding):
    note = make_finding("ADD/operands", "note")
    warning = make_finding("ADD/operands", "warning")
    late, early = make_finding("CONV_2D/x/scale"), make_finding("ADD/x/scale")
    assert sort_findings([note, late, warning, early]) == (early, late, warning, note)


def test_equal_findings_become_a_case(sample):
    block = blocks(sample.models[0].active)[-1]
    assert block.path == "FULLY_CONNECTED/weight/granularity"
    assert block.extent == "12 operators"
    (case,) = block.cases
    assert [f.where.operator for f in case.findings] == list(range(5, 17))


def test_tensors_without_an_operator_count_as_tensors(sample):
    extents = {b.path: b.extent for b in blocks(sample.models[0].active)}
    assert extents["TENSOR/tensor/granularity"] == "2 tensors"
    assert extents["ADD/operands"] == ""


def test_different_observations_of_one_requirement_share_a_block(sample):
    block = next(b for b in blocks(sample.models[0].active) if b.path == "CONV_2D/weight/zero_point")
    assert [case.found for case in block.cases] == ["zero point 3 at channel 17", "zero point 5 at channel 0"]


def test_waived_findings_are_counted_by_waiver_and_reason(sample):
    told = [(w.by, path, n) for w, path, n in waived_counts(sample.models[0])]
    assert told == [
        ("acme-npu2", "MAX_POOL_2D/same_quantization", 1),
        ("baseline.json", "CONV_2D/weight/granularity", 1),
    ]


def test_identities_are_unique_where_fingerprints_repeat(sample):
    hostile = sample.models[1]
    assert len({f.fingerprint for f in hostile.findings}) < len(hostile.findings)
    identities = [identity for m in sample.models for _, identity in finding_identities(m)]
    assert len(set(identities)) == len(identities) > 0
