"""Histograms of a trace's page: bars, saturated ends, channels with few bits, escaped names."""

from __future__ import annotations

from dataclasses import replace

from litecheck.rendering.tracing.histograms import histograms
from litecheck.tracing.distribution import TensorDistribution
from tests.rendering.tracing.traces import GOOD

OUTPUT = TensorDistribution(
    0, 0, "CONV_2D", "<stem>", "output", "int8", -1.0, 3.0, (4, 0, 1), 0.5, 0.0, (8.0, 2.5, 7.0)
)
WEIGHT = replace(OUTPUT, role="weight", low=-128.0, high=127.0, at_high=0.1, bits=(7.0,))


def test_an_operator_with_output_and_weight() -> None:
    page = histograms(replace(GOOD, distributions=(OUTPUT, WEIGHT)))
    assert page.count("<details>") == 1
    assert page.count('class="histogram"') == 2
    assert "CONV_2D #0 &lt;stem&gt;" in page
    assert (
        "output: saturated 50.0 % at min, 0.0 % at max; effective resolution 8.0 of 8 bits, lowest 2.5 in channel 1, "
        "1 channel below 4 bits"
    ) in page
    assert "weight: effective resolution 7.0 of 8 bits<" in page
    assert "<span>-1</span><span>3</span>" in page


def test_only_saturated_ends_of_outputs_are_marked() -> None:
    page = histograms(replace(GOOD, distributions=(OUTPUT,)))
    assert '<path class="ends" d="M0 96v-96.0h1V96z"/>' in page
    assert '<path class="bars" d="M2 96v-48.0h1V96z"/>' in page
    assert 'class="ends"' not in histograms(replace(GOOD, distributions=(WEIGHT,)))


def test_channels_with_few_bits_have_their_color() -> None:
    page = histograms(replace(GOOD, distributions=(OUTPUT,)))
    assert '<path class="few" d="M1 48v-15.0h1V48z"/>' in page
    wide = replace(OUTPUT, bits=(8.0,) * 600 + (1.0,))
    strip = histograms(replace(GOOD, distributions=(wide,)))
    assert 'class="strip" viewBox="0 0 201 48"' in strip
    assert '<path class="few" d="M200 48v-6.0h1V48z"/>' in strip


def test_a_trace_without_distributions_has_no_histograms() -> None:
    assert histograms(GOOD) == ""
