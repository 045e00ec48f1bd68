"""Profiles from YAML: a strict reader with line numbers, inheritance that only narrows rules, named measurements."""
