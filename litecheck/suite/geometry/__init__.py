"""Geometric faults of mutation coverage."""
