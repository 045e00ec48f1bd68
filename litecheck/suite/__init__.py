"""The conformance suite: cases from a profile's rules, what a device makes of them, and what that is worth."""
