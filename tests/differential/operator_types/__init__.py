"""Measured types of tensors that runtimes support: see ``python -m tests.differential.operator_types --help``."""
