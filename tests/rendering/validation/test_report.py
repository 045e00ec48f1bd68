"""Words of all formats, from litecheck/report.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.finding import Where
from litecheck.report import ModelReport, Report
from litecheck.summary_text import count_of, counts_text, coverage_text


def test_counted():
    assert count_of(1, "operator") == "1 operator"
    assert count_of(0, "operator") == "0 operators"
    assert count_of(12_000, "entry", "entries") == "12,000 entries"


def test_coverage_has_the_occurring_statuses_and_the_sum(sample):
    told = coverage_text(sample.models[0].coverage)
    assert told == (
        "13 conform, 4 violate, 1 waived, 1 structure checked only, 3 not covered, 1 not applicable of 23 operators"
    )
    one = {"conforms": 1, "violates": 0, "waived": 0, "not covered": 0}
    assert coverage_text(one) == "1 conforms, 0 violate, 0 waived, 0 not covered of 1 operator"


def test_counts_omit_zeros(sample, good):
    assert counts_text(sample.models[0].counts) == "6 violations, 1 warning, 12 notes, 2 waived"
    assert counts_text(good.counts) == "no findings"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (54_321, "54.3 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (3_000_000_000, "3.0 GB"),
        (5_000_000_000_000, "5,000.0 GB"),
    ],
)
def test_sizes(size, words):
    assert ModelReport("m", "", size).size_text == words


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("CONV_2D/weight/zero_point", "CONV_2D weight: zero point"),
        ("ADD/same_quantization", "ADD: same quantization"),
        ("CONV_2D/limits/dilated_kernel_h", "CONV_2D: limit on dilated_kernel_h"),
        ("CONV_2D/limits/scale", "CONV_2D: limit on scale"),
        ("ADD/operands", "ADD: operands"),
    ],
)
def test_titles(path, title, make_finding):
    assert make_finding(path).title == title


@pytest.mark.parametrize(
    ("operand", "words"),
    [
        ((None, None, None, None), ""),
        (("bias", None, None, None), "bias"),
        (("weight", None, 4, "kernel"), "weight 'kernel'"),
        (("values", 2, 4, ""), "values[2] ''"),
        ((None, None, 4, "x"), "tensor 'x'"),
    ],
)
def test_operands(operand, words):
    assert Where(0, "", 1, "ADD", "sum", *operand).operand == words


def test_a_tensor_without_an_operator_is_named_once():
    where = Where(0, "", -1, "TENSOR", "x", "tensor", None, 7, "x")
    assert (str(where), where.operand) == ("tensor 7 'x'", "")


def test_every_verdict_is_explained(sample):
    assert [sample.explain(m) for m in sample.models] == [
        "6 violations (2 fails to load, 1 rejected by the default interpreter only, 3 outside the specification), "
        "1 warning, 12 notes, 2 waived; 19/23 operators checked, 1 structure checked only, 3 not covered",
        "3 violations (3 outside the specification), 1 waived; 2/3 operators checked, 1 not covered",
        "unreadable, 3 problems",
        "no findings; 2/2 operators checked",
        "nothing quantized in it is covered; 0/3 operators checked, 3 not covered",
    ]
    assert sample.explain(ModelReport("m", "", 1)) == "it has no operators"
    strict = replace(sample, require_coverage=True)
    assert strict.explain(sample.models[1]).endswith(
        "; 2/3 operators checked, 1 not covered, which this run requires"
    )


def test_totals_are_the_sums(sample):
    assert sample.verdicts == {"conforms": 1, "violates": 2, "not checked": 2}
    assert sum(sample.coverage.values()) == sum(len(m.operators) for m in sample.models)
    assert sum(sample.counts.values()) == sum(len(m.findings) for m in sample.models)
    assert sum(sample.effects.values()) == sample.counts["violation"]
    assert Report("1", ()).summary == "0 models: none checked; no findings; 0/0 operators checked"


def test_a_waived_finding_is_no_failure(sample):
    waived = [f for m in sample.models for f in m.findings if f.waiver]
    assert waived
    assert not any(replace(sample, fail_on="note").fails(f) for f in waived)


def test_fingerprints_bear_any_name(make_finding):
    assert len(make_finding(name="\udc80").fingerprint) == 32
