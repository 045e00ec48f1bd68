"""Hostile inputs of all file kinds through all commands: ``python -m tests.fuzz.hostile``."""
