"""Conversion of a float model to a quantized model that conforms to a profile: statistics, plan, edit."""
