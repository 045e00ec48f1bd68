"""Sentences on what a comparison found: one module for each kind, all from data alone."""
