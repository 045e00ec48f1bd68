"""Conversion of a float model to a quantized model that conforms to a profile: statistics, plan, edit."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.convert.session", "convert_model")
