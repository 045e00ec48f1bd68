"""Computations of a stream: its own, mutants, and the lines that distinguish them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from litecheck.cases.probes.catalogue import probes
from litecheck.diagnosis.result import Hypothesis
from litecheck.errors import ConfigError
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.stream.computations import BY_PLACE, Candidates, Computation, distinguishing


@cache
def of(opcode: str, arithmetic: str = "litert-reference", without: tuple[str, ...] = ()) -> Candidates:
    return Candidates.of(probes(opcode)[0], arithmetic, without)


def test_the_own_way_is_that_of_the_arithmetic() -> None:
    for opcode in ("CONV_2D", "ADD", "LOGISTIC"):
        found = of(opcode)
        interpreter = ReferenceInterpreter(found.probe.model)
        graph = found.probe.subgraph
        expected = interpreter.run(graph, found.probe.runs[0])[graph.outputs[0]]
        answers = Computation(found.probe).answers(found.own)
        assert answers is not None
        assert (answers == expected).all()


def test_each_arithmetic_has_its_own_way() -> None:
    reference, xnnpack = of("CONV_2D"), of("CONV_2D", "litert-xnnpack")
    assert dict(reference.own.stages)["requantize"] == "double"
    assert dict(xnnpack.own.stages)["requantize"] != "double"


def test_mutants_beside_the_own_way() -> None:
    """Mutants have one step in another variant, or a complete published arithmetic, or a defect. No mutant depends on
    the position."""
    found = of("CONV_2D")
    names = [mutant.name for mutant in found.others]
    assert len({*names}) == len(names)
    assert "requantize=single" in names
    assert "requantize=double" not in names
    assert not BY_PLACE & {*names}
    own = dict(found.own.stages)
    for mutant in found.others:
        changed = [(step, variant) for step, variant in mutant.hypothesis.stages if own.get(step) != variant]
        if mutant.hypothesis.defect:
            assert (mutant.name, changed) == (mutant.hypothesis.defect, [])
        else:
            assert mutant.name == "+".join(f"{step.split('/')[0]}={variant}" for step, variant in changed)
            assert mutant.does == ", ".join(f"{step} is {variant}" for step, variant in changed)
            assert len(changed) == 1 or mutant.published
            assert not BY_PLACE & {variant for _, variant in changed}
    defects = [bool(mutant.hypothesis.defect) for mutant in found.others]
    assert defects == sorted(defects)
    assert any(defects)


def test_defects_of_absent_fields_are_omitted() -> None:
    names = {mutant.name for mutant in of("CONV_2D").others}
    assert "no-bias" in names
    assert {mutant.name for mutant in of("CONV_2D", without=("no-bias",)).others} == names - {"no-bias"}


def test_arithmetics_that_depend_on_the_place() -> None:
    """No line of a stream has a place in a tensor."""
    from litecheck.reference.engine.arithmetic import arithmetic_names

    rejected = set()
    for name in arithmetic_names():
        try:
            own = of("LOGISTIC", name).own
        except ConfigError as error:
            rejected.add(name)
            assert "by places in a tensor" in str(error)  # noqa: PT017
        else:
            assert not BY_PLACE & {variant for _, variant in own.stages}
    assert "litert-reference" not in rejected


def test_ways_that_cannot_be_computed() -> None:
    found = of("ADD")
    computation = Computation(found.probe)
    made = [computation.answers(mutant.hypothesis) for mutant in found.others]
    assert any(m is not None for m in made)
    differing = Hypothesis(found.others[0].hypothesis.stages, found.others[0].hypothesis.defect)
    again = computation.answers(differing)
    first = made[0]
    assert (again is None) == (first is None)
    assert again is None or (again == first).all()


@pytest.mark.parametrize("most", [64, 512])
def test_chosen_lines_tell_each_mutant(most: int) -> None:
    """Each mutant that differs on some of the 65,543 pairs differs on a chosen pair; the lines are in order."""
    found = of("ADD")
    lines = found.probe.runs[0][0].size
    chosen = distinguishing(found, lines, most, np.random.default_rng(1))
    assert len(chosen) == most
    assert (np.diff(chosen) > 0).all()
    computation = Computation(found.probe)
    right = computation.answers(found.own)
    assert right is not None
    for mutant in found.others:
        made = computation.answers(mutant.hypothesis)
        if made is not None and (made != right).any():
            assert (made != right).ravel()[chosen].any(), mutant.name


def test_lines_are_filled_up() -> None:
    """If mutants need fewer lines than requested, arbitrary lines are added, up to all lines."""
    found = of("LOGISTIC")
    lines = found.probe.runs[0][0].size
    assert len(distinguishing(found, lines, lines - 3, np.random.default_rng(1))) == lines - 3
    every = distinguishing(found, lines, lines + 50, np.random.default_rng(1))
    assert every.tolist() == [*range(lines)]


def test_rare_mutants_have_their_share() -> None:
    """If a mutant shows on few lines, all of them are chosen, up to the share of each mutant."""
    found = of("ADD")
    lines, most = found.probe.runs[0][0].size, 512
    computation = Computation(found.probe)
    right = computation.answers(found.own)
    assert right is not None
    shows = [
        np.flatnonzero((made != right).ravel())
        for mutant in found.others
        if (made := computation.answers(mutant.hypothesis)) is not None and (made != right).any()
    ]
    share = most // len(shows)
    chosen = {*distinguishing(found, lines, most, np.random.default_rng(1)).tolist()}
    assert all(len({*places.tolist()} & chosen) >= min(share, len(places)) for places in shows)
