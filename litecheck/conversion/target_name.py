"""Name of the file that a conversion writes: names of other formats are errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from litecheck.errors import ConfigError

_C_ARRAY = "'xxd -i int8.tflite' writes a model as a C array"
#: Suffixes of other formats, with the format and the next step. A suffix without an entry is allowed.
_OTHERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **dict.fromkeys((".h5", ".hdf5", ".keras"), ("Keras", "")),
        ".pb": ("TensorFlow", ""),
        ".onnx": ("ONNX", ""),
        **dict.fromkeys((".pt", ".pth", ".pt2"), ("PyTorch", "")),
        **dict.fromkeys((".task", ".litertlm"), ("bundles", "")),
        **dict.fromkeys((".npz", ".npy"), ("numpy", "")),
        **dict.fromkeys((".c", ".cc", ".cpp", ".h", ".hpp"), ("C", _C_ARRAY)),
        ".json": ("JSON", "-f json:FILE writes the report, --save-plan FILE the plan"),
        **{f".{name}": (name, f"-f {name}:FILE writes the report") for name in ("html", "sarif")},
        **dict.fromkeys(
            (".txt", ".md", ".csv", ".xml", ".yaml", ".yml"), ("text", "-f FORMAT:FILE writes a report")
        ),
        **dict.fromkeys((".zip", ".tar", ".gz"), ("archives", "")),
    }
)


def check_target(target: str) -> str:
    """Return the name of the new model. Raises ConfigError for the suffix of another format. Example: ``model.h5``."""
    kind, step = _OTHERS.get(os.path.splitext(target)[1].lower(), ("", ""))
    if kind:
        next_step = f". {step}" if step else ""
        raise ConfigError(
            f"-o {target}: got the suffix of {kind}, expected .tflite: convert writes LiteRT models{next_step}"
        )
    return target
