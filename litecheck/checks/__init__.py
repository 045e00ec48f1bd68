"""Checks of models against profiles: a module for each kind of requirement, and the status of each operator."""
