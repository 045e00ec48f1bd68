"""File formats of TensorFlow and Keras, recognized by name and content of the folder."""

from __future__ import annotations

import os
from pathlib import Path

#: Signature of a SavedModel that is used if none is named.
DEFAULT = "serving_default"
#: File suffixes of Keras.
KERAS = (".keras", ".h5", ".hdf5")


def is_tensorflow(path: str | Path) -> bool:
    """Return True if a path is a SavedModel folder or has the suffix of a Keras file."""
    path = Path(path)
    return os.path.isfile(path / "saved_model.pb") or (os.path.isfile(path) and path.suffix.lower() in KERAS)
