"""Test cases: one-operator models, parts of models and their inputs."""
