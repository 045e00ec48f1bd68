"""Complete findings of models that violate a single requirement: level, path, found and required."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from litecheck.checks.validate import validate
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError, conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.load import load_profile

OPERATORS = ("ADD", "CONCATENATION", "CONV_2D", "FULLY_CONNECTED", "QUANTIZE", "SOFTMAX")
#: Plans that no model file can represent.
NO_MODEL = (ValueError, KeyError, OverflowError, TypeError)


def lines(name: str) -> Iterator[str]:
    """Yield the findings of the first two violations of each requirement of a profile's operators."""
    profile = load_profile(name)
    for opcode in OPERATORS:
        rule = profile.operators.get(opcode)
        if rule is None or rule.unsupported:
            continue
        try:
            plan = conforming_plan(profile, rule)
        except UnsolvableError:
            continue
        for requirement in rule.requirements:
            for number, way in enumerate(islice(violating_plans(profile, rule, requirement, plan), 2)):
                try:
                    findings = validate(assemble(way.plan), [profile]).findings
                except NO_MODEL:
                    continue
                yield f"{requirement.path} {number}"
                for one in findings:
                    said = (
                        one.found,
                        one.required,
                        one.because,
                        one.effect,
                        one.hint,
                        str(one.channels or ""),
                    )
                    yield f"  {one.level} {one.path} {one.where.role}: {' | '.join(said)}"


def test_whole_findings(golden: Callable[[str, str], None]) -> None:
    with np.errstate(over="ignore"):  # scales beyond float32
        golden("findings.txt", "".join(f"{line}\n" for line in lines("litert-runtime")))
