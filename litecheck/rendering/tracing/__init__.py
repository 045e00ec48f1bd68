"""Reports of a trace."""
