"""Three converters on the nets of the tests: ``python -m benchmarks.converters``, in an environment with the extras convert,
compare and runtime; exit code 1 when a goal is missed.

Each float net under ``fixtures/convert`` and its 32 samples go through litecheck, TensorFlow and ai-edge-quantizer; each
output of what comes out is compared with the float net's on these samples. Printed as Markdown, the table of
``docs/converters.md``: the lowest SNR among a net's outputs, findings, and how litecheck's SNR differs from the better of
the others. Goals: the median of these differences at or above 0 dB, none below -1 dB. An SNR above 80 dB counts as 80.

``python -m benchmarks.converters FOLDER...`` takes other nets: each folder has ``float.tflite``, the samples ``cal.npz``
and, for the comparison, other samples ``eval.npz``. Then no net may be more than 0.5 dB behind.
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
    """A net through all converters."""
    drawn = samples(net)
    file = folder / f"{net}.npz"
    arrays = {name: np.stack([sample[name] for sample in drawn]) for name in drawn[0]}
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return compare_converters(load_model(FOLDER / f"{net}.tflite"), ConversionSettings(data=(str(file),)))


def on_unseen_data(folder: Path) -> ConverterComparison:
    """A net of a folder through all converters, compared on samples that are not those of the calibration."""
    data, other = (str(folder / f"{name}.npz") for name in ("cal", "eval"))
    return compare_converters(
        load_model(folder / "float.tflite"), ConversionSettings(data=(data,), evaluate=(other,))
    )


def snr(one: ConverterOutcome) -> float | None:
    """The lowest SNR of the outputs in dB; None where there is no model that runs."""
    if one.agreement is None:
        return None
    return min(min(output.snr, MOST) for output in one.agreement.outputs)


def cell(one: ConverterOutcome) -> str:
    """What a converter reached, and what litecheck finds in it."""
    found = snr(one)
    reached = "no model" if one.converted is None else "does not run" if found is None else f"{found:.1f}"
    return reached if one.verdict in ("conforms", "failed") else f"{reached} ({one.verdict})"


def main() -> int:
    """Print the table; the exit code."""
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
