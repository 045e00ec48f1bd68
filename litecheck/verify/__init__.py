"""Does a device compute a model as the reference does, and if not: which operator, which arithmetic, which input."""
