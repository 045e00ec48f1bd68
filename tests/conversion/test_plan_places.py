"""Plans with edits that operators do not support are rejected with their location; random edits raise no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.plan_file import plan_values
from litecheck.errors import ConfigError
from tests.conversion.edited_plans import Values, edited
from tests.differential.conversion import converted, models


def case(name: str, to: str = "int8"):
    ((_, model, runs),) = [one for one in models(0, name) if one[0] == name]
    return model, plan_values(converted(model, runs, to).plan)


def carry(model, values: Values, folder: Path):
    file = folder / "plan.json"
    file.write_text(json.dumps(values))
    return convert_model(model, plan=str(file), agreement=False)


def shifted(values: Values) -> None:
    for tensor in values["tensors"]:
        for form in tensor["forms"]:
            if form["dtype"] == "int8":
                form["dtype"], form["zero_point"] = "uint8", [zero + 128 for zero in form["zero_point"]]


def test_every_form_uint8_is_refused_with_the_operand(tmp_path: Path) -> None:
    model, values = case("ADD")
    shifted(values)
    with pytest.raises(
        ConfigError, match=r"operator #0 of subgraph 0 becomes int8, but its lhs, tensor \d+ 'x0', is uint8"
    ):
        carry(model, values, tmp_path)


def test_a_plan_to_uint8_is_converted(tmp_path: Path) -> None:
    model, values = case("RESHAPE")
    shifted(values)
    values["to"], values["profile"] = "uint8", "litert-uint8"
    values["operators"][0]["becomes"] = "uint8"
    assert carry(model, values, tmp_path).verdict == "conforms"


@pytest.mark.parametrize(("scale", "why"), [(1e-45, "as float32 has them"), (3e38, "as float32 has them"),
                                            (1e-12, "more than kernels can count")])  # fmt: skip
def test_scales_beyond_arithmetic_are_refused(tmp_path: Path, scale: float, why: str) -> None:
    model, values = case("ADD")
    values["tensors"][0]["forms"][0]["scale"] = [scale]
    with pytest.raises(ConfigError, match=why):
        carry(model, values, tmp_path)


def test_edits_at_random_conform_or_are_refused(tmp_path: Path) -> None:
    ends = set()
    model, values = case("net-separable")
    for seed in range(40):
        try:
            ends.add(carry(model, edited(model, values, seed)[0], tmp_path).verdict)
        except ConfigError:
            ends.add("refused")
    assert {"refused", "conforms"} <= ends <= {"refused", "conforms", "violates"}
