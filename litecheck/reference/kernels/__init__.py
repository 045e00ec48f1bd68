"""Kernels of the operators, by family, written as the specification's prose."""
