"""Differences between two models: operators, parameters, constants and findings, with consequences under their causes."""
