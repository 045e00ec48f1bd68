"""A conversion by each converter on the same samples: litecheck, TensorFlow and ai-edge-quantizer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from litecheck.conversion.other_converters.converter_process import (
    ConverterResult,
    ForeignError,
    NamedSamples,
    ProcessLimits,
    run_converter,
)
from litecheck.conversion.tensorflow import explain_failure, source_kind
from litecheck.errors import ConfigError, ModelError, Problem, install_hint
from litecheck.model.load import load_model

Via = Literal["litecheck", "tensorflow", "ai-edge-quantizer"]
Target = Literal["int8", "int16x8"]

_OWN = "litecheck.conversion.own_program:to_integers"
_TENSORFLOW = "litecheck.conversion.other_converters.tensorflow_programs:to_integers"
_AI_EDGE = "litecheck.conversion.other_converters.ai_edge_program:to_integers"


def quantize_via(
    via: Via,
    path: str | Path,
    samples: NamedSamples,
    to: Target = "int8",
    limits: ProcessLimits | None = None,
    profile: str = "",
    device: str = "auto",
    sequences: Sequence[int] = (),
) -> ConverterResult:
    """Return the integer model of another converter, from samples by the inputs' names in the model's signature.

    ``tensorflow`` accepts a SavedModel folder, a Keras file, or a float .tflite (to which TensorFlow's calibrator and
    quantizer are applied, the second half of its converter). litecheck and ai-edge-quantizer accept a float .tflite.
    litecheck uses ``profile``, calibrates on ``device``, and resets the state of the model at the start of each sequence;
    ``sequences`` are the numbers of their samples, 1 for each sample if empty. Each sample includes the batch dimension.
    Seconds are those of the whole process, imports included. Raises ConfigError if the converter is not installed,
    ModelError if it fails.
    """
    if via == "litecheck":
        request: dict[str, Any] = {
            "source": str(path),
            "to": to,
            "profile": profile,
            "device": device,
            "imports": [],
        }
        request["sequences"] = list(sequences)
        try:
            return run_converter(_OWN, request, limits or ProcessLimits(), samples)
        except ForeignError as error:
            message = " ".join(error.message.split()) or error.kind
            raise ModelError(str(path), (Problem("litecheck-failed", "litecheck", None, message),)) from None
    if via == "tensorflow":
        request = {"source": str(path), "kind": source_kind(path), "to": to, "imports": ["tensorflow"]}
        try:
            return run_converter(_TENSORFLOW, request, limits or ProcessLimits(), samples)
        except ForeignError as error:
            raise explain_failure(path, error) from None
    signatures = load_model(path).signatures
    if not signatures:
        raise ModelError(
            str(path), (_problem("no-signature", "has no signature, and it calibrates by those"),)
        )
    request = {
        "source": str(path), "to": to, "signature": signatures[0].key, "imports": ["ai_edge_quantizer"],
    }  # fmt: skip
    try:
        return run_converter(_AI_EDGE, request, limits or ProcessLimits(), samples)
    except ForeignError as error:
        if error.kind == "missing module":
            raise ConfigError(
                f"{path}: needs {error.message}, which is not installed: {install_hint('compare')}"
            ) from None
        reason = " ".join(error.message.split())[:300] or "no reason is given"
        raise ModelError(str(path), (_problem("failed", f"{error.kind}: {reason}"),)) from None


def _problem(code: str, message: str) -> Problem:
    return Problem(f"ai-edge-quantizer-{code}", "ai-edge-quantizer", None, message)
