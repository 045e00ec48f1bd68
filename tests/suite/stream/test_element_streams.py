"""Fields of streams of elements: pairs, tables of all stored values, and rows of SOFTMAX."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.probes.elements import PRODUCTS, SUMS
from litecheck.suite.stream import element_streams
from litecheck.suite.stream.element_streams import CHOSEN, DESIGNED_ROWS, DRAWN, ROWS
from tests.suite.stream.digests import batches, digest, fields

#: The same options give the same bytes (docs/stream.md): batches of each stream, their hash.
RECORDED = {
    "ADD": (9, "48b82baadcb5"),
    "MUL": (10, "49ae2b2e6a4b"),
    "RELU": (12, "0664361b7a16"),
    "LOGISTIC": (12, "b8aaf4742a58"),
    "TANH": (12, "a19f191b2506"),
    "LEAKY_RELU": (12, "3ed102fed03a"),
    "GELU": (12, "75bde386f17e"),
    "SOFTMAX": (10, "8ed3c639c3bc"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_same_seed_draws_the_same_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are drawn without the choice by mutants, because a new mutant changes this choice."""
    monkeypatch.setattr(
        element_streams, "distinguishing", lambda candidates, lines, most, rng: rng.permutation(lines)[:most]
    )
    count, expected = RECORDED[name]
    assert digest(batches(name, count)) == expected


@pytest.mark.parametrize(("name", "table"), [("ADD", SUMS), ("MUL", PRODUCTS)])
def test_lines_of_pairs(name: str, table: tuple[object, ...]) -> None:
    """Each designed triple of scales has chosen pairs, then drawn pairs; an exhaustive stream has all 65,536."""
    sizes = [len(b) for b in batches(name, len(table) + 1)]
    assert sizes == [CHOSEN] * len(table) + [DRAWN]
    last = fields(batches(name, len(table) + 1, exhaustive=True)[-1])
    assert len(pairs(last)) == 65_536


def pairs(f: dict[str, np.ndarray]) -> set[tuple[int, int]]:
    """Return the pairs of the first two fields with integers of many values."""
    first, second = list(f)[:2]
    return {*zip(f[first].tolist(), f[second].tolist(), strict=True)}


def test_multipliers_of_sums() -> None:
    """m1 * 2^s1 and m2 * 2^s2 bring both sides to twice the larger scale, m3 * 2^s3 the sum to the output."""
    for batch in batches("ADD", 9):
        f = {name: float(values[0]) for name, values in fields(batch).items() if name not in "lhs rhs"}
        larger = 2 * max(f["sl"], f["sr"])
        for m, s, real in (
            ("m1", "s1", f["sl"] / larger),
            ("m2", "s2", f["sr"] / larger),
            ("m3", "s3", larger / (f["so"] * 2 ** f["left"])),
        ):
            assert f[m] * 2.0 ** (f[s] - 31) == pytest.approx(real, rel=1e-6)
        assert f["left"] == 20


def test_multipliers_of_products() -> None:
    for batch in batches("MUL", 10):
        f = {name: float(values[0]) for name, values in fields(batch).items() if name not in "lhs rhs"}
        assert f["m"] * 2.0 ** (f["shift"] - 31) == pytest.approx(f["sl"] * f["sr"] / f["so"], rel=1e-6)


@pytest.mark.parametrize("name", ["ADD", "MUL"])
def test_drawn_outputs_reach_both_ends(name: str) -> None:
    """With drawn scales, the largest real output is near or beyond the range of the output scale."""
    for batch in batches(name, 14)[8:]:
        f = {key: float(values[0]) for key, values in fields(batch).items() if key not in "lhs rhs"}
        reach = 64 * f["sl"] * f["sr"] if name == "MUL" else f["sl"] + f["sr"]
        assert 0.25 < f["so"] / reach < 1.25


@pytest.mark.parametrize("name", ["RELU", "LOGISTIC", "TANH", "LEAKY_RELU", "GELU"])
def test_tables_hold_every_stored_value_once(name: str) -> None:
    for batch in batches(name, 10):
        assert fields(batch)["x"].tolist() == [*range(-128, 128)]


def test_quantization_of_tables() -> None:
    """The output of LOGISTIC is 1/256 from -128 and that of TANH 1/128 around 0; that of RELU is drawn."""
    for name, scale, zero in (("LOGISTIC", 1 / 256, -128), ("TANH", 1 / 128, 0)):
        for batch in batches(name, 10):
            f = fields(batch)
            assert ({*f["so"].tolist()}, {*f["zo"].tolist()}) == ({scale}, {zero})
    drawn = [fields(b) for b in batches("RELU", 70)]
    assert len({float(f["so"][0]) for f in drawn}) > 30
    assert {-128, 127, 0} <= {int(f["zi"][0]) for f in drawn}
    assert {-128, 127, 0} <= {int(f["zo"][0]) for f in drawn}


def test_options_are_fields() -> None:
    """A number is written as float32, a bool as 0 or 1."""
    slopes = [c for b in batches("LEAKY_RELU", 8) for c in b.columns if c.name == "alpha"]
    assert {c.title for c in slopes} == {"alpha:f32"}
    gelu = [c for b in batches("GELU", 8) for c in b.columns if c.name == "approximate"]
    assert [int(c.values[0]) for c in gelu] == [0, 1] * 4
    assert {c.title for c in gelu} == {"approximate"}


def test_rows_of_softmax() -> None:
    """Rows of 2 to 128 values; those of two are all distances from 127; 128 of each pool are chosen."""
    made = batches("SOFTMAX", 10)
    for turn, batch in enumerate(made):
        f = fields(batch)
        assert f["x"].shape == (len(batch), int(f["k"][0]))
        assert ({*f["so"].tolist()}, {*f["zo"].tolist()}) == ({1 / 256}, {-128})
        if f["k"][0] == 2:
            assert (f["x"][:, 0] == 127).all()
        elif turn % 2:
            assert f["x"].min() >= 40
    assert [len(b) for b in made] == [ROWS] * DESIGNED_ROWS + [256, ROWS]
    assert {int(fields(b)["k"][0]) for b in made} >= {2, 3, 128}
    assert {float(fields(b)["beta"][0]) for b in batches("SOFTMAX", 16)} == {0.5, 1.0, 2.0}
