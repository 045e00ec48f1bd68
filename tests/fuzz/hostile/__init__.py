"""Hostile inputs of all file kinds for all commands: ``python -m tests.fuzz.hostile --cases 5000``."""
