"""Reasons why LiteRT does not load a model, as ``litecheck validate`` finds them."""

from __future__ import annotations

from litecheck.checks.validate import validate
from litecheck.model.types import Model

_EFFECTS = ("crashes", "fails to load")


def load_faults(model: Model) -> tuple[str, ...]:
    """Return the violations that keep LiteRT from loading a model. Example: ``CONV_2D #8: bias: it is absent``."""
    report = validate(model)
    return tuple(
        f"{one.where.opcode} #{one.where.operator}: {one.where.role or one.title}: {one.found}"
        for one in report.findings
        if one.level == "violation" and one.effect in _EFFECTS
    )
