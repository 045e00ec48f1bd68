"""The operators' kernels, by family, as the specification's prose."""
