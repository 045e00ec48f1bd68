"""Adapters that run each runtime inside the child process; the class in each module is a Factory for ``Setup``."""
