"""A conformance suite: cases made from a profile's rules, run on a device, judged, and reported."""
