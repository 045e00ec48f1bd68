"""Stages that a hypothesis decides, and the choices of each stage."""

from __future__ import annotations

import numpy as np

from litecheck.cases.probes.catalogue import probes
from litecheck.diagnosis.hypotheses import (
    defective,
    hypotheses,
    kernel_of,
    name_hypothesis,
    outputs,
    published_variants,
)
from litecheck.diagnosis.result import Hypothesis


def test_hypotheses_have_only_the_stages_of_their_choices() -> None:
    """A table in fixed point has no rounding stage."""
    found = {way.stages for way in hypotheses(probes("LOGISTIC")[0])}
    assert found == {
        (("table", "float32"), ("round", "half-away")),
        (("table", "float32"), ("round", "half-even")),
        (("table", "fixed-point"),),
    }


def test_an_operator_without_stages_has_one_way() -> None:
    assert hypotheses(probes("MAX_POOL_2D")[0]) == (Hypothesis(()),)


def test_a_way_computes_as_its_arithmetic() -> None:
    ties = probes("CONV_2D")[0]
    double, single = (next(outputs(ties, Hypothesis((("requantize", v),))))[0] for v in ("double", "single"))
    (bare,) = next(outputs(ties, Hypothesis((("requantize", "double"),), "no-output-zero-point")))
    assert (double != single).sum() > 100
    inside = (double > -128) & (double < 127)
    np.testing.assert_array_equal(bare[inside], np.maximum(double[inside].astype(int) - 5, -128))


def test_hypotheses_have_their_published_arithmetics() -> None:
    kernel = kernel_of(probes("ADD")[0])
    known = published_variants("ADD", kernel)
    assert next(iter(known)) == "litert-reference"
    assert name_hypothesis(Hypothesis((("requantize", "21-bit"),)), known).published == ("litert-xnnpack",)
    assert name_hypothesis(Hypothesis((("requantize", "floor"),)), known).published == ()
    assert {way.defect for way in defective(Hypothesis(()), "ADD")} >= {"wraps", "no-activation"}
    # A hypothesis with a defect has no published arithmetic.
    usual = name_hypothesis(Hypothesis((("requantize", "double"),)), known)
    assert "litert-reference" in usual.published
    assert all(way.published == () for way in defective(usual, "ADD"))


def test_a_way_reads_as_the_file_does() -> None:
    assert str(Hypothesis((("requantize", "single"),), "wraps")) == "requantize: single, defect: wraps"
    assert str(Hypothesis(())) == "the only variant"
