"""A conversion's report as rows, as a document, as JSON and as text."""
