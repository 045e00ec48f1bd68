"""Expected tensors and actual ones: differences, the patterns they form, and what explains them, as data."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.quantizer.compare", "compare")
