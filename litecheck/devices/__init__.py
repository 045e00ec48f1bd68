"""What can be verified: one port, and the child processes behind it."""
