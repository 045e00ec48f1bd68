"""Targets known from public lists of supported operators, without a compiler to compare with."""

from litecheck.target_kinds import TargetKind
from litecheck.targets.measurements import MODULES

KIND = TargetKind("lists", "litecheck.targets.lists.placement:place_model", measurements=MODULES)
