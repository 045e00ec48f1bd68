"""Signatures: equal for equal surroundings in any order, different after a near or far change."""

from __future__ import annotations

from litecheck.model.node_signatures import around, downward, exact_key, kind_key, upward, view_of
from tests.model.test_canonical_order import diamond


def test_signatures_do_not_depend_on_the_order_in_the_file() -> None:
    one, other = view_of(diamond("abc")), view_of(diamond("bac"))
    for make in (upward, downward):
        first, second = make(one, exact_key), make(other, exact_key)
        assert first[0] == second[1]  # ABS
        assert first[2] == second[2]  # ADD


def test_up_and_down_look_one_way() -> None:
    view = view_of(diamond("abc"))
    assert upward(view, exact_key)[0] != upward(view, exact_key)[1]
    near = around(view, exact_key, 0)
    assert near[0] != near[2]
    assert around(view, kind_key, 2)[0] != near[0]


def test_transparent_operators_are_left_out() -> None:
    view = view_of(diamond("abc"))
    assert view.transparent == {0, 1}
    assert view.sources[2] == (("given", 0), ("given", 0))
    assert view.users == ((), (), ())
