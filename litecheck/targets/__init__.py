"""Hardware targets: one package per kind, which core finds through litecheck.target_kinds and does not import."""
