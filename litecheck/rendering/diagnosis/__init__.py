"""A diagnosis' report as rows, as a document, as JSON and as text."""
