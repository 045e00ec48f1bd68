"""Comparison of expected and actual tensors: differences, their patterns, and their explanations, as data."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.quantizer.compare", "compare")
