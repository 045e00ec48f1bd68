"""Constants of a compiled Ethos-U model: its command stream, decoded and applied to inputs."""
