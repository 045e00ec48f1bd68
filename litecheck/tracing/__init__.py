"""Trace of a quantized model: the operator and the cause where the error relative to the float model enters."""
