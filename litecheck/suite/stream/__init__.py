"""Vector streams for RTL simulations and firmware: a vector per line of ASCII, made and judged from the same header."""
