"""Cases of a verification: their number before the run, and names that match no operator."""

from __future__ import annotations

import pytest

from litecheck.errors import ConfigError
from litecheck.verification.schedule import check_claims, check_selection, weights
from litecheck.verification.settings import Budget, Settings
from tests.verification.networks import convolutional, remembering


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (Settings(), 7),
        (Settings(whole=True), 1),
        (Settings(segment=2), 4),
        (Settings(select=("ADD", "4")), 2),
    ],
)
def test_a_case_has_a_weight_if_it_is_selected(settings: Settings, names: int) -> None:
    assert len(weights(convolutional(), settings)) == names


def test_the_weight_is_the_number_of_inferences() -> None:
    model = convolutional()
    once = weights(model, Settings(repeat=1))
    assert weights(model, Settings(repeat=3)) == {name: 3 * count for name, count in once.items()}
    kinds = [
        weights(model, Settings(repeat=1, kinds=(kind,))) for kind in ("propagated", "random", "directed")
    ]
    assert {name: sum(counts[name] for counts in kinds) for name in once} == once
    assert list(kinds[0].values()) == [1] * 7
    assert list(kinds[2].values()) == [5] * 7
    assert kinds[1]["0004-RESHAPE"] == 1 < kinds[1]["0002-ADD"]


@pytest.mark.parametrize(("invocations", "total"), [(1, 1), (33, 33), (10**6, None), (0, None)])
def test_a_budget_scales_the_weights_down(invocations: int, total: float | None) -> None:
    free = sum(weights(convolutional(), Settings()).values())
    found = weights(convolutional(), Settings(budget=Budget(invocations=invocations)))
    assert sum(found.values()) == pytest.approx(total or free)


def test_a_subgraph_with_state_is_a_case_too() -> None:
    *_, (name, count) = weights(remembering(), Settings()).items()
    assert name.endswith("whole")
    assert count == weights(remembering(), Settings(whole=True, kinds=("propagated", "directed")))[name]
    for alone in (Settings(select=(name,)), Settings(kinds=("random",)), Settings(segment=1)):
        assert name not in weights(remembering(), alone)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("conv_2d", "; did you mean 'CONV_2D'?"), ("7", ""), ("COV_2D", "; did you mean 'CONV_2D'?")],
)
def test_a_selection_of_no_operator(name: str, hint: str) -> None:
    for known in ("ADD", "0", "0002-ADD"):
        check_selection(convolutional(), Settings(select=(known,)))
    with pytest.raises(ConfigError) as refused:
        check_selection(convolutional(), Settings(select=("ADD", name)))
    kinds = "ADD, AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, RESHAPE, SOFTMAX"
    assert str(refused.value) == f"--select {name}: there is no such operator; there are {kinds}{hint}"


@pytest.mark.parametrize(("name", "hint"), [("Tanh", "; did you mean 'TANH'?"), ("nothing", "")])
def test_a_claim_to_no_operator(name: str, hint: str) -> None:
    check_claims(convolutional(), Settings(claims=("all", "ADD", "LSTM")))
    with pytest.raises(ConfigError) as refused:
        check_claims(convolutional(), Settings(claims=("ADD", name)))
    message = f"--set require={name}: there is no such operator{hint}; all means every one"
    assert str(refused.value) == message
