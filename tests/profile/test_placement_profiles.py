"""Profiles of placements: operators without an entry, the default impact, and allowed additions of a child."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.checks.validate import validate
from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.targets.ethos_u.placement import place_model

HEAD = "profile: npu\njudges: placement\nactivations: any\n"
NPU = f"{HEAD}unlisted: stays on the CPU\n"
STRICT = f"{HEAD}unlisted: the compiler rejects the model\n"
ABS = "ops:\n  ABS:\n    inputs: [input]\n    outputs: [output]\n"
INT8 = "profile: chip\nunlisted: violation\nkinds: {activation: {dtype: int8}}\n"
ACTIVE = "    tensors: {input: activation, output: activation}\n"


def written(folder: Path, text: str, name: str = "npu") -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


def model(opcode: str, dtype: str = "int8") -> Model:
    builder = ModelBuilder("")
    graph = builder.subgraph()
    ends = [graph.tensor(name, (1, 4), dtype, qparams(0.5)) for name in ("x", "y")]
    graph.add(opcode, ends[:1], ends[1:])
    graph.inputs(ends[0])
    graph.outputs(ends[1])
    return builder.finish()


def place(opcode: str, profile: Profile, dtype: str = "int8") -> tuple[str, list[tuple[str, str, str]]]:
    report, found = place_model(model(opcode, dtype), profile)
    return report.operators[0].place, [(f.path, f.level, f.effect) for f in found]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ABS, "npu.yaml:2: a profile that judges placement states unlisted: stays on the CPU, or unlisted: the"),
        (HEAD + "unlisted: violation\n" + ABS, "npu.yaml:4: a profile that judges .* rejects the model, not 'violation'"),
        (HEAD + "unlisted: not covered\n" + ABS, "npu.yaml:4: .* not 'not covered'"),
        (NPU + ABS + "effects: {'*': the profile forbids it}\n",
         "npu.yaml:9: 'the profile forbids it' does not say where the target runs the operator"),
    ],
)  # fmt: skip
def test_a_profile_of_placements_states_unlisted_operators(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        load_profile(written(tmp_path, text))


def test_a_demand_without_effect_leaves_the_operator_on_the_cpu(tmp_path: Path) -> None:
    demand = "    tensors: {input: {dtype: int16}}\n"
    profile = load_profile(written(tmp_path, NPU + ABS + demand))
    assert place("ABS", profile) == ("cpu", [("ABS/input/dtype", "warning", "stays on the CPU")])
    stated = load_profile(written(tmp_path, NPU + ABS + demand + "effects: {'*': crashes the compiler}\n"))
    assert place("ABS", stated) == ("crashes", [("ABS/input/dtype", "violation", "crashes the compiler")])


def test_a_childs_demand_has_the_same_effect_and_a_narrower_one_that_of_the_parent(tmp_path: Path) -> None:
    bytes_only = "    tensors: {input: {dtype: [int8, int16]}}\n"
    written(
        tmp_path, STRICT + ABS + bytes_only + "effects: {'*': the compiler rejects the model}\n", "parent"
    )
    child = written(
        tmp_path, "profile: child\nextends: parent.yaml\nops: {ABS: {limits: {input.rank: 4}}}\n", "child"
    )
    assert place("ABS", load_profile(child)) == (
        "cpu",
        [("ABS/limits/input.rank", "warning", "stays on the CPU")],
    )
    narrower = child.read_text().replace("limits: {input.rank: 4}", "tensors: {input: {dtype: int16}}")
    assert place("ABS", load_profile(written(tmp_path, narrower, "child"))) == (
        "refused",
        [("ABS/input/dtype", "violation", "the compiler rejects the model")],
    )


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (NPU, ("cpu", [("CAST/unsupported", "warning", "stays on the CPU")])),
        (STRICT, ("refused", [("CAST/unsupported", "violation", "the compiler rejects the model")])),
    ],
)
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_an_entry_may_consist_of_unsupported(
    tmp_path: Path, head: str, found: tuple[str, list[tuple[str, str, str]]], dtype: str
) -> None:
    profile = load_profile(written(tmp_path, head + "ops:\n  CAST: {unsupported: it has no converter}\n"))
    assert place("CAST", profile, dtype) == found
    (finding,) = place_model(model("CAST", dtype), profile)[1]
    assert finding.because == "it has no converter"
    assert str(finding.demanded_by).endswith("npu.yaml:6")


@pytest.mark.parametrize(("dtype", "status"), [("int8", "violates"), ("float32", "not covered")])
def test_unsupported_applies_to_the_activation_types_of_the_profile(
    tmp_path: Path, dtype: str, status: str
) -> None:
    text = (
        "profile: chip\nkinds: {activation: {dtype: int8}}\nops: {CAST: {unsupported: it has no converter}}\n"
    )
    profile = load_profile(written(tmp_path, text))
    report = validate(model("CAST", dtype), profiles=(profile,))
    assert [op.status for op in report.operators] == [status]


def test_the_operands_that_are_not_named_have_the_usual_names(tmp_path: Path) -> None:
    text = (
        f"{NPU}ops:\n  CONV_2D: {{unsupported: it has no sums}}\n  CUSTOM: {{unsupported: nobody knows it}}\n"
    )
    rules = load_profile(written(tmp_path, text)).operators
    assert (rules["CONV_2D"].inputs, rules["CONV_2D"].outputs) == (("input", "weight", "bias"), ("output",))
    assert rules["CONV_2D"].optional == frozenset(rules["CONV_2D"].roles)
    assert (rules["CUSTOM"].inputs, rules["CUSTOM"].outputs) == (("values",), ("results",))


@pytest.mark.parametrize("reason", ["", "yes", "true", "No"])
def test_unsupported_takes_a_reason(tmp_path: Path, reason: str) -> None:
    with pytest.raises(ProfileError, match=r"npu.yaml:6: unsupported takes the reason, a clause"):
        load_profile(written(tmp_path, f"{NPU}ops:\n  CAST: {{unsupported: {reason}}}\n"))


def test_an_entry_with_further_keys_needs_its_operands(tmp_path: Path) -> None:
    text = f"{NPU}ops:\n  CAST: {{unsupported: it has none, tensors: {{input: {{dtype: int8}}}}}}\n"
    with pytest.raises(ProfileError, match=r"npu.yaml:6: inputs is missing"):
        load_profile(written(tmp_path, text))


CAST = "ops:\n  CAST:\n    inputs: [input]\n    outputs: [output]\n"
LETS = 'relaxes: {CAST/unsupported: {because: "version 2 has a converter"}}\n'


@pytest.mark.parametrize(
    ("parent", "does"),
    [
        (NPU + ABS, "leaves operators that it does not list on the CPU"),
        (STRICT + ABS, "has its compiler refuse operators that it does not list"),
        (INT8 + ABS + ACTIVE, "forbids operators that it does not list"),
    ],
)
def test_an_entry_that_the_parent_does_not_list_is_loosening(tmp_path: Path, parent: str, does: str) -> None:
    written(tmp_path, parent, "parent")
    head, active = "profile: child\nextends: parent.yaml\n", ACTIVE if "kinds" in parent else ""
    with pytest.raises(ProfileError) as error:
        load_profile(written(tmp_path, head + CAST + active, "child"))
    message = str(error.value)
    assert "child.yaml:4: CAST: " in message
    assert does in message
    assert message.endswith("loosening goes under relaxes, as CAST/unsupported, with a because")
    load_profile(written(tmp_path, head + CAST + active + LETS, "child"))


def test_a_relaxed_operator_runs_on_the_npu_with_the_reason(tmp_path: Path) -> None:
    written(tmp_path, NPU + ABS, "parent")
    child = written(tmp_path, f"profile: child\nextends: parent.yaml\n{CAST}{LETS}", "child")
    report, (finding,) = place_model(model("CAST"), load_profile(child))
    assert report.operators[0].place == "npu"
    assert finding.waiver is not None
    assert finding.waiver.reason == "version 2 has a converter"
    assert finding.demanded_by.profile == "npu"
    grandchild = written(tmp_path, "profile: third\nextends: child.yaml\n", "third")
    assert place("CAST", load_profile(grandchild))[0] == "npu"


@pytest.mark.parametrize(("shows", "status"), [("waived", "waived"), ("conforms", "conforms")])
def test_in_a_profile_of_quantization_the_operator_is_waived(tmp_path: Path, shows: str, status: str) -> None:
    written(tmp_path, INT8 + ABS + ACTIVE, "parent")
    lets = LETS.replace("}}", f", shows: {shows}}}}}")
    child = written(tmp_path, f"profile: child\nextends: parent.yaml\n{CAST}{ACTIVE}{lets}", "child")
    report = validate(model("CAST"), profiles=(load_profile(child),))
    assert [op.status for op in report.operators] == [status]


def test_an_entry_narrows_a_parent_without_unlisted(tmp_path: Path) -> None:
    written(tmp_path, INT8.replace("unlisted: violation\n", "") + ABS + ACTIVE, "parent")
    child = load_profile(written(tmp_path, f"profile: child\nextends: parent.yaml\n{CAST}{ACTIVE}", "child"))
    assert "CAST" in child.operators


@pytest.mark.parametrize("parent", [NPU + ABS, STRICT + ABS, INT8 + ABS + ACTIVE])
def test_unsupported_may_always_be_added(tmp_path: Path, parent: str) -> None:
    written(tmp_path, parent, "parent")
    text = "profile: child\nextends: parent.yaml\nops: {CAST: {unsupported: it has none}, ABS: {unsupported: nor this}}\n"
    child = load_profile(written(tmp_path, text, "child"))
    unsupported = [child.operators[opcode].unsupported for opcode in ("CAST", "ABS")]
    assert [one and one.because for one in unsupported] == ["it has none", "nor this"]


@pytest.mark.parametrize(
    ("parent", "body", "message"),
    [
        (STRICT + ABS, "ops: {CAST: {unsupported: no}}\neffects: {CAST: stays on the CPU}\n", "takes the reason"),
        (STRICT + ABS, "ops: {CAST: {unsupported: it has none}}\neffects: {CAST: stays on the CPU}\n",
         r"child.yaml:3: CAST: .*unsupported is milder here"),
        (INT8 + ABS + ACTIVE, "ops: {CAST: {unsupported: it has none}}\nlevels: {CAST: note}\n",
         r"child.yaml:3: CAST: .*unsupported is milder here"),
        (STRICT + ABS, "unlisted: stays on the CPU\n", "child.yaml:3: npu already has its compiler refuse unlisted"),
        (INT8 + ABS + ACTIVE, "unlisted: not covered\n", "child.yaml:3: chip already forbids unlisted operators"),
        (NPU + ABS, f"{CAST}relaxes: {{CAST/unsupported: {{value: int8, because: so}}}}\n",
         r"child.yaml:7: CAST/unsupported: relaxing it takes a because"),
        (NPU + ABS, f"{CAST}relaxes: {{CAST/unsupported: {{shows: waived}}}}\n", r"child.yaml:7: .* takes a because"),
        (NPU + ABS, "relaxes: {CAST/unsupported: {because: so}}\n", r"child.yaml:3: no requirement 'CAST/unsupported'"),
        (NPU + "ops: {CAST: {unsupported: it has none}}\n",
         "relaxes: {CAST/unsupported: {value: int8, because: so}}\n", "unsupported cannot be relaxed"),
    ],
)  # fmt: skip
def test_an_entry_milder_than_the_parents_is_an_error(
    tmp_path: Path, parent: str, body: str, message: str
) -> None:
    written(tmp_path, parent, "parent")
    with pytest.raises(ProfileError, match=message):
        load_profile(written(tmp_path, "profile: child\nextends: parent.yaml\n" + body, "child"))
