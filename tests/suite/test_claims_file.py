"""The reader of claims: the template, the published schema, and errors with their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from litecheck.data import rules_dir, schemas_dir
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import read_yaml
from litecheck.suite import claims_file
from litecheck.suite.claims import Claims
from litecheck.suite.claims_file import load_claims

TEMPLATE = rules_dir() / "suite" / "claims-template.yaml"
TEXT = """\
claims: small
device: {name: board, version: r1}
profile:
  name: litert-int8
  version: 0.1.0
level: standard
types: int8
arithmetic: litert-reference
operators:
  ADD:
  CONV_2D:
    granularity: per-axis
    arithmetic: [tflm, litert-xnnpack]
    tolerance: 1
    because: a table
    limits: {stride_w: 1..3}
  "*": {types: [int8, int16]}
"""


def read(folder: Path, text: str = TEXT) -> Claims:
    path = folder / "claims.yaml"
    path.write_text(text)
    return load_claims(path)


def test_an_operator_inherits_the_claims_of_all_operators(tmp_path: Path) -> None:
    claims = read(tmp_path)
    conv, add, other = (claims.of(name) for name in ("CONV_2D", "ADD", "SOFTMAX"))
    assert conv is not None
    assert add is not None
    assert (conv.granularities, conv.arithmetics) == (("per-axis",), ("tflm", "litert-xnnpack"))
    assert conv.tolerance is not None
    assert (conv.tolerance.tolerance, conv.tolerance.because, conv.limited) == (1, "a table", True)
    assert (add.types, add.arithmetics, add.tolerance) == (("int8", "int16"), ("litert-reference",), None)
    assert add == other
    assert not add.limited


def test_a_list_of_operators_claims_only_these(tmp_path: Path) -> None:
    text = TEXT[: TEXT.index("operators:")] + "operators: [ADD, SUB]\n"
    claims = read(tmp_path, text)
    assert claims.of("CONV_2D") is None
    add = claims.of("ADD")
    assert add is not None
    assert (add.types, add.arithmetics) == (("int8",), ("litert-reference",))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("claims: small", "claim: small", 1, "unknown key 'claim'; did you mean 'claims'?"),
        ("claims: small\n", "", 1, "the key claims is missing"),
        ("{name: board, version: r1}", "{name: board}", 2, "the key version is missing"),
        ("version: r1}", "version: r1, drivers: 3}", 2, "unknown key 'drivers'; did you mean 'driver'?"),
        ("device: {name: board, version: r1}\n", "", 1, "the key device is missing"),
        ("name: litert-int8", "name: litert-in8", 4, "profile: no 'litert-in8'; did you mean 'litert-int8'?"),
        (
            "  version: 0.1.0\n",
            "",
            4,
            "profile: got no version, expected the version of litecheck that made the",
        ),
        ("level: standard", "level: standart", 6, "level: no 'standart'; did you mean 'standard'?"),
        ("level: standard\n", "", 1, "the key level is missing"),
        ("types: int8\n", "types: int9\n", 7, "types: no 'int9'; did you mean 'int2', 'int4' or 'int8'?"),
        (
            "arithmetic: litert-reference",
            "arithmetic: litert-refrence",
            8,
            "did you mean 'litert-reference'?",
        ),
        ("  ADD:\n", "  ADDD:\n", 10, "operators: no 'ADDD'; did you mean 'ADD'?"),
        ("granularity: per-axis", "granularity: per-channel", 12, "granularity: no 'per-channel'"),
        ("    because: a table\n", "", 11, "and a because"),
        ("tolerance: 1", "tolerance: 0.5", 14, "a tolerance counts LSB"),
        ("    tolerance: 1\n", "", 11, "conformance takes a tolerance"),
        ("limits: {stride_w: 1..3}", "limits: {strid_w: 1..3}", 16, "no measurement 'strid_w'; did you mean"),
        ("limits:", "limit:", 16, "unknown key 'limit'; did you mean 'limits'?"),
        ("types: [int8, int16]}", "limits: {stride_w: 1}}", 17, "limits are stated operator by operator"),
        ("  ADD:\n", "  ADD:\n  ADD:\n", 11, "stands here twice"),
        ("types: int8\n", "types: int8\nextensions: litert-int9\n", 8, "did you mean 'litert-int8'?"),
    ],
)
def test_errors_have_their_line_number(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in TEXT
    with pytest.raises(ProfileError) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    assert message in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path}/claims.yaml:{line}: ")


def test_a_claim_without_operators_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="nothing is claimed"):
        read(tmp_path, TEXT[: TEXT.index("operators:")] + "operators: {}\n")


def test_paths_are_relative_to_the_claims(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("arithmetic: acme\nextends: litert-reference\n")
    (tmp_path / "npu.yaml").write_text("profile: acme-npu\nextends: litert-int8\n")
    text = TEXT.replace("litert-reference", "own.yaml").replace("name: litert-int8", "name: npu.yaml")
    claims = read(tmp_path, text)
    assert claims.default.arithmetics == ("acme",)
    assert claims.arithmetics == {"acme": str(tmp_path / "own.yaml")}
    assert claims.record.profile == "acme-npu"
    (tmp_path / "own.yaml").write_text("arithmetic: tflm\nextends: litert-reference\n")
    with pytest.raises(ProfileError, match="'tflm', which is another's name"):
        read(tmp_path, text)


def test_the_template_of_claims_is_valid() -> None:
    claims = load_claims(TEMPLATE)
    assert claims.record.extensions == ("litert-int16x8",)
    assert list(claims.arithmetics) == []
    assert len(claims.waivers) == 1
    assert set(read_yaml(TEMPLATE, "template").values) == set(claims_file.KEYS)


def test_the_published_schema_agrees_with_the_reader() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((schemas_dir() / "claims.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    plain = yaml.safe_load(TEMPLATE.read_text("utf-8"))
    plain["waivers"][0]["expires"] = str(plain["waivers"][0]["expires"])
    judge.validate(plain)
    judge.validate(yaml.safe_load(TEXT))
    keys = schema["properties"]
    assert tuple(keys) == claims_file.KEYS
    assert tuple(keys["device"]["properties"]) == claims_file.DEVICE_KEYS
    assert tuple(keys["profile"]["properties"]) == claims_file.PROFILE_KEYS
    assert tuple(schema["$defs"]["operator"]["properties"]) == claims_file.OPERATOR_KEYS
    plain["waivers"][0].pop("reason")
    assert not judge.is_valid(plain)


def test_a_list_of_operators_is_enough_beside_a_suite(tmp_path: Path) -> None:
    file = tmp_path / "only.yaml"
    file.write_text("operators: [ADD, TANH]\n")
    made = load_claims(file, "litert-int8")
    assert (made.record.name, made.record.profile, made.record.level) == ("only", "litert-int8", "smoke")
    assert set(made.operators) == {"ADD", "TANH"}
    assert (made.record.device.name, made.record.version) == ("", "")
    with pytest.raises(ProfileError, match="the key profile is missing"):
        load_claims(file)
