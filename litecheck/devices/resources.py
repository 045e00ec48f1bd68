"""Operators on resources (variables that persist through an interpreter's reset), read once before jobs are forked."""

from __future__ import annotations

from litecheck.profile.operators import operator_names, traits_of

#: Names of these operators in LiteRT's interpreter.
RESOURCES = frozenset(name for name in operator_names() if traits_of(name).memory == "resource")
