"""Layout of JSON: that of json.dumps, also for decimals whose text numpy has written."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litecheck.conversion.json_layout import Decimals, layout_json


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=4))
@example([1e-4])
@example([9.9999e-5, 1e-5])
@example([16777216.0, 1e9, 1.5e16, 3.4e38])
@example([1e-45, -0.0])
def test_decimals_have_the_layout_of_json_dumps(numbers: list[float]) -> None:
    decimals = Decimals(np.array(numbers, np.float32))
    assert decimals == [float(str(np.float32(number))) for number in numbers]
    assert layout_json({"scale": decimals}, "\n") == json.dumps({"scale": list(decimals)}, indent=1)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_finite_are_an_error(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        layout_json(Decimals(np.float32([1, value])), "\n")
