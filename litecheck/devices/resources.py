"""Operators on resources (variables that survive an interpreter's reset), read once before jobs are forked."""

from __future__ import annotations

from litecheck.profile.operators import operator_names, traits_of

#: By the names that LiteRT's interpreter has for them.
RESOURCES = frozenset(name for name in operator_names() if traits_of(name).memory == "resource")
