"""A verification's report as rows, as a document, as a page, as JSON and as text."""
