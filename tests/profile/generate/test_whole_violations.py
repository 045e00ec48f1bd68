"""Plans that violate each requirement of an operator, whole: the tensors and options that differ from a conforming plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litecheck.profile.generate.plan_solver import conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.load import load_profile
from tests.profile.measurements.witnessed import described

OPERATORS = ("ADD", "CONCATENATION", "CONV_2D", "FULLY_CONNECTED", "QUANTIZE", "SOFTMAX", "TRANSPOSE_CONV")


def lines(name: str) -> Iterator[str]:
    """Yield the conforming plan of each operator, and the changes of each violation."""
    profile = load_profile(name)
    for opcode in OPERATORS:
        rule = profile.operators[opcode]
        plan = conforming_plan(profile, rule)
        before = described(plan)
        yield f"{opcode}: {'; '.join(f'{key} {text}' for key, text in before.items())}"
        for requirement in rule.requirements:
            for way in violating_plans(profile, rule, requirement, plan):
                after = described(way.plan)
                gone = [f"no {key}" for key in before if key not in after]
                new = [f"{key} {text}" for key, text in after.items() if before.get(key) != text]
                yield f"  {requirement.path}, {way.kind}: {'; '.join((*gone, *new))}"


def test_whole_violations(golden: Callable[[str, str], None]) -> None:
    golden("violations.txt", "".join(f"{line}\n" for line in lines("litert-runtime")))
