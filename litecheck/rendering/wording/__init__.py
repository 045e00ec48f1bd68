"""Sentences of reports, a module for each topic."""
