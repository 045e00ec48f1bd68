"""Which arithmetic a device implements: probes, candidates, and the file that states what was found."""

from litecheck.callable_package import callable_as

callable_as(__name__, "litecheck.diagnose.session", "diagnose_device")
