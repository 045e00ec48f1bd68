"""Plans as files: laid out as ever, whatever is in them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from litecheck.convert.plan import ConstantChange, ConversionPlan
from litecheck.convert.plan_file import plan_json, plan_values, read_plan

NUMBERS = ([], [0.0], [1e-38, -2.5, 3e38, 7.0])


@pytest.mark.parametrize("numbers", NUMBERS)
def test_a_plan_is_laid_out_as_json_dumps_does_it(numbers: list[float]) -> None:
    change = ConstantChange(0, 1, True, 0, np.array(numbers))
    plan = ConversionPlan("", 'a "b", c', "int8", (), (), "new", ("µ, [1, 2]", ""), (change, change))
    text = plan_json(plan)
    assert text == json.dumps(plan_values(plan), indent=1) + "\n"
    assert [one.values.tolist() for one in read_plan(text, "p").changes] == [numbers, numbers]


def test_a_plan_holds_no_nan() -> None:
    change = ConstantChange(0, 1, True, 0, np.array([np.nan]))
    with pytest.raises(ValueError, match="JSON compliant"):
        plan_json(ConversionPlan("", "", "int8", (), (), "new", (), (change,)))
