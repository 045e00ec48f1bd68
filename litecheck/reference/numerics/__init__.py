"""What kernels compute with: fixed point, rescaling, tables, windows, exact integer products."""
