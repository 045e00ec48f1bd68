"""Comparison of expected and actual tensors: differences, their patterns, and their explanations, as data."""
