"""Constants of a compiled Ethos-U model: the decoded command stream, and outputs computed from its constants."""
