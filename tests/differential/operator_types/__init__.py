"""Types of tensors that runtimes support, measured: see ``python -m tests.differential.operator_types --help``."""
