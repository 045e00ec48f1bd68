"""Geometry of test cases: covering designs of the shapes and options that hardware is sensitive to."""
