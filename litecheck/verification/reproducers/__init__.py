"""Reproducers: failures reduced to small models and written to folders."""
