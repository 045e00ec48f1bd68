"""Named measurements: what the rule language cannot say with values, as one pure function each, by what they look at."""
