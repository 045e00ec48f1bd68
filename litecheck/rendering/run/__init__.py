"""A run's record as a document, as JSON and as text."""
