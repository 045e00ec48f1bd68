"""Named measurements: pure functions for requirements that the rule language cannot state, grouped by subject."""
