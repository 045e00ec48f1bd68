"""Sentences of reports, one module per topic."""
