"""Conformance suite: test cases made from a profile's rules, verdicts on a device, and certificates."""
