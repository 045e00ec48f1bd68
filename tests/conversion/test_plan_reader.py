"""Reading of plans: unknown keys are errors with their place."""

from __future__ import annotations

import json

import pytest

from litecheck import ConfigError
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.plan_reader import PlanReader
from tests.conversion.small_models import masked
from tests.conversion.test_convert_float import calibrated


@pytest.mark.parametrize(
    ("place", "key", "message"),
    [
        (lambda plan: plan, "tensor", "plan: unknown key 'tensor'; did you mean 'tensors'?"),
        (lambda plan: plan["tensors"][0], "scales", r"tensors\[0\]: unknown key 'scales'"),
        (
            lambda plan: plan["tensors"][0]["forms"][0],
            "scales",
            r"forms\[0\]: unknown key 'scales'; did you mean 'scale'",
        ),
        (lambda plan: plan["operators"][0], "keep", r"operators\[0\]: unknown key 'keep'"),
    ],
)
def test_an_unknown_key_is_an_error(place, key: str, message: str) -> None:  # type: ignore[no-untyped-def]
    values = json.loads(plan_json(calibrated(masked()).plan))
    place(values)[key] = 1
    with pytest.raises(ConfigError, match=message):
        read_plan(json.dumps(values), "plan.json")


def test_only_added_forms_have_a_place() -> None:
    with pytest.raises(ConfigError, match="unknown key 'place'"):
        PlanReader("p").form({"place": 1}, "tensors[0]")
