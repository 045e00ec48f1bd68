"""The file of known faults: each entry has a location, condition, description and evidence. Conditions are parsed
strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.finding import Effect
from litecheck.profile import known_faults as module
from litecheck.profile.implicit_requirements import implied_requirements
from litecheck.profile.known_faults import bind_operands, faults_of, has_faults, known_faults
from litecheck.profile.load import load_profile
from litecheck.quantization import BITS
from litecheck.reference.registry import kernels
from tests.checks.table import single_operator

FAULTS = yaml.safe_load((rules_dir() / "arithmetic" / "known-faults.yaml").read_text("utf-8"))["faults"]
NEEDED = {"operator", "types", "resolvers", "versions", "does", "evidence"}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f['operator']} {'-'.join(f['resolvers'])}")
def test_a_known_fault_has_all_fields(fault: dict[str, object]) -> None:
    assert fault.keys() - {"see", "outcome", "beside", "when", "depends_on"} == NEEDED
    assert isinstance(fault["resolvers"], list)
    assert set(fault["resolvers"]) <= {"reference", "optimized", "xnnpack", "tflm"}
    assert all(isinstance(fault[key], str) and fault[key] for key in NEEDED - {"types", "resolvers"})
    assert set(str(fault["operator"]).split(", ")) <= kernels().keys()
    assert fault.get("depends_on", "values") == "values"
    assert set(fault["types"]) <= BITS.keys()  # type: ignore[call-overload]


def test_no_known_fault_is_listed_twice() -> None:
    told = [(f["operator"], tuple(f["types"]), tuple(f["resolvers"]), f["does"]) for f in FAULTS]
    assert len(set(told)) == len(told)


def test_every_fault_of_the_file_is_read() -> None:
    assert len(known_faults()) == len(FAULTS)
    assert [bool(f.when) for f in known_faults()] == ["when" in f for f in FAULTS]


@pytest.mark.parametrize(
    ("resolvers", "outcome", "effect"),
    [
        ("xnnpack, reference", "mismatch", "wrong results"),
        ("reference, optimized", "mismatch", "wrong results without the default delegate"),
        ("reference", "crashed", "crashes the reference resolver only"),
        ("optimized, xnnpack", "crashed", "crashes"),
        ("tflm", "crashed", "crashes"),
        ("reference", "refused", "rejected by the reference resolver only"),
        ("xnnpack", "refused", "rejected by the default interpreter only"),
        ("reference, optimized, xnnpack", "refused", "fails to load"),
    ],
)
def test_impact(resolvers: str, outcome: str, effect: Effect, written: Path) -> None:
    rest = "types: [int8], versions: v, does: d, evidence: e"
    (written / "known-faults.yaml").write_text(
        f"faults: [{{operator: ADD, resolvers: [{resolvers}], outcome: {outcome}, {rest}}}]"
    )
    assert known_faults.__wrapped__()[0].effect == effect


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the file of known faults."""
    folder = tmp_path / "arithmetic"
    folder.mkdir()
    monkeypatch.setattr(module, "rules_dir", lambda: tmp_path)
    return folder


WHOLE = "operator: ADD, types: [int8], resolvers: [xnnpack], versions: v, does: d, evidence: e"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("faults: none", "faults is a list"),
        ("faults: [{operator: ADD}]", "without types, resolvers, versions, does, evidence"),
        ("faults: [{operater: ADD}]", "did you mean 'operator'"),
        ("fault: []", "did you mean 'faults'"),
        (f"faults: [{{{WHOLE}, outcome: odd}}]", "there is no outcome 'odd'"),
        (f"faults: [{{{WHOLE}, when: {{lhs.tpye: int8}}}}]", "there is no condition 'lhs.tpye'"),
        (f"faults: [{{{WHOLE}, when: {{scale_ratio: 1..x}}}}]", "'x' is not a number"),
    ],
)
def test_a_broken_file_is_refused(content: str, message: str, written: Path) -> None:
    (written / "known-faults.yaml").write_text(content)
    with pytest.raises(ProfileError, match=r"known-faults\.yaml:1") as error:
        known_faults.__wrapped__()
    assert message in str(error.value)


def test_outputs_that_are_always_wrong() -> None:
    found = {
        (kind, f.types[0]) for f in known_faults() if f.always for kind in f.operators if "CUSTOM" not in kind
    }
    assert found == {("SUM", "int8"), ("SUM", "int16"), ("GREATER", "int16")}


def test_alternatives_hold_if_one_does(written: Path) -> None:
    when = "when: [{lhs.rank: 3, rhs.rank: 1}, {lhs.elements: 8..}]"
    (written / "known-faults.yaml").write_text(f"faults: [{{{WHOLE}, {when}}}]")
    (fault,) = known_faults.__wrapped__()
    held = {}
    for lhs, rhs in (((1, 1, 2), (2,)), ((1, 1, 2), (1, 2)), ((8,), (8,)), ((7,), (7,))):
        model = single_operator("ADD", [lhs, rhs], lhs)
        held[lhs, rhs] = fault.holds(
            bind_operands(model, model.subgraphs[0], model.subgraphs[0].operators[0])
        )
    assert list(held.values()) == [True, False, True, False]


def test_structure_alone_excludes_a_fault(written: Path) -> None:
    """Broadcasting is a property of the form; the ratio of the scales, which is 1, is not."""
    when = "when: {broadcasts: yes, scale_ratio: 524288..}"
    (written / "known-faults.yaml").write_text(f"faults: [{{{WHOLE}, {when}}}]")
    (fault,) = known_faults.__wrapped__()
    possible = {}
    for rhs in ((4,), (1,)):
        model = single_operator("ADD", [(4,), rhs], (4,))
        operands = bind_operands(model, model.subgraphs[0], model.subgraphs[0].operators[0])
        possible[rhs] = (fault.possible(operands), fault.holds(operands))
    assert possible == {(4,): (False, False), (1,): (True, False)}


def test_an_operator_without_traits_has_a_role_for_each_tensor() -> None:
    model = single_operator("CUSTOM", [(4,), (4,)], (4,))
    operands = bind_operands(model, model.subgraphs[0], model.subgraphs[0].operators[0])
    assert list(operands.roles) == ["0", "1", "2"]
    assert faults_of(operands) == ()
    assert (has_faults("SUM"), has_faults("RESHAPE")) == (True, False)


def test_a_fault_is_a_requirement_of_its_runtime_alone() -> None:
    asked = {
        name: list(implied_requirements(load_profile(name), "SVDF/known_fault"))
        for name in ("litert-runtime", "tflm")
    }
    assert ["tflm" in r.demand.profile for found in asked.values() for r in found] == [False, True]
    assert {r.level for found in asked.values() for r in found} == {"note"}
