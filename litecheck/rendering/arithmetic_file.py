"""Arithmetic file of a diagnosis, for ``litecheck verify --arithmetic``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from litecheck.diagnosis.hypotheses import USUAL
from litecheck.diagnosis.result import Diagnosis, Hypothesis, OperatorDiagnosis
from litecheck.public_call import shows_call
from litecheck.reference.engine.arithmetic import DEFAULT
from litecheck.rendering.wording.hypotheses import excluded_sentence
from litecheck.summary_text import count_of

_WIDTH = 116
#: Variants of an operator by step and condition, its defect, and the reasons.
_Entry = dict[str, Any]


def base_of(diagnosis: Diagnosis) -> str:
    """Return the published arithmetic that fits most operators, the most usual in a tie."""
    fitting = [{name for hypothesis in d.fits for name in hypothesis.published} for d in diagnosis.operators]
    return max(USUAL, key=lambda name: sum(name in names for names in fitting))


def choose_hypothesis(diagnosed: OperatorDiagnosis, base: str) -> Hypothesis | None:
    """Return the fitting candidate to write: that of ``base`` if it fits, else the most usual."""
    return next(
        (hypothesis for hypothesis in diagnosed.fits if base in hypothesis.published),
        next(iter(diagnosed.fits), None),
    )


@shows_call("litecheck.arithmetic_yaml(litecheck.diagnose('litert:xnnpack'), 'name')")
def arithmetic_yaml(diagnosis: Diagnosis, name: str) -> str:
    """Return the device's arithmetic as YAML: it extends the nearest published arithmetic and names the findings.

    An operator has one entry, or an entry for each type (``CONV_2D/int16``) if its types differ.
    """
    base = base_of(diagnosis)
    operators: dict[str, dict[str, _Entry]] = {}
    for diagnosed in diagnosis.operators:
        hypothesis = choose_hypothesis(diagnosed, base)
        if hypothesis is None:
            continue
        entry = operators.setdefault(diagnosed.opcode, {}).setdefault(diagnosed.kind, {"because": []})
        for path, variant in hypothesis.stages:
            step, _, conditions = path.partition("/")
            entry.setdefault(step, {}).setdefault(conditions or DEFAULT, variant)
        if hypothesis.defect:
            entry.setdefault("defect", hypothesis.defect)
        entry["because"].extend(_reasons(diagnosed, hypothesis))
    document = {
        "arithmetic": slug(name),
        "title": f"Arithmetic of {diagnosis.device}",
        "source": f"litecheck {diagnosis.version}, diagnose, seed {diagnosis.seed}: {diagnosis.described}",
        "extends": base,
        "operators": {
            key: _order_entry(entry)
            for opcode, by_type in operators.items()
            for key, entry in _join_types(opcode, by_type).items()
        },
    }
    body = yaml.safe_dump(document, sort_keys=False, width=_WIDTH, allow_unicode=True)
    return "".join(f"# {line}\n" for line in _head(diagnosis, base)) + body


def slug(name: str) -> str:
    """Return a valid name of an arithmetic: lower case, digits, dots and dashes.

    For example, ``Acme NPU (v2)`` gives ``acme-npu-v2``.
    """
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") or "device"


def _join_types(opcode: str, by_type: Mapping[str, _Entry]) -> Mapping[str, _Entry]:
    """Return one entry for all types of an operator, or an entry for each type if two types differ."""
    typed = {f"{opcode}/{kind}": entry for kind, entry in by_type.items()}
    if len({entry.get("defect") for entry in by_type.values()}) > 1:
        return typed
    first, *others = by_type.values()
    joined = dict(first)
    for entry in others:
        joined["because"] = [*joined["because"], *entry["because"]]
        for step, stated in entry.items():
            if step in ("because", "defect"):
                continue
            known = joined.get(step, {})
            if any(known.get(key, variant) != variant for key, variant in stated.items()):
                return typed
            joined[step] = {**known, **stated}
    return {opcode: joined}


def _order_entry(entry: _Entry) -> _Entry:
    """Return the entry with reasons last; a step with a single unconditional variant is replaced by the variant."""
    steps = {key: value for key, value in entry.items() if key != "because"}
    for key, variants in steps.items():
        if isinstance(variants, dict) and [*variants] == [DEFAULT]:
            steps[key] = variants[DEFAULT]
    return {**steps, "because": entry["because"]}


def _head(diagnosis: Diagnosis, base: str) -> Iterator[str]:
    yield f"Found by litecheck diagnose. Operators that were not tried are taken to be as in {base}."
    for diagnosed in diagnosis.operators:
        if diagnosed.conclusion in ("unknown", "not answered", "not repeatable"):
            yield f"{diagnosed.opcode} ({diagnosed.form}): {diagnosed.conclusion}"


def _reasons(diagnosed: OperatorDiagnosis, hypothesis: Hypothesis) -> Iterator[str]:
    yield f"{hypothesis} gives all {diagnosed.elements:,} outputs of {count_of(diagnosed.probes, 'probe')}"
    others = [str(other) for other in diagnosed.fits if other != hypothesis]
    if others:
        yield f"ambiguous with: {'; '.join(others)}"
    shown = sorted(diagnosed.excluded, key=lambda e: not e.way.published)[:2]
    yield from (f"not {excluded.way}: {excluded_sentence(excluded)}" for excluded in shown)
