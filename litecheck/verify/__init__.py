"""Does a device compute a model as the reference does, and if not: which operator, which arithmetic, which input."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.verify.campaign", "verify_model")
