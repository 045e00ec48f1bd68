"""Diagnosis of a device's arithmetic: probes, candidates, and the arithmetic file of the findings."""
