"""Causes of differences in a device's quantized tensor: deviations, and the search for those that explain its integers.

A *deviation* is a choice in which the device differs from the document. A *cause* is a deviation, several deviations,
or a pattern that reproduces the device's integers. For defects of kernels see :mod:`litecheck.reference.defects`.
"""
