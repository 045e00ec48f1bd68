"""Measurements that several target kinds use."""

#: The modules of this package, for the measurements of a target kind.
MODULES = tuple(f"{__name__}.{name}" for name in ("feature_maps", "quantization", "shapes", "image_sides"))
