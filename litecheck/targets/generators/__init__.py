"""Generators of operators for the measurements of targets: each sets the value of a measurement in a plan."""
