"""Conversion of bytes to verified tables and back, driven by the wire format in ``schemas/``."""
