"""Weights, biases, scales and zero points of ``convert --match tensorflow``, compared with TensorFlow's converter.

    python -m tests.differential.tensorflow_bytes FOLDER --pair float.tflite quantized.tflite old

Each folder has the SavedModel ``saved``, its ``float.tflite`` and the samples ``cal.npz``. TensorFlow converts it to
int8 and to dynamic range, by its old and its new quantizer. litecheck converts ``float.tflite`` with the activation
scales of TensorFlow's model. A pair is a float model and TensorFlow's model, by its quantizer ``old`` or ``new``.

Further constants and types may differ: TensorFlow quantizes comparisons, tables of GATHER and masks against the rules,
and stores the alpha of PRELU without a zero point. Its old quantizer stores a bias of several layers with the scale of
the first layer, and constants of MUL without a zero point.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.conversion.convert_float import Conversion
from litecheck.conversion.formulas import Generation
from litecheck.conversion.pipeline import convert_model
from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.matching import match
from litecheck.model.node_signatures import CONVERSIONS
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.profile.operators import traits_of

QUANTIZERS: dict[str, Generation] = {"new": "verbatim", "old": "old"}
#: Differences that ``--match`` does not promise to avoid.
ALLOWED = ("other constants", "types")
#: Depending on its version, TensorFlow adds a RESHAPE before FULLY_CONNECTED.
_FREE = (*CONVERSIONS, "RESHAPE")


def paired_tensors(ours: Model, theirs: Model) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Yield the tensors at the same place of matched operators, each pair once, with their use.

    Uses are weight, bias, ``shared`` for a bias of several layers, and further words. QUANTIZE and DEQUANTIZE are left
    out.
    """
    seen = set()
    for pair in match(ours, theirs).subgraphs:
        readers = Counter(i for op in pair.second.operators for i in op.inputs)
        for first, other in pair.operators:
            mine, their = pair.first.operators[first], pair.second.operators[other]
            if mine.opcode in CONVERSIONS:
                continue
            facts = traits_of(mine.kind)
            for places in ("inputs", "outputs", "intermediates"):
                for n, at in enumerate(zip(getattr(mine, places), getattr(their, places), strict=False)):
                    if min(at) >= 0 and (pair.first.index, at) not in seen:
                        seen.add((pair.first.index, at))
                        use = facts.inputs.get(facts.role(n), "data") if places == "inputs" else "data"
                        use = "shared" if use == "bias" and readers[at[1]] > 1 else use
                        yield use, pair.first.tensors[at[0]], pair.second.tensors[at[1]]


def differences(ours: Model, theirs: Model) -> tuple[Counter[str], Counter[str]]:
    """Return the numbers of compared and of different scales, zero points, weights, biases, other constants and types."""
    compared, differ = Counter[str](), Counter[str]()
    differ["operators"] = sum(first.opcode not in _FREE for first in match(ours, theirs).unmatched)
    for use, mine, other in paired_tensors(ours, theirs):
        if not (mine.quantization.scale.size or other.quantization.scale.size):
            continue
        if mine.dtype != other.dtype:
            differ["types"] += 1
            continue
        stored = stored_integers(mine), stored_integers(other)
        parts: dict[str, tuple[Any, Any]] = {
            "scales": (mine.quantization.scale, other.quantization.scale),
            "zero points": (mine.quantization.zero_point, other.quantization.zero_point),
        }
        if stored[0] is not None and use not in ("weight", "bias"):
            differ["other constants"] += not all(np.array_equal(*both) for both in (*parts.values(), stored))
            parts = {"other constants": (np.zeros(1), np.zeros(1))}
        elif stored[0] is not None:
            parts["biases" if use == "bias" else "weights"] = stored
        for part, (first, wanted) in parts.items():
            compared[part] += wanted.size
            differ[part] += int((first != wanted).sum()) if first.shape == wanted.shape else wanted.size
    return compared, +differ


def matched(source: Path, theirs: Path, quantizer: str) -> Conversion:
    """Return the conversion of a float model with the activation scales of TensorFlow's model. Raises LitecheckError."""
    main = load_model(theirs).subgraphs[0]
    ends = [main.tensors[numbers[0]].dtype for numbers in (main.inputs, main.outputs)]
    inputs, outputs = (dtype if dtype in ("int8", "uint8") else "float32" for dtype in ends)
    static = outputs != "float32"
    record = convert_model(
        source,
        to="int8" if static else "dynamic",
        scales_from=str(theirs) if static else "",
        inputs=inputs,
        outputs=outputs,
        generation=QUANTIZERS[quantizer],
        agreement=False,
    )
    return record.conversion


def converted_by_tensorflow(folder: Path, quantizer: str, static: bool) -> bytes:
    """Return TensorFlow's int8 or dynamic-range model of a SavedModel."""
    import tensorflow as tf

    converter: Any = tf.lite.TFLiteConverter.from_saved_model(str(folder / "saved"))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.experimental_new_quantizer = quantizer == "new"
    converter.experimental_new_dynamic_range_quantizer = quantizer == "new"
    if static:
        with np.load(folder / "cal.npz") as arrays:
            stacked = dict(arrays)
        count = len(next(iter(stacked.values())))
        converter.representative_dataset = lambda: (
            {name: values[n] for name, values in stacked.items()} for n in range(count)
        )
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return bytes(converter.convert())


def cases(folders: list[Path], pairs: list[list[str]], made: Path) -> Iterator[tuple[str, Path, Path, str]]:
    """Yield the name, float model, TensorFlow's model and quantizer of each comparison."""
    for source, theirs, quantizer in pairs:
        yield Path(theirs).name, Path(source), Path(theirs), quantizer
    for folder in folders:
        for quantizer in QUANTIZERS:
            for kind in ("int8", "dynamic"):
                name, file = f"{folder.name} {kind} {quantizer}", made / f"{folder.name}.tflite"
                try:
                    file.write_bytes(converted_by_tensorflow(folder, quantizer, kind == "int8"))
                except Exception as error:  # TensorFlow rejects some models
                    print(f"{name}: TensorFlow: {type(error).__name__}", flush=True)
                    continue
                if any(t.dtype == "int8" for t in load_model(file).subgraphs[0].tensors):
                    yield name, folder / "float.tflite", file, quantizer


def main() -> int:
    """Print a line for each comparison, and sums; return 1 for a difference or an error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="folders of models")
    parser.add_argument(
        "--pair", nargs=3, action="append", default=[], metavar=("FLOAT", "QUANTIZED", "QUANTIZER")
    )
    options = parser.parse_args()
    compared, differ = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as made:
        for name, source, theirs, quantizer in cases(options.folders, options.pair, Path(made)):
            try:
                both, apart = differences(matched(source, theirs, quantizer).model, load_model(theirs))
            except LitecheckError as error:
                both, apart = Counter[str](), Counter({str(error)[:160]: 1})
            print(f"{name}: {dict(both)}, different: {dict(apart) or 0}", flush=True)
            compared.update(both)
            differ.update(apart)
    print(f"all: {dict(compared)}, different: {dict(differ) or 0}")
    return int(any(part not in ALLOWED for part in differ))


if __name__ == "__main__":
    raise SystemExit(main())
