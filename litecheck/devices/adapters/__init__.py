"""Adapters that run each runtime inside the child process. The class in each module is a Factory."""
