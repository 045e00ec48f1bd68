"""Measurements that several kinds of targets use."""

#: The modules of this package, for the measurements of a kind.
MODULES = tuple(f"{__name__}.{name}" for name in ("feature_maps", "quantization", "shapes", "image_sides"))
