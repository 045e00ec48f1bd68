"""Kinds of streams, and the values that their vectors contain."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.probes.catalogue import FAMILIES
from litecheck.cases.probes.elements import of_one, of_two
from litecheck.errors import ConfigError
from litecheck.suite.stream.computations import BY_PLACE, Candidates, Computation
from litecheck.suite.stream.stream_kinds import KINDS, REQUANTIZE, kind_of, stream_names


def test_operators_have_streams_by_their_probes() -> None:
    names = stream_names()
    assert names[0] == REQUANTIZE
    assert {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "ADD", "SUB", "MUL"} <= {
        *names
    }
    assert {"LOGISTIC", "TANH", "SOFTMAX", "LEAKY_RELU"} <= {*names}
    assert {kind_of(name)[0].name for name in names} == {
        "requantize",
        "dot",
        "elementwise",
        "table",
        "softmax",
    }


def test_probes_over_all_stored_values_have_a_stream() -> None:
    """A further family of probes of an operator does not remove its stream."""
    over_values = {
        name for name, family in FAMILIES.items() if getattr(family, "func", family) in (of_one, of_two)
    }
    assert len(over_values) > 6
    assert over_values <= {*KINDS}


def test_the_guide_names_every_stream_under_its_kind() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "stream.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([A-Z`][^|]*) \|", guide, re.MULTILINE)
    told = {(kind, name.strip("`")) for kind, names in rows for name in names.split(", ")}
    assert told == {(kind_of(name)[0].name, name) for name in stream_names()}


def test_an_unknown_name_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="there is no stream 'CONV_2'; did you mean 'CONV_2D'"):
        kind_of("CONV_2")


def first(name: str, batches: int) -> dict[str, np.ndarray]:
    """Return the fields of the first batches with a single number per line."""
    kind, opcode = kind_of(name)
    found = list(islice(kind.batches(opcode, np.random.default_rng(0), False), batches))
    titles = [c.name for c in found[0].columns if not c.many]
    return {t: np.concatenate([{c.name: c.values for c in b.columns}[t] for b in found]) for t in titles}


def test_requantization_has_the_documented_values() -> None:
    fields = first(REQUANTIZE, 16)
    assert {-(2**31), 2**31 - 1, 0, 2**15, -(2**15) - 1, 2**23} <= set(fields["acc"].tolist())
    assert {-128, 127, 0} <= set(fields["zo"].tolist())
    assert fields["shift"].min() <= -31
    assert fields["shift"].max() >= 4
    assert (fields["m"] == 0).any()
    assert ((fields["m"] == 0) | (fields["m"] >= 2**30)).all()
    # Values after a left shift stay within 32 bits, because C does not define larger values.
    left = fields["acc"] << np.maximum(fields["shift"], 0)
    assert (np.abs(left) <= 2**31).all()
    assert len({*zip(fields["low"].tolist(), fields["high"].tolist(), strict=True)}) > 4


def test_dot_products_have_every_depth_and_both_ends() -> None:
    fields = first("CONV_2D", 16)
    assert {3, 9, 300} <= set(fields["k"].tolist())
    assert {-128, 127} <= set(fields["zi"].tolist()) & set(fields["zo"].tolist())


def test_an_exhaustive_stream_has_all_pairs() -> None:
    kind, opcode = kind_of("ADD")
    batch = next(islice(kind.batches(opcode, np.random.default_rng(0), True), kind.designed, None))
    lhs, rhs = (next(c.values for c in batch.columns if c.name == name) for name in ("lhs", "rhs"))
    assert len({*zip(lhs.tolist(), rhs.tolist(), strict=True)}) == len(batch) == 1 << 16


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV", "ADD", "MUL"]
)
def test_a_computation_does_not_depend_on_the_position_of_a_line(name: str) -> None:
    """A line does not depend on neighboring lines, so a computation that reads them cannot be a flag."""
    from litecheck.suite.stream.vectors import Vectors

    kind, opcode = kind_of(name)
    batch = list(islice(kind.batches(opcode, np.random.default_rng(1), False), 2))[1]
    ways = Candidates.of(batch.probe).others
    assert not BY_PLACE.intersection(mutant.hypothesis.defect for mutant in ways)
    assert {mutant.name for mutant in Vectors(name, "litert-reference", "smoke", 0, None).mutants} <= {
        f.name for f in ways
    }
    computation = Computation(batch.probe)
    for mutant in ways:
        rows = computation.answers(mutant.hypothesis)
        if rows is None:
            continue
        # Equal lines of a batch have equal answers.
        columns = np.concatenate([c.values.reshape(len(batch), -1) for c in batch.columns], axis=1)
        _, group = np.unique(columns, axis=0, return_inverse=True)
        values = rows.reshape(len(batch), -1)
        for which in np.unique(group):
            assert len(np.unique(values[group.reshape(-1) == which], axis=0)) == 1, mutant.name


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("requantize", (4_096, 131_072, 4_194_304)),
        ("dot", (1_024, 8_192, 65_536)),
        ("elementwise", (4_096, 65_536, 4_194_304)),
        ("table", (4_096, 16_384, 262_144)),
        ("softmax", (1_024, 8_192, 65_536)),
    ],
)
def test_a_level_has_the_number_of_vectors_that_the_guide_states(
    kind: str, counts: tuple[int, int, int]
) -> None:
    kinds = [found for name in stream_names() for found in (kind_of(name)[0],) if found.name == kind]
    assert kinds
    for found in kinds:
        assert tuple(map(found.count, ("smoke", "standard", "exhaustive"))) == counts
