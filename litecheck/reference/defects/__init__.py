"""The ways in which devices compute wrongly, to be told from one another."""
