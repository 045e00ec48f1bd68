"""Why a device's quantized tensor differs: deviations, and which of them are the cause of what it gave.

A *deviation* is one choice in which the device is not as the document has it; a *cause* is a deviation, several, or a
pattern that reproduces the device's integers. For the words of kernels see :mod:`litecheck.reference.defects`.
"""
