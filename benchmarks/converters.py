"""SNR of three converters on the models of ``fixtures/convert``: ``python -m benchmarks.converters``.

The environment needs the extras convert, compare and runtime. Exit code 1 if a goal is missed.

litecheck, TensorFlow and ai-edge-quantizer convert each float model with its 32 samples. The outputs are compared with the
float model on these samples. The benchmark prints the table of ``docs/converters.md`` as Markdown: the lowest SNR of a
model's outputs, findings, and litecheck's SNR minus the better SNR of both competitors. Goals: a median difference of
at least 0 dB, and no difference below -1 dB. An SNR above 80 dB counts as 80.

``python -m benchmarks.converters FOLDER...`` uses different models: each folder has ``float.tflite``, samples for
calibration in ``cal.npz`` and samples for the comparison in ``eval.npz``. The goal is then no difference below -0.5 dB.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from litecheck.conversion.converters import ConverterComparison, ConverterOutcome, compare_converters
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.load import load_model
from tests.conversion.samples import NETS, samples

FOLDER = Path(__file__).parents[1] / "fixtures" / "convert"
MOST = 80.0
GOAL_MEDIAN, GOAL_WORST, GOAL_UNSEEN = 0.0, -1.0, -0.5


def compared(net: str, folder: Path) -> ConverterComparison:
    """Convert a model with all converters."""
    drawn = samples(net)
    file = folder / f"{net}.npz"
    arrays = {name: np.stack([sample[name] for sample in drawn]) for name in drawn[0]}
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return compare_converters(load_model(FOLDER / f"{net}.tflite"), ConversionSettings(data=(str(file),)))


def on_unseen_data(folder: Path) -> ConverterComparison:
    """Convert the model of a folder with all converters, and compare on samples that calibration did not use."""
    data, other = (str(folder / f"{name}.npz") for name in ("cal", "eval"))
    return compare_converters(
        load_model(folder / "float.tflite"), ConversionSettings(data=(data,), evaluate=(other,))
    )


def snr(one: ConverterOutcome) -> float | None:
    """Return the lowest SNR of the outputs in dB; None if no model runs."""
    if one.agreement is None:
        return None
    return min(min(output.snr, MOST) for output in one.agreement.outputs)


def cell(one: ConverterOutcome) -> str:
    """Return the text of a table cell. Examples: ``31.2``, ``31.2 (violates)``, ``no model``, ``does not run``."""
    found = snr(one)
    reached = "no model" if one.converted is None else "does not run" if found is None else f"{found:.1f}"
    return reached if one.verdict in ("conforms", "failed") else f"{reached} ({one.verdict})"


def main() -> int:
    """Print the table and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    asked = parser.parse_args().folders
    print("| net | litecheck | TensorFlow | ai-edge-quantizer | litecheck against the better |")
    print("| --- | ---: | ---: | ---: | ---: |")
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        nets = {place.name: partial(on_unseen_data, place) for place in asked}
        for net, made in (nets or {net: partial(compared, net, Path(folder)) for net in NETS}).items():
            own, *others = made().outcomes
            reached, best = snr(own), max((s for s in map(snr, others) if s is not None), default=None)
            apart = "" if reached is None or best is None else f"{reached - best:+.1f}"
            print(f"| `{net}` | {' | '.join(map(cell, (own, *others)))} | {apart} |", flush=True)
            if reached is not None and best is not None:
                differences.append(reached - best)
    median, worst = statistics.median(differences), min(differences)
    print(
        f"\nMedian {median:+.1f} dB, worst {worst:+.1f} dB, of {len(differences)} nets that others convert, too."
    )
    return int(worst < GOAL_UNSEEN if asked else median < GOAL_MEDIAN or worst < GOAL_WORST)


if __name__ == "__main__":
    sys.exit(main())
