"""Node data for Model Explorer."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from litecheck.devices.outcome import Outcome
from litecheck.rendering.formats import render
from litecheck.rendering.verification import values as graph
from litecheck.verification.result import Verification


def graphs(verification: Verification) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(verification, "model-explorer"))
    return found


def test_the_first_subgraph_is_main_and_results_are_listed_by_tensor(sample: Verification) -> None:
    found = graphs(sample)
    assert set(found) == {"main", "subgraph_1"}
    results = found["main"]["results"]
    assert results["input_int8"]["value"] == 0.0
    assert results["block1/conv"]["value"] == 12 / 4096
    assert results["halves"] == results["halves:1"]
    assert results["padded"]["value"] == "rejected"
    assert set(found["subgraph_1"]["results"]) == {"body/add"}


def test_ambiguous_names_are_replaced_by_the_number(sample: Verification) -> None:
    results = graphs(sample)["main"]["results"]
    assert "twin" not in results
    assert results["8"]["value"] == 2000 / 8192
    assert results["14"]["value"] == "timed out"
    assert results["10"]["value"] == 5 / 4096


def test_without_the_graph_operators_are_listed_by_number(sample: Verification) -> None:
    results = graphs(replace(sample, operations=()))["main"]["results"]
    assert set(results) == {str(n) for n in range(24)}


def test_every_outcome_has_a_colour_of_its_own() -> None:
    backgrounds = [colour for _, colour, _ in graph.LOOKS.values()]
    assert set(graph.LOOKS) == set(Outcome)
    assert len(set(backgrounds)) == len(backgrounds)
    assert all(re.fullmatch("#[0-9a-f]{6}", c) for _, *pair in graph.LOOKS.values() for c in pair)


def test_text_can_be_read_on_its_colour() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for _, *pair in graph.LOOKS.values():
        dark, light = sorted(map(luminance, pair))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_gravest_of_overlapping_cases_is_shown(sample: Verification) -> None:
    exact = replace(sample.verdicts[0], operators=(1,))
    results = graphs(replace(sample, verdicts=(exact, *sample.verdicts, exact)))["main"]["results"]
    assert results["block1/conv"]["value"] == 12 / 4096


def test_a_run_without_cases_is_an_empty_graph(good: Verification) -> None:
    assert graphs(replace(good, verdicts=()))["main"]["results"] == {}
