"""Operators with probes, and the seed that they are drawn from."""

from __future__ import annotations

import numpy as np

from litecheck.cases.probes.catalogue import FAMILIES, probed_operators, probes
from litecheck.profile.operators import traits_of
from tests.cases.probes.fingerprint import fingerprint


def test_each_family_belongs_to_an_operator() -> None:
    named = {family for opcode in probed_operators() for family in traits_of(opcode).probes}
    assert named == {*FAMILIES}


def test_operators_without_a_family_have_no_probes() -> None:
    assert "RESHAPE" not in probed_operators()
    assert probes("RESHAPE") == ()


def test_an_operator_has_the_probes_of_all_its_families() -> None:
    """CONV_2D has two families. Both are drawn from the same generator, so the second depends on the first."""
    generator = np.random.default_rng([7, *b"CONV_2D"])
    families = [list(FAMILIES[name](generator, "CONV_2D")) for name in ("conv_2d", "conv_2d_extents")]
    made = probes("CONV_2D", 7)
    assert [p.name for p in made] == [p.name for family in families for p in family]
    assert fingerprint(made) == fingerprint([p for family in families for p in family])


def test_the_seed_and_the_operator_change_the_values() -> None:
    """The default seed is 0."""
    assert fingerprint(probes("ADD")) == fingerprint(probes("ADD", 0)) != fingerprint(probes("ADD", 1))
    add, sub = (probes(opcode)[0].runs[0][0][0, -7:].tolist() for opcode in ("ADD", "SUB"))
    assert add != sub
    assert all(p.opcode == "SUB" for p in probes("SUB"))
