"""Arithmetic of kernels: fixed point, rescaling, tables, windows, exact integer products."""
