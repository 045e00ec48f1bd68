"""Measurements that the Ethos-U profiles use."""

_NAMES = (
    "compile_time_values", "convolutions", "gather_scatter_select", "in_place_outputs", "io_quantization", "matmul",
    "recurrent", "reductions", "resizing", "slices", "softmax", "transpositions", "weights", "windows",
)  # fmt: skip
#: The modules of this package that register measurements.
MODULES = tuple(f"{__name__}.{name}" for name in _NAMES)
