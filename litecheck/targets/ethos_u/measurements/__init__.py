"""Measurements that the Ethos-U profiles use."""

_NAMES = (
    "axes", "batch_dims", "copies", "dynamic_shapes", "grouped_convolution", "in_place_outputs", "neighbors", "parameters",
    "recurrent", "reductions", "resizing", "select", "weights", "windows",
)  # fmt: skip
#: The modules of this package that register measurements.
MODULES = tuple(f"{__name__}.{name}" for name in _NAMES)
