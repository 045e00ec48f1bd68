"""The profiles of Ethos-U compared with Vela on fused operators: known patterns, and random nets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.rewrites import Rewrites
from tests.differential.vela_nets import drawn_nets
from tests.differential.vela_promises import kept
from tests.targets.ethos_u.graph.test_fusion import DILATED, STRIDDEN, truths
from tests.targets.ethos_u.graph.test_inverse_pairs import PAIRS
from tests.targets.ethos_u.graph.test_lowering import GRAPHS
from tests.targets.ethos_u.graph.test_resident_variables import STREAMS
from tests.targets.ethos_u.measurements.test_in_place_depthwise import JOINED_FILTERS, MISCOUNTED
from tests.targets.ethos_u.measurements.test_in_place_outputs import REFUSED, TAKEN, model
from tests.targets.ethos_u.measurements.test_slices import REFUSED_PARTS, SHARED

pytestmark = pytest.mark.slow

pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")

TARGETS = ("ethos-u55", "ethos-u65", "ethos-u85")
#: The seed and the number of random nets; 1 in 20 may disagree, for operators of an unverified form.
SEED, NETS = 4, 80


@pytest.mark.parametrize("target", TARGETS)
def test_known_patterns_have_the_predicted_placement(target: str) -> None:
    joined = {str(case): model(*case) for case in (*REFUSED, *TAKEN)}
    dilated = {name: made for name, (made, _) in DILATED.items()} | {"stridden": STRIDDEN}
    bools = {"log": truths("LOG"), "not, log": truths("LOGICAL_NOT", "LOG")}
    copied = {name: made for name, (made, _) in GRAPHS.items()}
    known = {**joined, **JOINED_FILTERS, **dilated, **bools, **copied, **STREAMS, **PAIRS, **SHARED}
    promises = kept(known.items(), target)
    assert promises.apart == []
    assert promises.parted == promises.late == 0
    least = len(MISCOUNTED) + len(REFUSED_PARTS)
    assert promises.refused > least
    assert (promises.refused > least + 0.7 * len(REFUSED)) == (target != "ethos-u85")


def test_an_unknown_pattern_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    profile = load_profile("ethos-u55")
    patterns = {"one": DILATED["one"][0]}
    assert kept(patterns.items(), "ethos-u55").apart == []
    monkeypatch.setattr(
        "tests.differential.vela_promises.load_profile", lambda _: replace(profile, rewrites=Rewrites())
    )
    assert len(kept(patterns.items(), "ethos-u55").apart) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_random_nets_have_the_predicted_placement(target: str) -> None:
    nets = {f"net {n}": net.model() for n, net in enumerate(drawn_nets(SEED, NETS))}
    promises = kept(nets.items(), target)
    assert promises.whole > NETS / 6
    assert len(promises.apart) + promises.parted <= NETS // 20


def test_nets_are_of_several_operators_that_feed_each_other() -> None:
    nets = list(drawn_nets(SEED, NETS))
    assert sum(len(net.operators) > 2 for net in nets) > NETS / 3
    fed = [
        any(t in earlier.outputs for earlier in net.operators[:n] for t in op.inputs)
        for net in nets
        for n, op in enumerate(net.operators)
        if n
    ]
    assert sum(fed) > 0.9 * len(fed)
