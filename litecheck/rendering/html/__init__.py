"""HTML pages: a common base of fonts and colors, and documents laid out on it."""
