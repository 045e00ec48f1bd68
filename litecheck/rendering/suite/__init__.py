"""A device on a suite: its report as rows, as a document, as a page, as JSON and as text."""
