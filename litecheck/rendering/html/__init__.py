"""Pages for browsers: one base of letters and colours, and documents laid out on it."""
