"""Calibration of a float model on data: samples, observed statistics of tensors, ranges chosen from them."""
