"""SNR of three converters on the models of ``fixtures/convert``: ``python -m benchmarks.converters``.

The environment needs the extras convert, compare and runtime. Exit code 1 if a goal is missed.

litecheck, TensorFlow and ai-edge-quantizer convert each float model with its 32 samples. The outputs are compared with the
float model on 256 samples that calibration did not use. The benchmark prints the table of ``docs/converters.md`` as
Markdown: the lowest SNR of a model's outputs, findings, and litecheck's SNR minus the better SNR of both competitors.
Goals, against models that compute with integers alone: a median difference of at least 0 dB, and no difference below
-0.5 dB. An SNR above 80 dB counts as 80.

``python -m benchmarks.converters FOLDER...`` uses different models: each folder has ``float.tflite``, samples for
calibration in ``cal.npz`` and samples for the comparison in ``eval.npz``.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

from litecheck.conversion.converters import ConverterComparison, ConverterOutcome, compare_converters
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.load import load_model, model_from
from tests.conversion.samples import COUNT, NETS, samples

FOLDER = Path(__file__).parents[1] / "fixtures" / "convert"
MOST = 80.0
GOAL_MEDIAN, GOAL_WORST = 0.0, -0.5
UNSEEN = 256
#: Nets that compute a frame of a stream in each inference.
STREAMS = ("streaming",)


def write_folder(net: str, folder: Path) -> Path:
    """Write the model and samples of a net to a new folder, and return it. Frames of a stream are sequences of 8."""
    place, drawn = folder / net, samples(net, COUNT + UNSEEN)
    place.mkdir()
    shutil.copyfile(FOLDER / f"{net}.tflite", place / "float.tflite")
    for name, part in (("cal", drawn[:COUNT]), ("eval", drawn[COUNT:])):
        arrays = {alias: np.stack([sample[alias] for sample in part]) for alias in part[0]}
        if net in STREAMS:
            arrays = {alias: several.reshape(-1, 8, *several.shape[1:]) for alias, several in arrays.items()}
        np.savez(place / f"{name}.npz", **arrays)  # type: ignore[arg-type]
    return place


def on_unseen_data(folder: Path) -> ConverterComparison:
    """Convert the model of a folder with all converters, and compare on samples that calibration did not use."""
    data, other = (str(folder / f"{name}.npz") for name in ("cal", "eval"))
    settings = ConversionSettings(data=(data,), evaluate=(other,), sequences=folder.name in STREAMS)
    return compare_converters(load_model(folder / "float.tflite"), settings)


def snr(one: ConverterOutcome) -> float | None:
    """Return the lowest SNR of the outputs in dB; None if no model runs."""
    if one.agreement is None:
        return None
    return min(min(output.snr, MOST) for output in one.agreement.outputs)


def computes_floats(one: ConverterOutcome) -> bool:
    """Return True if an operator other than QUANTIZE and DEQUANTIZE has a float32 operand."""
    model = model_from(one.converted.model, one.via) if one.converted else None
    return model is not None and any(
        graph.tensors[i].dtype == "float32"
        for graph in model.subgraphs
        for operator in graph.operators
        if operator.opcode not in ("QUANTIZE", "DEQUANTIZE")
        for i in (*operator.inputs, *operator.outputs)
        if i >= 0
    )


def cell(one: ConverterOutcome) -> str:
    """Return the text of a table cell. Examples: ``31.2``, ``31.2 (partly float32)``, ``no model``, ``does not run``."""
    found = snr(one)
    reached = "no model" if one.converted is None else "does not run" if found is None else f"{found:.1f}"
    notes = [] if one.verdict in ("conforms", "failed") else [one.verdict]
    notes += ["partly float32"] if computes_floats(one) else []
    return f"{reached} ({', '.join(notes)})" if notes else reached


def main() -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    asked = parser.parse_args().folders
    print("| net | litecheck | TensorFlow | ai-edge-quantizer | litecheck against the better |")
    print("| --- | ---: | ---: | ---: | ---: |")
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        for place in asked or (write_folder(net, Path(folder)) for net in NETS):
            own, *others = on_unseen_data(place).outcomes
            reached, best = snr(own), max((s for s in map(snr, others) if s is not None), default=None)
            apart = "" if reached is None or best is None else f"{reached - best:+.1f}"
            print(f"| `{place.name}` | {' | '.join(map(cell, (own, *others)))} | {apart} |", flush=True)
            integer = max(
                (s for one in others if not computes_floats(one) and (s := snr(one)) is not None),
                default=None,
            )
            if reached is not None and integer is not None:
                differences.append(reached - integer)
    median, worst = statistics.median(differences), min(differences)
    count = len(differences)
    print(
        f"\nMedian {median:+.1f} dB, worst {worst:+.1f} dB, of {count} nets that have another integer model."
    )
    return int(median < GOAL_MEDIAN or worst < GOAL_WORST)


if __name__ == "__main__":
    sys.exit(main())
