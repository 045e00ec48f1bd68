"""The Vela compiler, run in a child process to compare its placement with the predicted placement."""
