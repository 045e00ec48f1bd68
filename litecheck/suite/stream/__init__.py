"""Vector streams for RTL simulations and firmware: one vector per line of ASCII, made and judged from the same header."""
