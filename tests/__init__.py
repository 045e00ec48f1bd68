"""Mark ``tests`` as a package: an installed package of the same name would win over a folder without
``__init__.py``."""
