"""Probes: small models and inputs that distinguish variants of an operator, by family of operators."""
