"""A float model becomes a quantized one that keeps a profile: statistics, a plan solved from the rules, an edit."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.convert.session", "convert_model")
