"""Report of a verification: rows, document, page, JSON and text."""
