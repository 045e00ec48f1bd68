"""The files of TensorFlow and Keras, known by their look."""

from __future__ import annotations

from pathlib import Path

#: The signature that a SavedModel is entered by where none is named.
DEFAULT = "serving_default"
#: File names that Keras writes.
KERAS = (".keras", ".h5", ".hdf5")


def is_tensorflow(path: str | Path) -> bool:
    """Whether a path is a SavedModel folder or a Keras file, by its look."""
    path = Path(path)
    return (path / "saved_model.pb").is_file() or (path.is_file() and path.suffix.lower() in KERAS)
