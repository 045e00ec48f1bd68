"""Plans generated from rules: the smallest operator that satisfies a rule, and operators that violate one requirement."""
