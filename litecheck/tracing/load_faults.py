"""Reasons why LiteRT does not load a model, as ``litecheck validate`` finds them."""

from __future__ import annotations

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.types import Model

_EFFECTS = ("crashes", "fails to load", _DEFAULT := "rejected by the default interpreter only")


def load_faults(model: Model) -> tuple[str, ...]:
    """Return the violations that keep LiteRT's default interpreter from loading a model.

    Example: ``CONV_2D #8: bias: it is absent``, ``tensor 9 'kernel': it has 12 scales``.
    """
    report = validate(model)
    return tuple(
        f"{_place(one)}: {one.found}{f', {_DEFAULT}' if one.effect == _DEFAULT else ''}"
        for one in report.findings
        if one.level == "violation" and one.effect in _EFFECTS
    )


def _place(one: Finding) -> str:
    """Return the operator of a finding with the role of the tensor, or the tensor without an operator."""
    where = one.where
    if where.operator < 0:
        return str(where)
    return ": ".join(filter(None, (f"{where.opcode} #{where.operator}", where.role)))
