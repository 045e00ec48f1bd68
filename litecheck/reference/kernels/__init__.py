"""Kernels of the operators, by family, with the computation of each in its docstring."""
