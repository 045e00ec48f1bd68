"""Checks of models against profiles: one module per kind of requirement, and the status of each operator."""
