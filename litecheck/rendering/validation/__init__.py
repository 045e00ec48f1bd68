"""Report of a validation: rows, document, JSON and text."""
