"""A slice of ``suite_cases``: LiteRT gives the reference's outputs for cases of a suite. The remaining cases are run
by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.suite_cases import cases
from tests.differential.one_operator import compare
from tests.differential.oracle import Oracle, Refused
from tests.differential.suite_cases import expected, judged, known, misread

pytestmark = pytest.mark.runtime
#: Profiles with rules for a type.
PROFILES = {"int8": "litert-runtime", "uint8": "litert-uint8"}
SELECT = ("CONV_2D", "FULLY_CONNECTED", "ADD", "MEAN", "PAD", "LOGISTIC", "RESHAPE", "ARG_MAX")


@pytest.fixture(scope="module")
def litert() -> Iterator[Oracle]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Oracle(60) as oracle:
        yield oracle


def test_conforming_cases_equal_the_reference(litert: Oracle) -> None:
    suite = [c for c in cases(load_profile("litert-int8"), "smoke", SELECT, 0) if not c.broken]
    assert {c.opcode for c in suite} == set(SELECT)
    for case in suite:
        assert [v.word for v in judged(case, litert)] == ["same", "ran", "ran"], case.name


def test_another_zero_point_is_noticed(litert: Oracle) -> None:
    """LiteRT's outputs of a case's model are compared with the reference's outputs of a changed model."""
    case = next(c for c in cases(load_profile("litert-int8"), "smoke", ("ADD",), 0) if not c.broken)
    main = case.model.subgraphs[0]
    output = main.tensors[main.outputs[0]]
    moved = replace(output.quantization, zero_point=output.quantization.zero_point + 1)
    tensors = tuple(replace(t, quantization=moved) if t is output else t for t in main.tensors)
    other = replace(case.model, subgraphs=(replace(main, tensors=tensors),))
    theirs = litert.run_many(model_bytes(case.model), case.runs, "reference")
    assert not isinstance(theirs, Refused)
    assert not compare(case.name, expected(case, "litert-reference"), theirs).different
    assert compare(case.name, expected(replace(case, model=other), "litert-reference"), theirs).different


def test_the_known_fault_of_sum_is_recognized_by_its_outputs(litert: Oracle) -> None:
    """The faulty kernel reads bytes as uint8, each separately. A wrong zero point is a different fault."""
    case = next(c for c in cases(load_profile("litert-int8"), "smoke", ("SUM",), 0) if not c.broken)
    first, *_ = judged(case, litert)
    assert (first.word, bool(first.known)) == ("differs", True)
    theirs = litert.run_many(model_bytes(case.model), case.runs, "reference")
    assert misread(case, theirs)
    assert not misread(case, [[output + np.int8(1) for output in run] for run in theirs])


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_hard_swish_is_right_within_its_limits(litert: Oracle, dtype: str) -> None:
    """The limits are checked on both sides. Above 512 input steps per output step, 16 bits are shifted by 16. With an
    input scale of 25165824 or more, 1 is shifted by 31."""
    every = np.arange(256).astype(np.uint8).view(dtype)
    cases = ((0.125, 512, True), (0.125, 512.001, False), (25165822, 0.5, True), (25165824, 0.5, False))
    for scale, steps, right in cases:
        builder = ModelBuilder("hard swish")
        graph = builder.subgraph("main")
        x = graph.tensor("x", (256,), dtype, qparams(scale, 100))
        y = graph.tensor("y", (256,), dtype, qparams(scale * steps, 100))
        graph.add("HARD_SWISH", [x], [y])
        graph.inputs(x)
        graph.outputs(y)
        model = builder.finish()
        theirs = litert.run_many(model_bytes(model), [(every,)], "reference")
        ours = ReferenceInterpreter(model).run(model.subgraphs[0], (every,))[y]
        assert np.array_equal(ours, theirs[0][0]) == right
        found = {f.path for f in validate(model, [load_profile(PROFILES[dtype])]).findings}
        assert bool(found - {"HARD_SWISH/output_levels"}) == (not right)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_hard_swish_of_fine_scales_shifts_out_all_bits(litert: Oracle, dtype: str) -> None:
    """Below an input scale of 2^-23, the factor of x + 3 is shifted by 16 bits or more, which leaves 1 or -1."""
    rng, every = np.random.default_rng(7), np.arange(256).astype(np.uint8).view(dtype)
    ends, told = np.iinfo(dtype), 0
    for _ in range(60):
        scale = 2.0 ** rng.uniform(-45, -15)
        zero_in, zero_out = (int(n) for n in rng.integers(ends.min, ends.max + 1, 2))
        builder = ModelBuilder("hard swish")
        graph = builder.subgraph("main")
        x = graph.tensor("x", (256,), dtype, qparams(scale, zero_in))
        y = graph.tensor("y", (256,), dtype, qparams(scale * 2.0 ** int(rng.integers(-6, 8)), zero_out))
        graph.add("HARD_SWISH", [x], [y])
        graph.inputs(x)
        graph.outputs(y)
        model = builder.finish()
        theirs = litert.run_many(model_bytes(model), [(every,)], "reference")[0][0]
        assert np.array_equal(ReferenceInterpreter(model).run(model.subgraphs[0], (every,))[y], theirs)
        # x / 2 without shifted-out bits: the two halves of a tie differ
        half = (every.astype(int) - zero_in) * scale / model.subgraphs[0].tensors[y].quantization.scale[0] / 2
        told += int((np.clip(np.rint(half) + zero_out, ends.min, ends.max) != theirs).sum())
    assert told > 0


def test_known_faults_are_selected_by_case_and_resolver() -> None:
    assert known("SOFTMAX/int8/ties-scale-0-1", "reference")
    assert not known("SOFTMAX/int8/ties-scale-0-1", "optimized")
    assert known("CONV_2D/int8/no-bias-plain", "xnnpack")
