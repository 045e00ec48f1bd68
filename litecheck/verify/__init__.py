"""Verification of a model on a device: compare each output with the reference and locate differences."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.verify.campaign", "verify_model")
