"""A failure made small, and written down so that others see it."""
