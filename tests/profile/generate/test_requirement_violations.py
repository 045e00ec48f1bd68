"""Changes that violate a single requirement of FULLY_CONNECTED, computed by hand: input 0.25:3, four weight scales
0.265625:0."""

from __future__ import annotations

from functools import cache

import pytest

from litecheck.profile.generate.plan_solver import conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.generate.violating_plan import ViolatingPlan
from litecheck.profile.load import load_profile
from litecheck.profile.operator_plan import Plan, TensorPlan


def text_of(tensors: tuple[TensorPlan, ...]) -> str:
    """Return type, scales, zero points, axis and range of the first tensor, e.g. ``int8 [0.25] [3] 0``."""
    if not tensors:
        return "absent"
    q, values = tensors[0].quantization, tensors[0].values
    scales = " ".join(f"{scale:g}" for scale in q.scale)
    span = "" if values is None else f" {values.min()}..{values.max()}"
    return f"{tensors[0].dtype} [{scales}] [{' '.join(map(str, q.zero_point))}] {q.axis}{span}"


@cache
def sound() -> Plan:
    profile = load_profile("litert-int8")
    return conforming_plan(profile, profile.operators["FULLY_CONNECTED"])


def violations(path: str) -> list[ViolatingPlan]:
    profile = load_profile("litert-int8")
    rule = profile.operators["FULLY_CONNECTED"]
    (requirement,) = (r for r in rule.requirements if r.path == f"FULLY_CONNECTED/{path}")
    return list(violating_plans(profile, rule, requirement, sound()))


def test_the_sound_plan() -> None:
    assert {role: text_of(tensors) for role, tensors in sound().operands.items()} == {
        "input": "int8 [0.25] [3] 0",
        "weight": "int8 [0.265625 0.265625 0.265625 0.265625] [0 0 0 0] 0 0..0",
        "bias": "int32 [0.0664062 0.0664062 0.0664062 0.0664062] [0 0 0 0] 0",  # 0.25 x 0.265625
        "output": "int8 [0.296875] [3] 0",
    }


W, B = "0.265625", "0.0664062"


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("input/operands", ["broken absent"]),
        ("input/dtype", ["broken float64 [0.25] [3] 0"]),
        (
            "input/granularity",
            [
                "malformed int8 [0.25] [0 0 0] 0",
                "malformed int8 [0.25] [3] 4",
                "malformed int8 [0.25 0.25 0.25] [3 3 3] 0",
                "malformed int8 [] [] 0",
                "broken int8 [0.25 0.25 0.25 0.25] [3 3 3 3] 0",
            ],
        ),
        (
            "input/zero_point",
            ["broken int8 [0.25] [-129] 0", "broken int8 [0.25] [128] 0", "broken int8 [0.25] [200] 0"],
        ),
        ("input/scale", [f"broken int8 [{scale}] [3] 0" for scale in ("nan", "inf", "0", "-0.5", "nan")]),
        ("weight/axis", [f"broken int8 [{W} {W} {W} {W}] [0 0 0 0] 1 0..0"]),
        ("weight/range", [f"broken int8 [{W} {W} {W} {W}] [0 0 0 0] 0 -128..0"]),
        ("weight/zero_point", [f"broken int8 [{W} {W} {W} {W}] [{z} {z} {z} {z}] 0 0..0" for z in (-1, 1)]),
        (
            "weight/granularity",
            [
                f"malformed int8 [{W} {W} {W} {W}] [0 0 0] 0 0..0",
                f"malformed int8 [{W} {W} {W} {W}] [0 0 0 0] 4 0..0",
                f"malformed int8 [{W} {W} {W}] [0 0 0] 0 0..0",
                "malformed int8 [] [] 0 0..0",
                f"broken int8 [{W}] [0] 0 0..0",
            ],
        ),
        (
            "bias/scale",
            [
                *(f"broken int32 [{scale} {B} {B} {B}] [0 0 0 0] 0" for scale in ("nan", "inf", "0", "-0.5")),
                f"broken int32 [{B} {B} {B} nan] [0 0 0 0] 0",
                "near int32 [0.0664063 0.0664063 0.0664063 0.0664063] [0 0 0 0] 0",
                f"near int32 [{B} {B} {B} {B}] [0 0 0 0] 0",
                "broken int32 [0.0996094 0.0996094 0.0996094 0.0996094] [0 0 0 0] 0",
            ],
        ),
    ],
)
def test_changes_of_a_tensor(path: str, changed: list[str]) -> None:
    role = path.partition("/")[0]
    found = violations(path)
    assert [f"{each.kind} {text_of(each.plan.operands.get(role, ()))}" for each in found] == changed


def test_scales_of_the_bias_follow_those_of_the_weights() -> None:
    *malformed, one_scale = violations("weight/granularity")
    assert {text_of(each.plan.operands["bias"]) for each in malformed} == {text_of(sound().operands["bias"])}
    assert text_of(one_scale.plan.operands["bias"]) == f"int32 [{B}] [0] 0"


def test_a_surplus_input_is_listed_behind_the_others() -> None:
    (found,) = violations("operands")
    assert found.plan.inputs == ("input", "weight", "bias", "surplus")
    assert found.plan.outputs == ("output",)
    assert found.plan.explicit_absent
