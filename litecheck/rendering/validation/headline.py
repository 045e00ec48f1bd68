"""First line of the report of a model: verdict, profiles, and the facts that limit the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.placement import TargetReport
from litecheck.report import ModelReport, Report
from litecheck.summary_text import count_of

_NAMED = 2
_CUSTOM = "CUSTOM/kernel"


def headline(report: Report, model: ModelReport) -> str:
    """Return the verdict, its profiles and scope, and its limits.

    A model that violates some of its profiles is headed by these. Examples: ``conforms to ethos-u55: 29 of 65 operators
    on the CPU``, ``violates litert-int8 for SOFTMAX``, ``conforms to litert-runtime: needs a custom kernel``.
    """
    verdict = report.verdict(model)
    if verdict == "not checked":
        return verdict
    scope = report.headline(model).removeprefix(verdict)
    names = model.profiles if verdict == "conforms" else _violated_profiles(report, model)
    more = len(names) - _NAMED
    profiles = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    named = f" {'to ' if verdict == 'conforms' else ''}{profiles}" if profiles else ""
    facts = ", ".join(_limits(model))
    return f"{verdict}{named}{scope}" + (f": {facts}" if facts else "")


def _violated_profiles(report: Report, model: ModelReport) -> tuple[str, ...]:
    """Return the profiles that a model violates, or all if only a gate without a profile fails."""
    found = {f.demanded_by.profile for f in model.active if report.fails(f)}
    if any(gate.name == "fallback" and not gate.kept for gate in report.gates(model)):
        found |= {target.target for target in model.targets}
    return tuple(name for name in model.profiles if name in found) or model.profiles


def size_and_profiles(model: ModelReport) -> str:
    """Return the size of the file and the profiles that checked the model: ``1.0 kB, checked against tflm: ``."""
    parts = (
        model.size_text if model.size else "",
        f"checked against {model.judges}" if model.profiles else "",
    )
    text = ", ".join(filter(None, parts))
    return f"{text}: " if text else ""


def _limits(model: ModelReport) -> Iterator[str]:
    several = len(model.targets) > 1
    for target in model.targets:
        yield f"{target.target} {_placement(target)}" if several else _placement(target)
    if any(f.path == _CUSTOM and f.level != "violation" for f in model.active):
        yield "needs a custom kernel"


def _placement(target: TargetReport) -> str:
    total = count_of(len(target.operators), "operator")
    if not target.compiles:
        return "the compiler rejects the model"
    return f"{target.places['cpu']:,} of {total} on the CPU"
