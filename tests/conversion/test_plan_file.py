"""Plans as files: the layout of json.dumps for any content."""

from __future__ import annotations

import json

import numpy as np
import pytest

from litecheck.conversion.conversion_plan import ConstantChange, ConversionPlan
from litecheck.conversion.plan_file import plan_json, plan_values, read_plan
from litecheck.errors import ConfigError

NUMBERS = ([], [0.0], [1e-38, -2.5, 3e38, 7.0])


@pytest.mark.parametrize("numbers", NUMBERS)
def test_a_plan_has_the_layout_of_json_dumps(numbers: list[float]) -> None:
    change = ConstantChange(0, 1, True, 0, np.array(numbers))
    plan = ConversionPlan("", 'a "b", c', "int8", (), (), "new", ("µ, [1, 2]", ""), (change, change))
    text = plan_json(plan)
    assert text == json.dumps(plan_values(plan), indent=1) + "\n"
    assert [one.values.tolist() for one in read_plan(text, "p").changes] == [numbers, numbers]


def test_a_plan_holds_no_nan() -> None:
    change = ConstantChange(0, 1, True, 0, np.array([np.nan]))
    with pytest.raises(ValueError, match="JSON compliant"):
        plan_json(ConversionPlan("", "", "int8", (), (), "new", (), (change,)))


@pytest.mark.parametrize("end", ["1e308", "-1e308", "1e999", "9" * 400])
def test_a_range_beyond_float32_is_an_error(end: str) -> None:
    form = f'{{"dtype": "int8", "scale": [1.0], "zero_point": [0], "range": [0.0, {end}]}}'
    tensor = f'{{"subgraph": 0, "tensor": 0, "name": "", "forms": [{form}], "written": 0, "read": []}}'
    head = '"litecheck_plan": 1, "source": "", "profile": "", "to": "int8", "generation": "new"'
    with pytest.raises(ConfigError, match=r"p: tensors\[0\]\.forms\[0\]"):
        read_plan(f'{{{head}, "tensors": [{tensor}]}}', "p")


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b"\xff", b"", b"9" * 5000, b'{"a": NaN}', b'{"a": 1, "a": 1}']
)
def test_a_plan_that_is_no_json_is_an_error(content: bytes) -> None:
    with pytest.raises(
        ConfigError, match=r"^p(:1)?: not JSON: .*\. --save-plan writes a plan; a recipe is for --recipe$"
    ):
        read_plan(content, "p")


def test_json_that_is_no_plan_is_an_error() -> None:
    with pytest.raises(
        ConfigError, match=r"^p: no plan: got no litecheck_plan of 1\. --save-plan writes a plan"
    ):
        read_plan("[]", "p")
