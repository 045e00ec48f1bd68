"""Conversion of TensorFlow's formats: TensorFlow itself converts SavedModel folders, .keras and .h5 to float32 .tflite."""

from __future__ import annotations

import os
import re
from pathlib import Path

from litecheck.conversion.other_converters.converter_process import ForeignError, ProcessLimits, run_converter
from litecheck.conversion.tensorflow_formats import KERAS
from litecheck.errors import InputError, LitecheckError, ModelError, Problem, install_hint

#: Program of the child process.
FLOAT = "litecheck.conversion.other_converters.tensorflow_programs:to_float"
#: Command to install missing packages.
INSTALL = install_hint("convert")

#: Messages of TensorFlow and their meaning: a code, and a sentence with {0} for the text that the pattern captured.
_MEANINGS = (
    (
        r"(?:TF Select|Flex) ops: ([^\n]*)",
        "select-ops",
        "uses TensorFlow operators that LiteRT does not have ({0}): replace them in the model",
    ),
    (
        r"[Cc]ustom ops: ([^\n]*)",
        "custom-ops",
        "uses custom operators ({0}), which the converter takes only where a kernel is registered for them",
    ),
    (
        r"(?:Unknown layer:? |Could not locate class |[Uu]nknown object )'?(\w+)",
        "custom-layer",
        "holds {0}, which only the program that defines it can load: call model.export() there and convert the SavedModel",
    ),
    (
        r"Unrecognized keyword arguments?(?: passed to (\w+))?",
        "other-keras",
        "was written by another version of Keras than the one installed, and does not fit its layers {0}",
    ),
)
_BY_KIND = {
    "OldKerasError": (
        "old-keras",
        f"was written by Keras 2, which only tf-keras reads: {INSTALL}",
    ),
    "UnknownShapeError": (
        "unknown-shape",
        "leaves more than the batch open ({0}): save it with an input of fixed shape",
    ),
    "NoSignatureError": ("no-signature", "has no signature {0}"),
    "late": ("timeout", "kept TensorFlow's converter busy beyond its time: {0}"),
    "memory": ("out-of-memory", "needs more memory for its conversion than the process may have"),
}


def float_from_tensorflow(
    path: str | Path, limits: ProcessLimits | None = None, signature: str | None = None
) -> bytes:
    """Return the float32 .tflite of a SavedModel folder, a .keras or an .h5 file, with batch dimension 1.

    All signatures of a SavedModel are converted, or only ``signature``. TensorFlow runs in its own process under
    ``limits``. Raises InputError if TensorFlow is not installed, and ModelError with a sentence if it fails,
    crashes, or exceeds the limits.
    """
    request = {
        "source": str(path), "kind": source_kind(path), "signature": signature or "", "imports": ["tensorflow"],
    }  # fmt: skip
    try:
        return run_converter(FLOAT, request, limits or ProcessLimits()).model
    except ForeignError as error:
        raise explain_failure(path, error) from None


def source_kind(path: str | Path) -> str:
    """Return ``saved_model``, ``keras`` or ``tflite``, the words of the child's programs. Raises ModelError."""
    path = Path(path)
    if os.path.isfile(path) and path.suffix.lower() in KERAS:
        return "keras"
    if os.path.isfile(path):
        return "tflite"
    if os.path.isfile(path / "saved_model.pb"):
        return "saved_model"
    what = (
        "is not a SavedModel: there is no saved_model.pb in it" if os.path.isdir(path) else "does not exist"
    )
    raise ModelError(str(path), (Problem("no-model", "TensorFlow", None, what),))


def explain_failure(path: str | Path, error: ForeignError) -> LitecheckError:
    """Return the error for a failure in a sentence: InputError for a missing package, ModelError for the model."""
    if error.kind == "missing module":
        return InputError(f"{path}: needs {error.message}, which is not installed: {INSTALL}")
    code, sentence = _explain_error(error)
    return ModelError(str(path), (Problem(f"tensorflow-{code}", "TensorFlow", None, sentence),))


def _explain_error(error: ForeignError) -> tuple[str, str]:
    if error.kind == "SeveralSignaturesError":
        keys, kind, message = error.message.split("\n", 2)
        code, sentence = _explain_error(ForeignError(kind, message, error.said))
        return code, f"{sentence}; it has the signatures {keys}: --signature converts one of them alone"
    if error.kind in _BY_KIND:
        code, sentence = _BY_KIND[error.kind]
        return code, sentence.format(error.message)
    for pattern, code, sentence in _MEANINGS:
        if found := re.search(pattern, f"{error.message}\n{error.said}"):
            return code, sentence.format((found[1] or "").strip(" ,")).strip()
    if error.kind.startswith(("SIG", "signal", "status")):
        return "crashed", (
            f"crashed TensorFlow's converter ({error.kind}), as LSTMs of Keras 3 do on their way to int8: "
            "unroll such layers, or let litecheck quantize the float model"
        )
    if not error.message.strip():
        return "silent", (
            f"failed in TensorFlow's converter without a reason ({error.kind}): mostly an operator it has no form for, "
            "or a shape that is known only at run time"
        )
    first = " ".join(error.message.split())
    return "failed", f"failed in TensorFlow's converter ({error.kind}): {first[:300]}"
