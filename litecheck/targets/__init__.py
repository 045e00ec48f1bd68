"""Hardware targets: a package for each kind, which core finds through litecheck.target_kinds and does not import."""
