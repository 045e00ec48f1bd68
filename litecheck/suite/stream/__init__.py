"""Streams of vectors for RTL simulations and firmware: one a line, in plain ASCII, made and judged from the same header."""
