"""The conformance suite: what a device is asked to show that it computes as it should, and what its answers say."""
