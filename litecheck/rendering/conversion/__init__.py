"""Report of a conversion: rows, document, JSON and text."""
