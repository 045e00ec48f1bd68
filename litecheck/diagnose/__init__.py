"""Diagnosis of a device's arithmetic: probes, candidates, and the arithmetic file of the findings."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.diagnose.session", "diagnose_device")
