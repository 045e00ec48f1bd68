"""Planted faults and ``litecheck trace``: the faulty operator must be named first, with its cause.

``python -m tests.differential.faults --cases 600`` plants faults of 12 kinds in eight pairs of float and int8 models,
on data that cover the ranges. Simpler measures are compared: least accumulated SNR, and its largest fall. ``--ai-edge
PYTHON`` adds the comparison of ai-edge-quantizer, installed for this Python. ``--pairs`` plants two faults at once,
``--control`` traces the pairs without faults, which name only the losses of their converters, and ``--devices 30`` traces
these pairs on faulty devices.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.pipeline import convert_model
from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.tracing.storage import dequantize_values
from litecheck.tracing.trace_result import Trace
from litecheck.tracing.trace_session import trace
from tests.conversion.mobile_nets import images, mobile_net
from tests.conversion.samples import samples
from tests.differential.name_comparison import COLUMNS, NameComparison
from tests.differential.padded_net import padded_net
from tests.differential.planted_faults import FAULTS, PlantedFault, plant
from tests.tracing.faulty_device import FaultyDevice

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "convert"
SAMPLES = 6
#: Cases between two lines of progress.
_STEP = 25


@dataclass(frozen=True)
class Pair:
    """Float model, its correct quantized form, and data that cover its ranges.

    ``losses`` are avoidable losses that its converter made, as (operator, cause).
    """

    name: str
    real: Model
    quantized: Model
    data: CalibrationData
    losses: frozenset[tuple[int, str]] = frozenset()


#: TensorFlow's calibration carries the states of a fused LSTM from sample to sample: -0.8..0.475 for its outputs, which
#: are -0.795..0.508 when each sample starts with states of zero, as at inference.
LOSSES = {"lstm_fused": frozenset(((2, "output_range"),))}


def drawn(model: Model, seed: int, scale: float = 1.0, low: float | None = None) -> CalibrationData:
    """Return seeded samples: normal values, or uniform values from ``low`` to ``scale``."""
    main = model.subgraphs[0]

    def chains() -> Iterator[tuple[Sample, ...]]:
        rng = np.random.default_rng(seed)
        for _ in range(SAMPLES):
            arrays = {
                main.tensors[i].name: (
                    rng.normal(0, scale, main.tensors[i].shape)
                    if low is None
                    else rng.uniform(low, scale, main.tensors[i].shape)
                ).astype(np.float32)
                for i in main.inputs
            }
            yield (Sample(arrays),)

    return CalibrationData(chains, "seeded samples", SAMPLES)


def by_tensorflow(name: str) -> Pair:
    """Return a pair of fixtures/convert, with its calibration data."""
    real, quantized = (load_model(FIXTURES / f"{name}{end}.tflite") for end in ("", "_int8"))
    aliases = {alias: real.subgraphs[0].tensors[index].name for alias, index in real.signatures[0].inputs}
    every = [{aliases[alias]: array for alias, array in sample.items()} for sample in samples(name)][:SAMPLES]
    data = CalibrationData(lambda: ((Sample(arrays),) for arrays in every), "the calibration data", SAMPLES)
    return Pair(f"{name} by TensorFlow", real, quantized, data, LOSSES.get(name, frozenset()))


def by_litecheck(name: str, real: Model, data: CalibrationData) -> Pair:
    """Return a float model with its conversion by litecheck."""
    return Pair(name, real, convert_model(real, data=(data,), agreement=False).conversion.model, data)


def pairs() -> Iterator[Pair]:
    """Yield the pairs. LITECHECK_MODELS and LITECHECK_CONVERSION add a public float model each."""
    for name in ("separable", "residual", "transpose_conv", "lstm_unrolled", "lstm_fused"):
        yield by_tensorflow(name)
    yield by_litecheck("mobile net with RELU", mobile_net(1, spread=1.0, blocks=3), images(5, SAMPLES))
    yield by_litecheck("paddings and slices", padded := padded_net(8), drawn(padded, 8))
    attention = load_model(FIXTURES / "attention.tflite")
    yield by_litecheck("attention", attention, drawn(attention, 4))
    if folder := os.environ.get("LITECHECK_MODELS"):
        resnet = load_model(Path(folder) / "pretrainedResnet.tflite")
        yield by_litecheck("ResNet of MLPerf", resnet, drawn(resnet, 6, 255.0, 0.0))
    if folder := os.environ.get("LITECHECK_CONVERSION"):
        encoder = load_model(Path(folder) / "ad01_fp32.tflite")
        yield by_litecheck("autoencoder of MLPerf", encoder, drawn(encoder, 7, 4.0))


def noticeable(pair: Pair, planted: PlantedFault) -> bool:
    """Return True if the output of a faulty operator is at least 6 dB worse in a run of the whole model."""
    sound, faulty = pair.quantized.subgraphs[0], planted.model.subgraphs[0]
    number = min(planted.operators)
    index = sound.operators[number].outputs[0]
    error = [0.0, 0.0]
    twin = {t.name: t.index for t in pair.real.subgraphs[0].tensors}.get(sound.tensors[index].name)
    for chain in pair.data:
        _, arrays = chain[0].arrange(pair.real)
        real = ReferenceInterpreter(pair.real).run(pair.real.subgraphs[0], arrays, keep_all=True)
        made = []
        for model in (pair.quantized, planted.model):
            main = model.subgraphs[0]
            stored_arrays = tuple(
                quantize_input(main.tensors[i], array) for i, array in zip(main.inputs, arrays, strict=True)
            )
            made.append(ReferenceInterpreter(model).run(main, stored_arrays, keep_all=True))
        values = [
            dequantize_values(one[index], graph.tensors[index])
            for one, graph in zip(made, (sound, faulty), strict=True)
        ]
        want = real[twin] if twin in real else values[0]
        error[0] += float(np.square(values[0] - want).sum())
        error[1] += float(np.square(values[1] - want).sum())
    return error[1] > 4 * max(error[0], 1e-12)


def ranked(found: Trace) -> dict[str, int]:
    """Return the operator that each measure names first."""
    rows = [row for row in found.operators if row.accumulated_snr is not None]
    least = min(rows, key=lambda row: row.accumulated_snr or 0.0)
    falls = [(after.accumulated_snr or 0) - (before.accumulated_snr or 0) for before, after in pairwise(rows)]
    fall = rows[int(np.argmin(falls)) + 1] if falls else least
    first = found.culprits[0].operator if found.culprits else -1
    alone = min((row for row in rows if row.alone_snr is not None), key=lambda row: row.alone_snr or 0.0)
    return {
        "trace": first,
        "accumulated SNR": least.operator,
        "largest fall": fall.operator,
        "alone": alone.operator,
    }


def traced(pair: Pair, model: Model) -> Trace:
    """Trace a quantized form of a pair, without fixes."""
    return trace(pair.real, model, data=(pair.data,), fix=False, runtime="litecheck")


def one_fault(pair: Pair, kind: str, seed: int) -> tuple[PlantedFault, Trace] | None:
    """Plant a fault that is noticeable, and trace."""
    draw = np.random.default_rng(seed)
    planted = plant(kind, pair.quantized, draw)
    if planted is None or not noticeable(pair, planted):
        return None
    return planted, traced(pair, planted.model)


def by_names(compared: NameComparison | None, pair: Pair, model: Model) -> dict[str, int]:
    """Return the operators that ai-edge-quantizer names first; empty without ``--ai-edge``."""
    if compared is None:
        return {}
    samples = [chain[0].arrange(pair.real)[1] for chain in pair.data]
    return compared.named_first(pair.real, model, samples)


def campaign(
    every: list[Pair],
    cases: int,
    seed: int,
    report: Callable[[str], None],
    compared: NameComparison | None = None,
) -> dict[str, Counter[str]]:
    """Return the counts of each kind of fault: planted, named first by each measure, with the right cause."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    kinds, number, tries = list(FAULTS), 0, 0
    while number < cases and tries < 6 * cases:
        tries += 1
        seed += 1
        pair, kind = every[tries % len(every)], kinds[(tries // len(every)) % len(kinds)]
        found = one_fault(pair, kind, seed)
        if found is None:
            continue
        planted, result = found
        number += 1
        table[kind]["planted"] += 1
        for measure, operator in {**ranked(result), **by_names(compared, pair, planted.model)}.items():
            table[kind][measure] += operator in planted.operators
        first = result.culprits[0] if result.culprits else None
        right = first is not None and first.operator in planted.operators and first.cause in planted.causes
        table[kind]["cause"] += right
        if number % _STEP == 0:
            sums = sum(table.values(), Counter[str]())
            counts = ", ".join(f"{name} {count}" for name, count in sums.items())
            report(f"named first: {counts}")
        if not right:
            named = [(c.operator, c.cause, round(c.avoidable_db, 1), c.detail) for c in result.culprits[:2]]
            report(f"{pair.name}, seed {seed}, {kind} in {sorted(planted.operators)}: named {named}")
    return table


def _beside(pair: Pair, first: PlantedFault, kind: str, draw: np.random.Generator) -> PlantedFault | None:
    """Plant a second fault, which is noticeable without the first."""
    seed = int(draw.integers(1 << 30))
    for number in draw.permutation(len(pair.quantized.subgraphs[0].operators)):
        alone, both = (
            FAULTS[kind](model, model.subgraphs[0].operators[number], np.random.default_rng(seed))
            for model in (pair.quantized, first.model)
        )
        if alone is not None and both is not None and not alone.operators & first.operators:
            return both if noticeable(pair, alone) else None
    return None


def two_faults(every: list[Pair], cases: int, seed: int, report: Callable[[str], None]) -> tuple[int, int]:
    """Plant two faults at once; return the number of pairs, and of pairs with both among the first three culprits."""
    kinds = [kind for kind in FAULTS if kind != "swapped_operands"]
    done = named = 0
    for tries in range(6 * cases):
        if done == cases:
            break
        pair, draw = every[tries % len(every)], np.random.default_rng(seed + tries)
        chosen = [str(kind) for kind in draw.permutation(kinds)[:2]]
        first = plant(chosen[0], pair.quantized, draw)
        second = None if first is None else _beside(pair, first, chosen[1], draw)
        if first is None or second is None or not noticeable(pair, first):
            continue
        done += 1
        found = traced(pair, second.model)
        operators = [culprit.operator for culprit in found.culprits[:3]]
        right = all(any(n in fault.operators for n in operators) for fault in (first, second))
        named += right
        if not right:
            report(
                f"{pair.name}, {chosen} in {sorted(first.operators)} and {sorted(second.operators)}: {operators}"
            )
        if done % _STEP == 0:
            report(f"two faults: both are among the first three culprits in {named} of {done}")
    return done, named


def control(every: list[Pair], report: Callable[[str], None]) -> list[str]:
    """Trace the pairs without faults; return the pairs whose culprits are not exactly the losses of their converters."""
    wrong = []
    for pair in every:
        found = traced(pair, pair.quantized)
        worst = max(found.operators, key=lambda row: row.avoidable_db)
        words = [(c.operator, c.cause, round(c.avoidable_db, 1), c.detail) for c in found.culprits]
        report(f"{pair.name}: {len(found.operators)} operators, at most {worst.avoidable_db:.1f} dB {words}")
        if {(one.operator, one.cause) for one in found.culprits} != pair.losses:
            wrong.append(pair.name)
    return wrong


def devices(every: list[Pair], cases: int, report: Callable[[str], None]) -> tuple[int, int]:
    """Trace pairs on devices with a defect; return the number of defects that have an effect, and of identified
    defects.

    A defect is identified if only operators of its kind differ on the device, and only these are culprits.
    """
    shown = identified = 0
    for pair in every:
        for opcode in sorted({op.opcode for op in pair.quantized.subgraphs[0].operators}):
            for defect in list(defects_of(opcode))[::3]:
                if shown == cases:
                    return shown, identified
                device = FaultyDevice(opcode, defect)
                found = trace(
                    pair.real,
                    pair.quantized,
                    data=(pair.data,),
                    fix=False,
                    runtime="litecheck",
                    device=device,
                )
                differing = {row.opcode for row in found.operators if row.device_differs}
                if not differing:
                    continue
                shown += 1
                named = {(one.opcode, one.cause) for one in found.culprits}
                right = differing == {opcode} and named <= {(opcode, "arithmetic")}
                identified += right
                if not right:
                    report(
                        f"{pair.name}, {opcode} with {defect}: {sorted(named)}, {sorted(differing)} differ"
                    )
    return shown, identified


def main() -> int:
    """Run the campaign and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=96, help="planted faults [default: 96]")
    parser.add_argument("--pairs", type=int, default=0, help="models with two faults [default: 0]")
    parser.add_argument("--devices", type=int, default=0, help="faulty devices [default: 0]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the faults [default: 0]")
    parser.add_argument("--control", action="store_true", help="also trace the pairs without faults")
    parser.add_argument("--ai-edge", metavar="PYTHON", help="compare with ai-edge-quantizer, run by PYTHON")
    options = parser.parse_args()
    every = list(pairs())
    wrong = 0
    if options.control:
        wrong += len(control(every, lambda text: print(text, flush=True)))
    compared = NameComparison(options.ai_edge) if options.ai_edge else None
    table = campaign(every, options.cases, options.seed, lambda text: print(text, flush=True), compared)
    columns = ["planted", "trace", "cause", "alone", "largest fall", "accumulated SNR"]
    if compared is not None:
        compared.close()
        columns += COLUMNS
    print(f"{'':18} " + " ".join(f"{name:>15}" for name in columns))
    total: Counter[str] = Counter()
    for kind, counts in table.items():
        total.update(counts)
        print(f"{kind:18} " + " ".join(f"{counts[name]:>15}" for name in columns))
    print(f"{'sum':18} " + " ".join(f"{total[name]:>15}" for name in columns))
    if options.pairs:
        done, named = two_faults(every, options.pairs, options.seed, lambda text: print(text, flush=True))
        print(f"two faults: both are among the first three culprits in {named} of {done}")
    if options.devices:
        shown, identified = devices(every, options.devices, lambda text: print(text, flush=True))
        wrong += shown - identified
        print(f"faulty devices: {identified} of {shown} distinguished from the loss of quantization")
    return int(wrong or total["trace"] < 0.95 * total["planted"] or total["cause"] < 0.9 * total["planted"])


if __name__ == "__main__":
    raise SystemExit(main())
