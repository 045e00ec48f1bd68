"""The mutation campaign on a small scale: its mutants, its oracle, its verdicts, and a fixed slice."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.finding import IGNORED
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.report import ModelReport, OperatorReport
from tests.differential.structure.campaign import Outcome, in_process, reasons
from tests.differential.structure.edit import Mutant, values_of
from tests.differential.structure.feeds import feeds
from tests.differential.structure.meaning import UndefinedError, off, real, twin
from tests.differential.structure.mutants import chosen, mutants
from tests.differential.structure.oracle import LiteRT
from tests.differential.structure.referee import BAD, FATES, Fated, Referee, worst
from tests.differential.structure.sketch import Specimen
from tests.differential.structure.specimens import specimens
from tests.differential.structure.table import compared, failed, false_alarms, grouped, misses, table, untrue
from tests.differential.structure.verdicts import Verdict, by_default

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "structure"
#: Models of the slice: an operator of each family, chains, states, branches, loops, variables.
SLICE = (
    ("CONV_2D", "int8"), ("FULLY_CONNECTED int32 bias", "int16"), ("TRANSPOSE", "int8"), ("STRIDED_SLICE", "int16"),
    ("CONCATENATION", "int8"), ("MEAN", "int8"), ("AVERAGE_POOL_2D", "int16"), ("GATHER", "int8"), ("SOFTMAX", "int8"),
    ("TRANSPOSE, RESHAPE, FULLY_CONNECTED", "int8"), ("LSTM", "int8"), ("IF", "int8"), ("WHILE", "int8"),
    ("CALL_ONCE, variables", "int8"),
)  # fmt: skip
EACH = 22
#: Number of mutants of WHILE: many of them run until the time limit.
ENDLESS = 8


def number_of(of: tuple[str, str]) -> int:
    return ENDLESS if of[0] == "WHILE" else EACH


def specimen(name: str, dtype: str = "int8") -> Specimen:
    return next(s for s in specimens() if (s.name, s.dtype) == (name, dtype))


def mutant(model: Model, name: str) -> Mutant:
    """Return the mutant with this name: operator, place and change."""
    return next(m for m in mutants(model) if m.name == name)


@pytest.fixture(scope="module")
def litert():
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with LiteRT(seconds=3.0) as litert:  # an endless loop takes 3 seconds
        yield litert


def test_the_oracle_knows_no_rule() -> None:
    """Only the verdict imports profiles and checks."""
    rules = {"litecheck", "litecheck.validate", "litecheck.validate_file", "litecheck.load_profile"}
    for file in FOLDER.glob("*.py"):
        nodes = [n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.ImportFrom)]
        names = {n.module or "" for n in nodes} | {f"{n.module}.{a.name}" for n in nodes for a in n.names}
        found = {n for n in names if n.startswith(("litecheck.profile", "litecheck.checks")) or n in rules}
        assert bool(found) == (file.name == "verdicts.py"), (file.name, found)


INDEXES = {
    "TRANSPOSE input1 [1] 2 -> -1": [0, -1, 1, 3],
    "TRANSPOSE input1 [1] 2 -> 3": [0, 3, 1, 3],
    "TRANSPOSE input1 [2] repeats [3]": [0, 2, 3, 3],
    "TRANSPOSE input1 one element less": [0, 2, 1],
    "TRANSPOSE input1 one element more": [0, 2, 1, 3, 3],
    "TRANSPOSE input1 empty": [],
    "TRANSPOSE input1 one dimension more": [[0, 2, 1, 3]],
    "TRANSPOSE input1 reversed": [3, 1, 2, 0],
}


@pytest.mark.parametrize("name", INDEXES)
def test_index_constants(name: str) -> None:
    tensor = mutant(specimen("TRANSPOSE").model, name).model.subgraphs[0].tensors[1]
    assert values_of(tensor).tolist() == INDEXES[name]
    assert tensor.shape == np.shape(INDEXES[name])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "float32", "bool"])
def test_index_types(dtype: str) -> None:
    tensor = (
        mutant(specimen("TRANSPOSE").model, f"TRANSPOSE input1 type {dtype}").model.subgraphs[0].tensors[1]
    )
    assert tensor.dtype == dtype
    assert values_of(tensor).astype(int).tolist() == ([0, 1, 1, 1] if dtype == "bool" else [0, 2, 1, 3])


def test_shapes_of_constants_keep_their_data_and_scales_whole() -> None:
    model = mutant(specimen("CONV_2D").model, "CONV_2D input1 dimension 0: 5 -> 6").model
    weight = model.subgraphs[0].tensors[1]
    assert (weight.shape, weight.nbytes, weight.quantization.scale.size) == (
        (6, 3, 3, 3),
        len(weight.data),
        6,
    )


def test_options() -> None:
    model = specimen("CONV_2D").model
    zero = mutant(model, "CONV_2D option stride_w = 0").model.subgraphs[0].operators[0]
    other = mutant(model, "CONV_2D options are Pool2DOptions").model.subgraphs[0].operators[0]
    none = mutant(model, "CONV_2D options missing").model.subgraphs[0].operators[0]
    assert zero.options.get("stride_w") == 0
    assert zero.options.get("stride_h") == 1
    assert (other.options.type, none.options) == ("Pool2DOptions", None)


WIRING = {
    "CONV_2D input2 absent (-1)": ((0, 1, -1), (3,)),
    "CONV_2D input2 left out": ((0, 1), (3,)),
    "CONV_2D input0 swapped with input1": ((1, 0, 2), (3,)),
    "CONV_2D input1 is input0 again": ((0, 0, 2), (3,)),
    "CONV_2D inputs one more": ((0, 1, 2, 0), (3,)),
    "CONV_2D input0 is the output too": ((0, 1, 2), (0,)),
    "CONV_2D outputs none": ((0, 1, 2), ()),
}


@pytest.mark.parametrize("name", WIRING)
def test_wiring(name: str) -> None:
    op = mutant(specimen("CONV_2D").model, name).model.subgraphs[0].operators[0]
    assert (op.inputs, op.outputs) == WIRING[name]


@pytest.mark.parametrize("of", SLICE[2:4] + SLICE[-1:], ids=lambda of: " ".join(of))
def test_every_mutant_is_a_file_unlike_the_model_it_comes_from(of: tuple[str, str]) -> None:
    model = specimen(*of).model
    good, files = model_bytes(model), Counter(model_bytes(m.model) for m in mutants(model))
    assert len(files) > 100
    assert good not in files


def test_the_choice_is_even_and_repeatable() -> None:
    kinds = [["a"] * 50 + ["b"] * 3 + [""] * 9, ["a"] * 2]
    found = chosen(kinds, 9, seed=1)
    cells = Counter((number, kinds[number][at]) for number, at in found)
    assert cells == {(0, "a"): 4, (0, "b"): 3, (1, "a"): 2}
    assert found == chosen(kinds, 9, seed=1) != chosen(kinds, 9, seed=2)
    assert len(chosen(kinds, 0, seed=1)) == 55


def endless() -> Model:
    """Return a loop with a condition that is always true."""
    builder = ModelBuilder()
    graphs = [builder.subgraph(name) for name in ("main", "cond", "body")]
    ends = [[g.tensor(f"t{n}", (1,), "int32") for n in range(2)] for g in graphs]
    graphs[0].add("WHILE", ends[0][:1], ends[0][1:], cond_subgraph_index=1, body_subgraph_index=2)
    more = graphs[1].tensor("more", (1,), "bool")
    graphs[1].add("EQUAL", [ends[1][0], ends[1][0]], [more])
    graphs[2].add("ABS", ends[2][:1], ends[2][1:])
    for g, e in zip(graphs, ends, strict=True):
        g.inputs(e[0])
        g.outputs(more if g is graphs[1] else e[1])
    return builder.finish()


STAGES = {
    "TRANSPOSE input1 [1] 2 -> 100": ("TRANSPOSE", "refused", "permutations array is out of bounds"),
    "BROADCAST_TO input1 empty": ("BROADCAST_TO", "fails", "must be broadcastable"),
    "SPLIT input0 empty": ("SPLIT", "crashes", "signal 11"),
    "TRANSPOSE version 1 -> 2": ("TRANSPOSE", "runs", ""),
}


@pytest.mark.runtime
@pytest.mark.parametrize("name", STAGES)
def test_stages_of_litert(litert: LiteRT, name: str) -> None:
    of, stage, said = STAGES[name]
    good, changed = specimen(of), mutant(specimen(of).model, name).model
    answer = litert.ask(model_bytes(changed), feeds(good.model, good.inputs, changed), "reference")
    assert answer.stage == stage
    assert said in answer.message
    assert bool(answer.outputs) == (stage == "runs")
    again = litert.ask(model_bytes(good.model), [good.inputs], "reference")
    assert again.stage == "runs", "a crash must not reach the next model"


@pytest.mark.parametrize(
    ("dtype", "ends"),
    [("int4", (-8, 7)), ("int2", (-2, 1)), ("int8", (-128, 127))],
    ids=["int4", "int2", "int8"],
)
@pytest.mark.parametrize("usual", [(-128, 127), (100, 120)], ids=["whole range", "high values"])
def test_inputs_stay_in_the_range_of_their_type(
    dtype: str, ends: tuple[int, int], usual: tuple[int, int]
) -> None:
    def one_input(of: str) -> Model:
        builder = ModelBuilder()
        graph = builder.subgraph()
        index = graph.tensor("input", (64,), of)
        graph.inputs(index)
        graph.outputs(index)
        return builder.finish()

    values = np.linspace(*usual, 64).astype(np.int8)
    steps = [step[0] for step in feeds(one_input("int8"), [values], one_input(dtype))]
    kept = np.clip(values, *ends)
    highest, lowest = (ends[1], ends[0]) if usual == (-128, 127) else (ends[1], min(100, ends[1]))
    assert len(steps) == 4
    np.testing.assert_array_equal(steps[0], kept)
    assert set(steps[1].tolist()) <= {lowest, highest}
    assert set(steps[2].tolist()) == {highest}
    assert set(steps[3].tolist()) == {lowest}


@pytest.mark.runtime
def test_a_hang_is_a_crash() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with LiteRT(seconds=1.0) as litert:
        answer = litert.ask(model_bytes(endless()), [[np.ones(1, np.int32)]], "optimized")
    assert (answer.stage, answer.message) == ("crashes", "hangs in run")


FATE = {
    "ADD output0 scale*1.5": ("right", "right"),
    "ADD version 1 -> 99": ("refused", "An older version"),
    "RESHAPE output0 scale*1.5": ("wrong", "steps"),
    "RESHAPE output0 dimension 0: 1 -> 2": ("wrong", "stated [2, 12, 6]"),
    "RESHAPE input0 no parameters": ("undefined", "one side"),
    "GELU output0 type int16": ("refused", ""),
}


@pytest.mark.runtime
@pytest.mark.parametrize("name", FATE)
def test_impacts_of_mutants(litert: LiteRT, name: str) -> None:
    good, referee = specimen(name.split()[0]), Referee(litert)
    base = referee.baseline(good)
    assert worst(referee.fates(good, base, good.model)) == "right"
    fates = referee.fates(good, base, mutant(good.model, name).model)
    fate, said = FATE[name]
    assert worst(fates) == fate
    assert said == "right" or any(said in f.message for f in fates.values())


@pytest.mark.runtime
@pytest.mark.parametrize("of", SLICE, ids=lambda of: " ".join(of))
def test_a_good_model_is_right_at_every_step(litert: LiteRT, of: tuple[str, str]) -> None:
    base = Referee(litert).baseline(specimen(*of))
    assert (base.steps, len(base.resolvers), base.stated) == ((0, 1, 2, 3), 3, True)
    assert max(base.slack) < 1


def test_a_float_model_has_the_real_values_of_integers() -> None:
    good = specimen("CONV_2D").model
    weight, found = good.subgraphs[0].tensors[1], twin(good, good).model.subgraphs[0].tensors[1]
    scales = weight.quantization.scale.reshape(5, 1, 1, 1)
    assert found.dtype == "float32"
    np.testing.assert_allclose(values_of(found), values_of(weight) * scales, rtol=1e-6)


def test_a_tensor_without_its_scale_has_no_real_values() -> None:
    good = specimen("CONV_2D").model
    with pytest.raises(UndefinedError, match="one side"):
        twin(good, mutant(good, "CONV_2D input1 no parameters").model)


def test_unwritten_memory_has_no_real_values() -> None:
    good = specimen("TRANSPOSE, RESHAPE, FULLY_CONNECTED").model
    with pytest.raises(UndefinedError, match="read before it is made"):
        twin(good, mutant(good, "RESHAPE operator behind the next").model)


@pytest.mark.parametrize("axis", [0, 5], ids=["3 of 2 channels", "no such dimension"])
def test_channels_without_a_scale_have_no_real_values(axis: int) -> None:
    """A runtime can replace the shape of a per-channel output; its scales belong to the stated shape."""
    q = qparams([0.5, 0.25, 2.0], 1, axis=0)
    assert real(np.full((3, 1), 5), q).ravel().tolist() == [2, 1, 8]
    with pytest.raises(UndefinedError, match="different number of channels"):
        real(np.zeros((2, 3)), replace(q, axis=axis))


def test_distances_of_outputs() -> None:
    tensor = specimen("CONV_2D").model.subgraphs[0].tensors[3]
    q = tensor.quantization
    got = np.array([-128, 0, 127], np.int8)
    assert off(got, real(got, q), tensor, q) == 0
    assert off(got, real(np.array([-128, 3, 127]), q), tensor, q) == pytest.approx(3)
    assert off(got, np.array([-1e9, float(real(got, q)[1]), np.nan]), tensor, q) == 0
    assert off(got, real(got, q)[:2], tensor, q) == float("inf")


def outcome(fate: str, said: str, page: tuple[str, ...] = (), kind: str = "shape") -> Outcome:
    violations = ("X/limits/y",) if said == "violation" else ()
    verdict = Verdict(said, violations, page=page)
    return Outcome(
        "a model", "int8", kind, "X", "input0", "scalar", {"reference": Fated(fate, "7 of 9")}, verdict
    )


def test_misses_and_false_alarms() -> None:
    found = [outcome(f, s) for f in FATES for s in ("violation", "warned", "not checked", "silent")]
    assert {o.fate for o in misses(found)} == set(BAD)
    assert {o.verdict.said for o in misses(found)} == {"silent"}
    assert [(o.fate, o.verdict.said) for o in false_alarms(found)] == [("right", "violation")]
    assert not false_alarms([outcome("right", "violation", page=("X/limits/y",))])


def test_limits_of_misses_and_false_alarms() -> None:
    good = [outcome("refused", "violation")] * 99
    assert not failed([*good, outcome("refused", "silent")])
    assert failed([*good, outcome("wrong", "silent"), outcome("wrong", "silent")])
    assert failed([*good, outcome("right", "violation")])


def test_a_reason_fits_by_all_its_patterns() -> None:
    alarm = outcome("right", "violation")
    assert not alarm.reason
    for path, change, fits in (("output", "200", True), ("steps", "200", False), ("output", "x", False)):
        verdict = Verdict("violation", ("X/other", f"X/{path}/zero_point"))
        found = replace(alarm, verdict=verdict, change=f"zero point {change}" if change == "200" else change)
        assert bool(found.reason) == fits
        assert bool(false_alarms([found])) != fits
    assert not replace(found, fates={"reference": Fated("undefined")}).reason


def test_every_reason_has_a_text_and_existing_fields() -> None:
    known = outcome("right", "violation").fields.keys()
    for entry in reasons():
        assert entry.keys() - {"reason"} <= known
        assert entry["outcome"] in ("miss", "false alarm")
        assert len(entry) > 2
        assert len(entry["reason"]) > 30


def test_the_table_counts_everything_once() -> None:
    found = [
        outcome("refused", "silent"),
        outcome("crashes", "violation"),
        outcome("right", "silent", kind="type"),
    ]
    lines = [line.split() for line in table(found).splitlines()]
    assert [line[:2] for line in lines[1:]] == [["shape", "2"], ["type", "1"], ["all", "3"]]
    assert lines[-1][2:] == ["1", "1", "0", "0", "0", "1", "1", "0", "0", "1", "0", "0", "0"]


def test_similar_mutants_are_one_line() -> None:
    other = replace(
        outcome("refused", "silent"), change="empty", fates={"reference": Fated("refused", "8 of 10")}
    )
    (line,) = grouped([outcome("refused", "silent"), other])
    assert line.startswith("2 x X int8 | shape | input0: scalar; empty | refused 7 of 9 (all) | silent")


def mute(path: Path) -> ModelReport:
    """Return a report in which every model conforms."""
    operators = tuple(OperatorReport(0, n, "ANY", "", "conforms") for n in range(9))
    return ModelReport(str(path), "", 0, operators=operators)


def sample(of: tuple[str, str]) -> list[int]:
    kinds = [f"{m.kind} {m.operator}" for m in mutants(specimen(*of).model)]
    return [at for _, at in chosen([kinds], number_of(of), seed=3)]


@pytest.mark.runtime
@pytest.mark.parametrize("of", SLICE, ids=lambda of: " ".join(of))
def test_the_slice(litert: LiteRT, tmp_path: Path, of: tuple[str, str]) -> None:
    """Mutants that LiteRT rejects, crashes on or miscomputes have a finding; correct mutants have no violation."""
    found = in_process(specimen(*of), sample(of), litert, tmp_path)
    assert len(found) == number_of(of)
    assert any(o.fate in BAD for o in found)
    assert [*grouped(misses(found)), *grouped(false_alarms(found))] == []


@pytest.mark.runtime
def test_a_validator_without_findings_is_noticed(litert: LiteRT, tmp_path: Path) -> None:
    """A validator without findings fails the slice (negative control)."""
    of = SLICE[0]
    found = in_process(specimen(*of), list(sample(of))[::2], litert, tmp_path, mute)
    bad = [o for o in found if o.fate in BAD]
    assert len(bad) > 3
    assert misses(found) == [o for o in bad if not o.reason]
    assert failed(found)


#: Mutants with an impact of each kind, and the impact.
IMPACTS = {
    ("TRANSPOSE", "int8", "TRANSPOSE input1 [1] 2 -> 100"): "fails to load",
    ("SPLIT", "int8", "SPLIT input0 empty"): "crashes",
    ("RESHAPE", "int8", "RESHAPE output0 scale*1.5"): "wrong results",
    ("BROADCAST_TO", "int8", "BROADCAST_TO input1 empty"): "fails at run time",
}


#: Mutants of an operator's constants and calls, each with the violation and the impact; None beside a correct mutant.
CONSTANTS_AND_CALLS: dict[tuple[str, str], tuple[str | None, str]] = {
    ("LSTM", "LSTM input1 given at run time"): ("LSTM/limits/computed_gate_constants", "crashes"),
    ("LSTM", "LSTM input13 given at run time"): ("LSTM/limits/computed_gate_constants", "crashes"),
    ("LSTM layer norm", "LSTM input13 given at run time"): (None, IGNORED),
    ("LSTM layer norm", "LSTM input21 given at run time"): (None, IGNORED),
    ("LSTM peephole, projected", "LSTM input10 given at run time"): (None, IGNORED),
    ("LSTM peephole, projected", "LSTM input16 given at run time"): (
        "LSTM/limits/computed_gate_constants",
        "crashes",
    ),
    ("LSTM layer norm", "LSTM intermediate1 several axes"): ("LSTM/limits/multi_axis_gates", "crashes"),
    ("LSTM layer norm", "LSTM intermediate2 blockwise"): ("LSTM/limits/blockwise_gates", "crashes"),
    ("LSTM", "LSTM intermediate1 several axes"): (None, IGNORED),
    ("LSTM", "LSTM intermediate2 blockwise"): (None, IGNORED),
    ("IF", "IF input1 absent (-1)"): ("IF/limits/absent_call_inputs", "crashes"),
    ("IF", "IF input1 dimension 0: 2 -> 3"): ("ADD/shapes", "fails to load"),
    ("IF", "IF input1 dimension 0: 2 -> 1"): (None, IGNORED),
    ("WHILE", "WHILE input1 absent (-1)"): ("WHILE/limits/absent_call_inputs", "crashes"),
    ("WHILE", "WHILE input1 dimension 1: 3 -> 4"): ("ADD/shapes", "fails to load"),
    ("WHILE", "LESS input1 one element more"): ("WHILE/shapes", "fails to load"),
    ("WHILE", "LESS input1 scalar"): (None, IGNORED),
    ("WHILE", "ADD input1 [0] 1 -> 0"): ("WHILE/limits/loop_end", "crashes"),
    ("WHILE", "ADD input1 [0] 1 -> -2"): ("WHILE/limits/loop_end", "crashes"),
    ("WHILE", "ADD input1 [0] 1 -> 2"): (None, IGNORED),
    ("CALL_ONCE, variables", "READ_VARIABLE output0 dimension 1: 3 -> 2"): ("ADD/shapes", "fails to load"),
    ("CALL_ONCE, variables", "READ_VARIABLE output0 dimension 1: 3 -> 1"): (None, IGNORED),
}


@pytest.mark.runtime
@pytest.mark.parametrize("of", CONSTANTS_AND_CALLS, ids=lambda of: of[1])
def test_constants_and_calls(litert: LiteRT, tmp_path: Path, of: tuple[str, str]) -> None:
    """LiteRT shows the stated impact; a correct mutant of the same place has no violation (negative control)."""
    good = specimen(of[0])
    at = next(n for n, m in enumerate(mutants(good.model)) if m.name == of[1])
    (found,) = in_process(good, [at], litert, tmp_path)
    path, impact = CONSTANTS_AND_CALLS[of]
    assert {f.fate for f in found.fates.values()} == {"right"} if path is None else found.fate in BAD
    assert found.impacts == (None if path is None else impact, impact)
    assert found.verdict.violations == () if path is None else path in found.verdict.violations


def falsified(path: Path) -> ModelReport:
    """Return the default report with the impact of every finding replaced by a different impact."""
    report = by_default(path)
    others = {"fails to load": "crashes"}
    changed = (replace(f, effect=others.get(f.effect, "fails to load")) for f in report.findings)
    return replace(report, findings=tuple(changed))


@pytest.mark.runtime
@pytest.mark.parametrize("of", IMPACTS, ids=lambda of: of[2])
def test_a_false_impact_is_noticed(litert: LiteRT, tmp_path: Path, of: tuple[str, str, str]) -> None:
    """The stated impact is the measured impact; every different impact is untrue (negative control)."""
    good = specimen(*of[:2])
    at = next(n for n, m in enumerate(mutants(good.model)) if m.name == of[2])
    (true,) = in_process(good, [at], litert, tmp_path)
    assert true.impacts == (IMPACTS[of], IMPACTS[of])
    assert (compared([true]), untrue([true]), failed([true])) == ([true], [], False)
    (false,) = in_process(good, [at], litert, tmp_path, falsified)
    assert false.impacts[0] != false.impacts[1] == IMPACTS[of]
    assert (untrue([false]), failed([false])) == ([false], True)
    assert "stated" in next(grouped(untrue([false])))


@pytest.mark.runtime
@pytest.mark.parametrize(("change", "hidden"), [("scale*1.001", True), ("scale*4", False)])
def test_an_impact_below_the_tolerance_is_proved_by_a_larger_change(
    litert: LiteRT, tmp_path: Path, change: str, hidden: bool
) -> None:
    """Outputs of slightly different parameters agree within the tolerance; a larger change has the stated impact."""
    good = specimen("GATHER")
    at = next(n for n, m in enumerate(mutants(good.model)) if m.name == f"GATHER output0 {change}")
    (found,) = in_process(good, [at], litert, tmp_path)
    assert found.impacts == ("wrong results", IGNORED if hidden else "wrong results")
    assert (found.hidden, found.untrue) == (hidden, False)
    assert replace(found, hidden=False).untrue == hidden
