"""SNR of three converters on MLPerf Tiny's streaming wake-word model: ``python -m benchmarks.wake_word``.

LITECHECK_CONVERSION names the folder with ``str_ww_ref_model.h5`` and its 45 calibration samples. TensorFlow makes the
float model. The benchmark removes its SOFTMAX and compares the logits, on the samples of the calibration. It prints the
table of ``docs/converters.md`` as Markdown. Exit code 1 if the SNR of litecheck's logits is more than 1 dB below that of
TensorFlow's.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from litecheck.conversion.agreement import TensorAgreement
from litecheck.conversion.converters import ConverterOutcome, compare_converters
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.source import load_source
from litecheck.model.submodels import cut_operators
from litecheck.model.types import Model

GOAL = -1.0


def without_softmax(model: Model) -> Model:
    """Return the model without its last operator, a SOFTMAX. Exit for another last operator."""
    (main,) = model.subgraphs
    *operators, last = main.operators
    if last.opcode != "SOFTMAX":
        sys.exit(f"the last operator is {last.opcode}")
    made = cut_operators(model, main, operators, last.inputs[:1])
    signatures = tuple(
        replace(
            one,
            inputs=tuple((name, made.tensors[index]) for name, index in one.inputs),
            outputs=tuple((name, made.tensors[last.inputs[0]]) for name, _ in one.outputs),
        )
        for one in model.signatures
    )
    return replace(made.model, signatures=signatures)


def logits_of(one: ConverterOutcome) -> TensorAgreement:
    """Return the agreement of the only output."""
    if one.agreement is None:
        sys.exit(f"{one.via}: {one.failure}")
    (output,) = one.agreement.outputs
    return output


def row(one: ConverterOutcome) -> str:
    """Return a row of the table: verdict, SNR, largest error, and equal classes by class of the float model."""
    if one.agreement is None:
        return f"| {one.via} | {one.verdict} | {one.failure} |"
    output = logits_of(one)
    top = output.top
    classes = [f"{agreeing} of {rows}" for _, agreeing, rows in top.classes] if top else []
    largest = f"{output.distortion.largest:.3f}"
    return f"| {one.via} | {one.verdict} | {output.snr:.1f} dB | {largest} | {' | '.join(classes)} |"


def main() -> int:
    """Print the table and return the exit code."""
    folder = Path(os.environ["LITECHECK_CONVERSION"])
    model = without_softmax(load_source(folder / "str_ww_ref_model.h5"))
    with np.load(folder / "str_ww_calibration_samples.npz") as arrays:
        samples = max((arrays[name] for name in arrays.files), key=lambda array: array.size)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "samples.npz")
        shape = model.subgraphs[0].tensors[model.subgraphs[0].inputs[0]].shape
        np.savez(file, x=samples.reshape(len(samples), *shape).astype(np.float32))
        compared = compare_converters(model, ConversionSettings(data=(str(file),)))
    own, tensorflow, _ = compared.outcomes
    top = logits_of(own).top
    heads = [f"class {number}" for number, _, _ in top.classes] if top else []
    print(f"{compared.samples} samples\n")
    print(f"| converter | verdict | SNR of the logits | largest error | {' | '.join(heads)} |")
    print("| --- | --- | ---: | ---: |" + " ---: |" * len(heads))
    for one in compared.outcomes:
        print(row(one))
    return int(logits_of(own).snr - logits_of(tensorflow).snr < GOAL)


if __name__ == "__main__":
    sys.exit(main())
