"""Violations of a quantized model for the report of a trace, as ``litecheck validate`` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.types import Model

_EFFECTS = ("crashes", "fails to load", _DEFAULT := "rejected by the default interpreter only")


@dataclass(frozen=True, slots=True)
class Violations:
    """Reasons why LiteRT does not load a model, and the first violation of each operator, by subgraph and number."""

    load: tuple[str, ...] = ()
    operators: Mapping[tuple[int, int], str] = field(default_factory=dict)


def violations(model: Model) -> Violations:
    """Return the violations of a model.

    Example of a reason: ``CONV_2D #8: bias: it is absent``, ``tensor 9 'kernel': it has 12 scales``.
    """
    found = [one for one in validate(model).findings if one.level == "violation"]
    operators = dict[tuple[int, int], str]()
    for one in found:
        if one.where.operator >= 0:
            words = ": ".join(filter(None, (one.where.role, one.found)))
            operators.setdefault((one.where.subgraph, one.where.operator), words)
    return Violations(
        tuple(
            f"{_describe_place(one)}: {one.found}{f', {_DEFAULT}' if one.effect == _DEFAULT else ''}"
            for one in found
            if one.effect in _EFFECTS
        ),
        operators,
    )


def _describe_place(one: Finding) -> str:
    """Return ``CONV_2D #8: bias`` for a finding of an operator, else the place of the tensor."""
    where = one.where
    if where.operator < 0:
        return str(where)
    return ": ".join(filter(None, (f"{where.opcode} #{where.operator}", where.role)))
