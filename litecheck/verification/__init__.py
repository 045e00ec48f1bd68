"""Verification of a model on a device: compare each output with the reference and locate differences."""
