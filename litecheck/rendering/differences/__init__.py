"""Reports of the differences between two models."""
