"""Tables ``rules/types/*.json``: combinations with the same impact as rows; a row is a product of sets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from litecheck.finding import IGNORED, REFERENCE_ONLY, Effect
from litecheck.profile.operators import traits_of
from litecheck.profile.type_table import OperatorTypes
from litecheck.profile.types import OperatorRule
from litecheck.quantization import BITS
from tests.differential.operator_types.explore import CONVERT, Tried, data_types
from tests.differential.operator_types.runtimes import LITERT
from tests.differential.operator_types.signatures import BYTES, Signature

SUPPORTED = ""
#: Number of roles above which roles are listed one by one: there are too many combinations.
_WIDE = 8
#: Stage of a runtime -> impact.
_IMPACTS: Mapping[str, Effect] = {
    "crashes": "crashes", "rejected": "fails to load", "fails": "fails at run time", "wrong": "wrong results",
    "chance": "wrong results", "ignored": IGNORED,
}  # fmt: skip
_WITHOUT_DELEGATE: Effect = "rejected without the default delegate"
_REFERENCE_CRASHES: Effect = "crashes the reference resolver only"
_DEFAULT_ONLY: Effect = "rejected by the default interpreter only"


def impact(tried: Tried, runtime: str) -> str:
    """Return the impact of a combination on ``litert`` or ``tflm``, ``SUPPORTED`` if the runtime computes it."""
    if runtime == "tflm":
        return SUPPORTED if tried.stages["tflm"] == "runs" else _IMPACTS[tried.stages["tflm"]]
    reference, plain, default = (tried.stages[r] for r in LITERT)
    if plain == default == "runs":
        return SUPPORTED if reference == "runs" else _reference(reference)
    if plain in ("rejected", "fails") and default not in ("crashes", "rejected", "fails"):
        return _WITHOUT_DELEGATE
    if default == "rejected" and plain not in ("crashes", "rejected"):
        return _DEFAULT_ONLY
    return _IMPACTS[min(plain, default, key=(*_IMPACTS, "runs").index)]


def _reference(stage: str) -> str:
    """Return the impact if all further resolvers run the types; wrong values are a known fault of the reference kernels."""
    if stage == "crashes":
        return _REFERENCE_CRASHES
    return REFERENCE_ONLY if stage in ("rejected", "fails") else SUPPORTED


def fits(rule: OperatorRule, signature: Signature, known: Collection[Signature]) -> bool:
    """Return True if the types of a combination go together as in the models of the operator.

    Small models compute some combinations by chance, which no kernel supports. The inputs of a binary elementwise
    operator have a single type. An output that has the type of an input in the models has it in every combination.
    """
    read = data_types(rule, signature)
    binary = traits_of(rule.opcode).elementwise == "binary"
    if binary and len(read) > 1 and all(len(data_types(rule, k)) < 2 for k in known):
        return False
    if rule.opcode in BYTES:  # a kernel that reads integers as floats finds the sign of few sums by chance
        return read in {data_types(rule, k) for k in known}
    if rule.opcode == "BITCAST":  # the kernel copies whole bytes
        return len({BITS[c] < 8 for c in signature}) == 1
    if not read or rule.opcode in (*CONVERT, "DEQUANTIZE"):
        return True
    for at in range(len(rule.inputs), len(signature)):
        pairs = {(data_types(rule, k), k[at]) for k in known}
        follows = any(out in types for types, out in pairs)
        if follows and signature[at] not in read and (read, signature[at]) not in pairs:
            return False
        if {out for _, out in pairs} == {"bool"} != {signature[at]}:
            return False
    return True


def rows(combinations: Iterable[Signature]) -> list[str]:
    """Return rows of exactly these combinations. Example: ``int8 int8`` and ``int8 int16`` are one row."""
    left = {tuple(frozenset((c,)) for c in s) for s in combinations}
    width = len(next(iter(left), ()))
    for at in reversed(range(width)):
        merged: dict[tuple[frozenset[str], ...], frozenset[str]] = {}
        for row in left:
            rest = (*row[:at], *row[at + 1 :])
            merged[rest] = merged.get(rest, frozenset()) | row[at]
        left = {(*rest[:at], cell, *rest[at:]) for rest, cell in merged.items()}
    return sorted(" ".join("|".join(sorted(cell)) for cell in row) for row in left)


def entry(
    rule: OperatorRule, tried: Mapping[Signature, Tried], known: Collection[Signature], runtime: str
) -> dict[str, Any]:
    """Return the entry of a single operator; ``known`` are the signatures of its models."""
    found: dict[str, set[Signature]] = {}
    for signature, t in tried.items():
        effect = impact(t, runtime)
        chance = effect == SUPPORTED and not fits(rule, signature, known)
        found.setdefault("wrong results" if chance else effect, set()).add(signature)
    return listed(rule, found)


def entry_kept(
    types: OperatorTypes, tried: Mapping[tuple[str, Signature], Tried], runtime: str
) -> dict[str, dict[str, list[str]]]:
    """Return the rows by role and impact of types whose tensor keeps the parameters of a different type, if the impact
    differs; the runtime ignores types that it computes.
    """
    found: dict[tuple[str, str], set[Signature]] = {}
    for (role, signature), t in tried.items():
        effect = impact(t, runtime)
        effect = IGNORED if effect in (SUPPORTED, REFERENCE_ONLY) else effect
        if types.impact(signature) not in (None, effect):
            found.setdefault((role, effect), set()).add(signature)
    roles = dict.fromkeys(role for role, _ in tried if any(role == r for r, _ in found))
    return {role: {e: rows(s) for (r, e), s in sorted(found.items()) if r == role} for role in roles}


def listed(rule: OperatorRule, found: dict[str, set[Signature]]) -> dict[str, Any]:
    """Return the entry of an operator from its combinations by impact."""
    roles = (*rule.inputs, *rule.outputs)
    runs = found.pop(SUPPORTED, set())
    counts = Counter({effect: len(found[effect]) for effect in _IMPACTS.values() if effect in found})
    counts[IGNORED] = min(counts[IGNORED], 0)
    otherwise = counts.most_common(1)[0][0] if counts.total() else "fails to load"
    made: dict[str, Any] = {"roles": " ".join(roles)}
    if len(roles) > _WIDE:
        cells = ("|".join(sorted({s[n] for s in runs})) for n in range(len(roles)))
        return {**made, "by_role": True, "runs": [" ".join(cells)] if runs else [], "otherwise": otherwise}
    impacts = {effect: rows(found[effect]) for effect in sorted(found) if effect != otherwise}
    return {**made, "runs": rows(runs), "impacts": impacts, "otherwise": otherwise}


def table_text(runtime: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of the file: one line per row."""
    about = "Types that the runtime supports, measured. Generated by python -m tests.differential.operator_types --write."
    lines = ["{", f' "about": {json.dumps(about)},', f' "runtime": {json.dumps(runtime)},', ' "operators": {']
    for opcode, made in entries.items():
        fields = [f'   "{key}": {_text(value)}' for key, value in made.items()]
        comma = "," if opcode != list(entries)[-1] else ""
        lines += [f'  "{opcode}": {{', ",\n".join(fields), "  }" + comma]
    return "\n".join([*lines, " }", "}", ""])


def _text(value: object) -> str:
    if isinstance(value, list):
        return (
            json.dumps(value) if len(value) < 2 else "[\n    " + ",\n    ".join(map(json.dumps, value)) + "]"
        )
    if isinstance(value, dict):
        return "{" + ",".join(f"\n    {json.dumps(k)}: {_text(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)
