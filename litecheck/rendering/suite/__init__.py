"""Report of a device on a suite: rows, document, page, JSON and text."""
