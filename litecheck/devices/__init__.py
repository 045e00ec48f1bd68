"""Devices that ``verify`` can test, and the child processes that run them."""
