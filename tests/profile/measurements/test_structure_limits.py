"""Structure limits against LiteRT: valid models run and keep all limits; a broken model violates one and ends as
stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes, save_model
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.measurements import loops, subgraph_io, variables
from litecheck.profile.measurements.registry import operator_measurements
from tests.differential.oracle import RESOLVERS
from tests.differential.rules_cases import cases
from tests.differential.structure_limits import PROFILE, Break, breaks, broken, operator, sound, versions
from tests.differential.structure_oracle import StructureOracle

#: Impact -> behavior of LiteRT's own kernels or of the default interpreter.
FATES = {"fails to load": "refused", "fails at run time": "fails", "crashes": "crashes"}
BREAKS = list(breaks())
#: Operators that the reference resolver does not have in any version.
UNREGISTERED = {
    "CEIL", "ELU", "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "ROUND", "SEGMENT_SUM",
    "STABLEHLO_AND", "STABLEHLO_CASE", "STABLEHLO_SHIFT_LEFT",
}  # fmt: skip


@pytest.fixture(scope="module")
def litert() -> Iterator[StructureOracle]:
    with StructureOracle(20) as started:
        yield started


def effects() -> dict[str, str]:
    rules = load_profile(PROFILE).operators.values()
    return {r.path: r.effect for rule in rules for r in rule.all_requirements()}


EFFECTS = effects()


@pytest.mark.parametrize("name", list(sound()))
def test_a_sound_model_keeps_every_limit_and_runs(litert: StructureOracle, name: str) -> None:
    c = sound()[name]
    assert broken(c.model) == set()
    for resolver in RESOLVERS[1:]:
        fate = litert.fate(model_bytes(c.model), c.inputs, resolver)
        stated = [c.model.subgraphs[0].tensors[i].shape for i in c.model.subgraphs[0].outputs]
        assert [x.shape for x in fate.outputs] == stated, fate.message


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_quantized_operators_keep_every_limit(dtype: str) -> None:
    assert [(c.name, found) for c in cases(dtype) if (found := broken(c.model))] == []


@pytest.mark.parametrize("case", BREAKS, ids=lambda b: b.name)
def test_a_model_that_breaks_a_limit_ends_as_stated(litert: StructureOracle, case: Break) -> None:
    assert broken(case.model) == {case.path}
    if case.sound is not None:
        assert broken(case.sound) == set()
    _, optimized, xnnpack = (litert.fate(model_bytes(case.model), case.inputs, r) for r in RESOLVERS)
    effect = EFFECTS[case.path]
    if effect in FATES:
        assert FATES[effect] in (optimized.word, xnnpack.word), (optimized, xnnpack)
    elif effect == "rejected by the default interpreter only":
        assert (optimized.word, xnnpack.word) == ("runs", "refused")
    elif effect == "wrong results" and case.chance:
        assert optimized.word == "runs"
    elif effect == "wrong results":
        assert case.wanted is not None
        assert optimized.word == "runs"
        assert not _right(optimized.outputs[0], case.wanted)
    else:
        assert (optimized.word, xnnpack.word) == ("runs", "runs")


def _right(got: np.ndarray, wanted: np.ndarray) -> bool:
    step = 2.0 if got.dtype.kind == "i" else 1e-4
    return got.shape == wanted.shape and bool((np.abs(got.astype(float) - wanted) <= step).all())


def test_every_kind_of_limit_has_a_break() -> None:
    def kind(path: str) -> str:
        return path.split("/limits/")[1]

    limits = {kind(path) for path in EFFECTS if "/limits/" in path}
    proved = {kind(b.path) for b in BREAKS} | {"version", "reference_version", "constant_inputs"}
    # Requirements of subgraph inputs, outputs and variables are tested in test_silent_faults, the remaining
    # requirements by the campaign of mutants.
    modules = (loops.__name__, subgraph_io.__name__, variables.__name__)
    crossing = {name for name, function in operator_measurements().items() if function.__module__ in modules}
    crossing |= {"condition.elements", "index.elements"}
    crossing.add(
        "integer_states"
    )  # tests/differential/test_cell_types.py: its values change from the second inference on
    campaign = {"beta", "clips_below_zero", "results_of_nothing", "rewritten_tensors", "unknown_types"}
    assert campaign.isdisjoint(proved)
    assert limits <= proved | crossing | campaign
    assert proved | campaign <= limits


@pytest.mark.parametrize(("opcode", "every", "by_reference"), list(versions()))
def test_versions_are_those_litert_registers(
    litert: StructureOracle, opcode: str, every: range, by_reference: range
) -> None:
    """Resolvers look up operators before any check, so that the operands do not matter."""
    c = sound()["ADD"]

    def registered(resolver: str) -> list[int]:
        def known(version: int) -> bool:
            model = operator(c.model, opcode=opcode, options=None, version=version)
            return "Didn't find op" not in litert.fate(model_bytes(model), c.inputs, resolver).message

        return list(filter(known, range(every[0] - 1, every[-1] + 2)))

    assert registered("optimized") == registered("xnnpack") == list(every)
    assert registered("reference") == ([] if opcode in UNREGISTERED else list(by_reference))


def test_an_input_that_is_a_constant_ends_the_process(litert: StructureOracle, tmp_path: Path) -> None:
    """The process ends only for a model from a file, because LiteRT maps the file read-only."""
    builder = ModelBuilder("constant input")
    graph = builder.subgraph("main")
    x, y = graph.tensor("x", (4,), "float32"), graph.tensor("y", (4,), "float32")
    held = graph.constant("c", np.ones(4, np.float32))
    graph.add("ADD", [x, held], [y])
    graph.inputs(x, held)
    graph.outputs(y)
    model = builder.finish()
    assert broken(model) == {"SUBGRAPH/limits/constant_inputs"}
    save_model(model, tmp_path / "m.tflite")
    ones = (np.ones(4, np.float32),) * 2
    assert litert.fate(str(tmp_path / "m.tflite").encode(), ones, "optimized").word == "crashes"
    assert broken(_ends(model, (x,))) == set()
    save_model(_ends(model, (x,)), tmp_path / "n.tflite")
    assert litert.fate(str(tmp_path / "n.tflite").encode(), ones[:1], "optimized").word == "runs"


def _ends(model: Model, inputs: tuple[int, ...]) -> Model:
    return replace(model, subgraphs=(replace(model.subgraphs[0], inputs=inputs),))
