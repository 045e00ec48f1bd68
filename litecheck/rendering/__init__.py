"""Rendering of reports to text: rows and documents of each report, formats, and all wording."""
