"""A float model becomes a quantized one that keeps a profile: statistics, a plan solved from the rules, an edit."""
