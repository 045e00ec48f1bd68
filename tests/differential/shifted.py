"""int8 models converted to uint8 and back: LiteRT's outputs differ by 128, for each operator and in graphs.

    python -m tests.differential.shifted --graphs 100 --seed 0

Each float model is converted to int8 with one weight scale for each layer and power-of-two scales of activations.
Products of two scales are then exact; kernels round them to float32 for uint8 only. The uint8 model must conform, have
the int8 model's integers plus 128, and give its outputs plus 128 on LiteRT's reference kernels. Converted back, it must
equal the int8 model.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from litecheck.conversion.calibration.methods import choose_ranges, inner_ranges, range_methods
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.conversion.retype_8bit import retype
from litecheck.errors import LitecheckError
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Subgraph
from tests.differential.conversion import KERNELS, WITHOUT, WRONG, Runs, calibration_data, models
from tests.differential.oracle import Oracle, Refused

#: Operators whose uint8 kernels round differently from their int8 kernels, by at most one step.
ROUNDED = {"AVERAGE_POOL_2D", "L2_NORMALIZATION", "RESIZE_BILINEAR"}
PER_TENSOR = str(Path(__file__).parents[1] / "conversion" / "per_tensor.yaml")


def powers(low: float, high: float) -> tuple[float, float]:
    """Return the least range around this range and 0 with a power of two as its step and zero point 0."""
    step = 2.0 ** math.ceil(math.log2(max(high / 127, -low / 128, 2.0**-20)))
    return -128 * step, 127 * step


def in_int8(model: Model, runs: Runs) -> Conversion:
    """Return the model in int8 with int8 inputs and outputs; every scale of an activation is a power of two."""
    statistics, methods = observe(model, calibration_data(model, runs), device="litecheck"), range_methods(())
    ranges = {key: powers(*ends) for key, ends in choose_ranges(statistics, model, methods).items()}
    request = Request(profile=PER_TENSOR, inputs="int8", outputs="int8")
    return convert(model, request, ranges, inner=inner_ranges(statistics, methods))


def faults(oracle: Oracle, model: Model, runs: Runs, counts: Counter[str]) -> Iterator[str]:
    """Yield the faults of a single model; ``counts`` gets shifted models, and operators that stay int8."""
    whole = in_int8(model, runs)
    dtypes = {t.dtype for s in whole.model.subgraphs for t in s.tensors if t.quantization.scale.size}
    if "int8" not in dtypes or any(d.becomes == "float32" for d in whole.plan.operators):
        counts["models not shifted: float32 stays in them"] += 1
        return
    counts["models shifted"] += 1
    made = retype(whole.model, Request(to="uint8"))
    counts.update(f"stays int8: {d.opcode}: {d.because}" for d in made.plan.operators if d.becomes == "int8")
    real = [d for d in made.plan.operators if d.becomes == "float32"]
    yield from (f"{d.opcode} becomes float32: {d.because}" for d in real)
    yield from (f"{f.path}: {f.found}" for f in made.report.findings if f.level != "note")
    yield from _returned(whole.model, made.model)
    yield from _computed(oracle, whole.model, made.model, runs, counts)


def _returned(old: Model, made: Model) -> Iterator[str]:
    """Yield the constants that differ after the conversion back."""
    again = retype(made, Request(profile=PER_TENSOR)).model
    for first, second in zip(old.subgraphs, again.subgraphs, strict=True):
        lost = Counter(_constants(first)) - Counter(_constants(second))
        yield from (f"differs after the conversion back: {constant[0]}" for constant in lost)


def _constants(subgraph: Subgraph) -> Iterator[tuple]:
    for tensor in subgraph.tensors:
        integers, q = stored_integers(tensor), tensor.quantization
        if integers is not None and tensor.is_constant:
            yield (tensor.name, tensor.dtype, integers.tobytes(), tuple(q.scale), tuple(q.zero_point))


def _computed(oracle: Oracle, old: Model, made: Model, runs: Runs, counts: Counter[str]) -> Iterator[str]:
    opcodes = {op.opcode for m in (old, made) for s in m.subgraphs for op in s.operators}
    original_runs = tuple(_stored(old, run) for run in runs)
    higher = tuple(_higher(made, run) for run in original_runs)
    for kernels in KERNELS:
        if opcodes & WITHOUT.get(kernels, set()):
            continue
        answers = [
            oracle.run_many(model_bytes(m), r, kernels) for m, r in ((old, original_runs), (made, higher))
        ]
        refused = next((a for a in answers if isinstance(a, Refused)), None)
        if refused is not None:
            yield f"{kernels}: {refused.message[-200:]}"
        elif kernels == "reference" and not opcodes & WRONG and (opcodes <= ROUNDED or not opcodes & ROUNDED):
            most = int(bool(opcodes & ROUNDED))
            counts["models compared, " + ("to one step" if most else "bit for bit")] += 1
            yield from _differences(old, made, *answers, most=most)


def _differences(old: Model, made: Model, first: list, second: list, most: int) -> Iterator[str]:
    """Yield outputs that differ by more than ``most`` steps, after adding 128 to outputs that became uint8."""
    ends = [[m.subgraphs[0].tensors[i] for i in m.subgraphs[0].outputs] for m in (old, made)]
    for place, (before, after) in enumerate(zip(*ends, strict=True)):
        shifted = 128 if (before.dtype, after.dtype) == ("int8", "uint8") else 0
        for left, right in zip(first, second, strict=True):
            apart = left[place].astype(np.float64) + shifted - right[place].astype(np.float64)
            off = np.abs(apart) > most
            if off.any():
                yield f"'{after.name}' differs: {int(off.sum())} of {off.size}"
                break


def _stored(model: Model, run: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return real inputs as an int8 model stores them; further inputs are unchanged."""
    graph, made = model.subgraphs[0], []
    for index, values in zip(graph.inputs, run, strict=True):
        q = graph.tensors[index].quantization
        if graph.tensors[index].dtype == "int8" and values.dtype.kind == "f":
            steps = np.rint(values / q.scale[0]) + q.zero_point[0]
            made.append(np.clip(steps, -128, 127).astype(np.int8))
        else:
            made.append(values)
    return tuple(made)


def _higher(model: Model, run: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    graph = model.subgraphs[0]
    types = [graph.tensors[index].dtype for index in graph.inputs]
    return tuple(
        (v.astype(np.int16) + 128).astype(np.uint8) if t == "uint8" and v.dtype == np.int8 else v
        for t, v in zip(types, run, strict=True)
    )


def main() -> int:
    """Print the faults, the number of shifted and compared models, and operators that stay int8; return 1 for a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=100, help="number of random graphs [default: 100]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first graph [default: 0]")
    parser.add_argument("--only", default="", help="run models with this text in their name")
    options = parser.parse_args()
    failed, counts = 0, Counter[str]()
    with Oracle() as oracle:
        for name, model, runs in models(options.graphs, options.only, options.seed):
            try:
                found = list(faults(oracle, model, runs, counts))
            except LitecheckError as error:
                found = [f"refused: {error}"]
            failed += bool(found)
            for fault in found:
                print(f"{name}: {fault}", flush=True)
    for difference, count in sorted(counts.items()):
        print(f"  {count} {difference}")
    print(f"{failed} models with faults")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
