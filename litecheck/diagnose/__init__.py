"""Which arithmetic a device implements: probes, candidates, and the file that states what was found."""
