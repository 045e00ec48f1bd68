"""Properties of all failing and of no passing layers, over layers with known differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from litecheck.devices.outcome import Outcome
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.rendering.wording.separations import separation_sentence
from litecheck.verification.failure_correlation import correlate_failures
from litecheck.verification.result import Verdict


def layers(*options: dict[str, Any]) -> Model:
    """Return a CONV_2D for each dictionary of ``depth``, ``channels``, ``zero``, and options of the operator."""
    builder = ModelBuilder("layers")
    graph = builder.subgraph("main")
    ends: list[tuple[int, int]] = []
    for number, given in enumerate(options):
        fields = {
            "depth": 4,
            "channels": 8,
            "zero": 3,
            "padding": "SAME",
            "stride_h": 1,
            "stride_w": 1,
            **given,
        }
        depth, channels, zero = (fields.pop(name) for name in ("depth", "channels", "zero"))
        x = graph.tensor(f"x{number}", (1, 4, 4, depth), "int8", qparams(0.5, zero))
        weights = np.full((channels, 1, 1, depth), 100, np.int8)
        w = graph.constant(f"w{number}", weights, qparams(np.full(channels, 0.25, np.float32)))
        y = graph.tensor(f"y{number}", (1, 4, 4, channels), "int8", qparams(0.5, 3))
        graph.add("CONV_2D", [x, w], [y], **fields)
        ends.append((x, y))
    graph.inputs(*(x for x, _ in ends))
    graph.outputs(*(y for _, y in ends))
    return builder.finish()


def verdicts(model: Model, failing: Sequence[int], outcome: Outcome = Outcome.MISMATCH) -> list[Verdict]:
    return [
        Verdict(
            str(op.index),
            0,
            (op.index,),
            (op.opcode,),
            "",
            outcome if op.index in failing else Outcome.EXACT,
        )
        for op in model.subgraphs[0].operators
    ]


FAILING = (1, 4, 5, 9)


def correlation_sentences(
    right: Callable[[int], dict[str, Any]], wrong: Callable[[int], dict[str, Any]]
) -> tuple[str, ...]:
    model = layers(*(wrong(n) if n in FAILING else right(n) for n in range(14)))
    return tuple(map(separation_sentence, correlate_failures(model, verdicts(model, FAILING))))


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (
            lambda n: {"depth": 16 + 8 * n},
            lambda n: {"depth": 288 + 8 * n},
            "all 4 that fail have accumulation depth above 120 (296 to 360), none of the 10 operators that pass has: "
            "at most 120",
        ),
        (
            lambda n: {"depth": 60 + 15 * n},
            lambda n: {"depth": 288 + 8 * n},
            "all 4 that fail have accumulation depth above 256 (296 to 360), none of the 10 operators that pass has: "
            "at most 255",
        ),
        (
            lambda n: {"zero": n - 100},
            lambda n: {"zero": -128},
            "all 4 that fail have input zero point below -100 (-128), none of the 10 operators that pass has: at least -100",
        ),
        (
            lambda n: {"stride_h": 1},
            lambda n: {"stride_h": 2},
            "all 4 that fail have vertical stride above 1 (2), none of the 10 operators that pass has: at most 1",
        ),
        (
            lambda n: {"fused_activation_function": "RELU6" if n % 2 else "NONE"},
            lambda n: {"fused_activation_function": "RELU"},
            "all 4 that fail have fused activation RELU, none of the 10 operators that pass has: NONE, RELU6",
        ),
        (
            lambda n: {"channels": 4 * (n % 3 + 1)},
            lambda n: {"channels": 4 * (n % 3 + 1) + 1 + n % 2},
            "all 4 that fail have output channels that 4 does not divide, none of the 10 operators that pass has: all "
            "multiples of 4",
        ),
    ],
)
def test_a_property_of_failing_layers_is_reported(
    right: Callable[[int], dict[str, Any]], wrong: Callable[[int], dict[str, Any]], words: str
) -> None:
    assert words in correlation_sentences(right, wrong)


def test_without_a_distinguishing_property_none_is_found() -> None:
    assert correlation_sentences(lambda n: {"depth": 8 * (n + 1)}, lambda n: {"depth": 8 * (n + 1)}) == ()


def test_one_passing_layer_with_the_property_removes_it() -> None:
    model = layers(*({"depth": 300 if n in (*FAILING, 7) else 20} for n in range(14)))
    assert correlate_failures(model, verdicts(model, FAILING)) == ()
    assert correlate_failures(model, verdicts(model, (*FAILING, 7))) != ()


def test_a_property_of_few_operators_may_be_chance() -> None:
    model = layers(*({"depth": 300 if n < 3 else 20} for n in range(7)))
    assert all(separation.chance for separation in correlate_failures(model, verdicts(model, (0, 1, 2))))
    assert correlate_failures(model, verdicts(model, (0, 1, 2))) != ()
    assert (
        correlate_failures(model, verdicts(model, (0,))) == ()
    )  # nearly every property would distinguish it


def test_failures_without_outputs_are_excluded() -> None:
    model = layers(*({"depth": 300 if n in FAILING else 20} for n in range(14)))
    assert correlate_failures(model, verdicts(model, FAILING, Outcome.CRASHED)) == ()
    assert correlate_failures(model, verdicts(model, FAILING, Outcome.FLAKY)) != ()
