"""MLPerf Tiny's streaming wake-word model through three converters: ``python -m benchmarks.wake_word``; exit code 1 when
litecheck's logits are more than 1 dB below TensorFlow's.

LITECHECK_CONVERSION names the folder with ``str_ww_ref_model.h5`` and its 45 real calibration samples. TensorFlow makes
the float model; its SOFTMAX is cut off, so that the logits are compared, on the very samples that the scales were chosen
on. Printed as Markdown, the table of ``docs/converters.md``.
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
from litecheck.model.cut import cut
from litecheck.model.types import Model

GOAL = -1.0


def without_softmax(model: Model) -> Model:
    """The model whose output is what its last operator reads, entered by its first subgraph and signature."""
    (main,) = model.subgraphs
    *operators, last = main.operators
    if last.opcode != "SOFTMAX":
        sys.exit(f"the last operator is {last.opcode}")
    made = cut(model, main, operators, last.inputs[:1])
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
    """The only output."""
    if one.agreement is None:
        sys.exit(f"{one.via}: {one.failure}")
    (output,) = one.agreement.outputs
    return output


def row(one: ConverterOutcome) -> str:
    """Verdict, SNR, and how often each class of the float model is the new model's, too."""
    if one.agreement is None:
        return f"| {one.via} | {one.verdict} | {one.failure} |"
    output = logits_of(one)
    top = output.top
    classes = [f"{agreeing} of {rows}" for _, agreeing, rows in top.classes] if top else []
    largest = f"{output.distortion.largest:.3f}"
    return f"| {one.via} | {one.verdict} | {output.snr:.1f} dB | {largest} | {' | '.join(classes)} |"


def main() -> int:
    """Print the table; the exit code."""
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
