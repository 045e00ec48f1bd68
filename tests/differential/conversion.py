"""Conversion and LiteRT: the output of ``convert`` conforms, loads on every resolver, and is exact.

    python -m tests.differential.conversion --to int8 --graphs 300 --seed 0 --verify

The models are every operator with a float form (also in its last version), the nets in fixtures/convert, and random
graphs. Each is calibrated on a few inputs, converted, validated by litecheck, and run by LiteRT's three resolvers. The
reference resolver must equal litecheck's kernels bit for bit. ``--verify`` also runs ``litecheck verify --device
litert:reference`` on each operator. float32 islands may differ within the tolerance of rules/litert-runtime.yaml;
further differences must be faults of rules/arithmetic/known-faults.yaml.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from litecheck.checks.validate import validate
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.methods import choose_ranges, inner_ranges, range_methods
from litecheck.conversion.calibration.observe import observe
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.convert_float import Conversion, Request, convert, replay
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.devices.outcome import Outcome as Ending
from litecheck.devices.port import Device
from litecheck.devices.registry import open_device
from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.campaign import verify_model
from litecheck.verification.result import Verdict
from tests.conversion.one_operator import float_cases
from tests.conversion.quantized_nets import FOLDER
from tests.conversion.random_graphs import random_graph, random_inputs
from tests.conversion.samples import NETS, samples
from tests.differential.oracle import Oracle, Refused
from tests.differential.structure_limits import versions

Runs = tuple[tuple[NDArray, ...], ...]
KERNELS = ("reference", "optimized", "xnnpack")
#: Operators that a resolver has no kernel for.
WITHOUT = {
    "reference": {"ELU", "STABLEHLO_CASE"},
    "optimized": {"STABLEHLO_CASE"},
    "xnnpack": {"STABLEHLO_CASE"},
}
#: Operators with wrong results of the reference resolver (rules/arithmetic/known-faults.yaml).
WRONG = {"SUM"}
#: Operators with a variable as input or output: only the whole model gives outputs to compare.
TOGETHER = {"CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"}
#: Factors of inputs far from 1 with squares that float32 can hold.
FACTORS = {"huge": 2.0**50, "large": 2.0**30, "small": 2.0**-30, "tiny": 2.0**-50}
#: Cases without these factors: the data decide the number of iterations of a loop, a divisor below the smallest scale
#: is stored as 0, and no rule covers bounds at 2^31 steps.
BEYOND = (
    *(
        "WHILE",
        "DIV-small",
        "DIV-tiny",
        "DIV-newest-small",
        "DIV-newest-tiny",
        "LSTM-huge",
        "LSTM-newest-huge",
    ),
    *("RELU6-small", "RELU6-tiny", "RELU6-newest-small", "RELU6-newest-tiny"),
)
#: Number of a model's inputs that ``verify`` runs.
VERIFIED = 4


@dataclass
class Outcome:
    """Outcome of one conversion. ``cases`` counts the outcomes of ``litecheck verify`` for the operators of the new
    model.
    """

    name: str
    to: str
    becomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)
    cases: Counter[str] = field(default_factory=Counter)


def models(graphs: int, only: str, first: int = 0) -> Iterator[tuple[str, Model, Runs]]:
    """Yield the float models and their inputs; ``first`` is the seed of the first random graph."""
    for case in float_cases():
        if only in case.name:
            yield case.name, case.model, case.runs
    for case in float_cases():
        newest = at_last_versions(case.model)
        if only in f"{case.name}-newest" and newest is not None:
            yield f"{case.name}-newest", newest, case.runs
    for name in NETS:
        if only in f"net-{name}":
            yield f"net-{name}", *net(name)
    for seed in range(first, first + graphs):
        name = f"graph-{seed}"
        if only in name:
            model = random_graph(seed)
            yield name, model, tuple(random_inputs(model, seed, 4))


def of_all_sizes(graphs: int, only: str, first: int = 0) -> Iterator[tuple[str, Model, Runs]]:
    """Yield the same models and, except for nets and most random graphs, each model with inputs of further sizes."""
    for number, (name, model, runs) in enumerate(models(graphs, "", first)):
        if only in name:
            yield name, model, runs
        if name.startswith("net-") or (name.startswith("graph-") and number % 5):
            continue
        for size, factor in FACTORS.items():
            sized = f"{name}-{size}"
            if only in sized and not any(one in sized for one in BEYOND):
                yield sized, model, tuple(tuple(_times(x, factor) for x in run) for run in runs)


def _times(x: np.ndarray, factor: float) -> np.ndarray:
    return x * np.float32(factor) if x.dtype == np.float32 else x


def at_last_versions(model: Model) -> Model | None:
    """Return the model with the last version of every operator that LiteRT registers; None if no version changes."""
    last = {opcode: every[-1] for opcode, every, _ in versions()}
    subgraphs = tuple(
        replace(
            one, operators=tuple(replace(op, version=last.get(op.opcode, op.version)) for op in one.operators)
        )
        for one in model.subgraphs
    )
    if [op.version for one in subgraphs for op in one.operators] == [
        op.version for one in model.subgraphs for op in one.operators
    ]:
        return None
    return replace(model, subgraphs=subgraphs)


def net(name: str) -> tuple[Model, Runs]:
    """Return a net of fixtures/convert and its samples, in the order of its inputs."""
    model = load_model(FOLDER / f"{name}.tflite")
    aliases = {tensor: alias for alias, tensor in model.signatures[0].inputs}
    order = [aliases[t] for t in model.subgraphs[0].inputs]
    return model, tuple(tuple(sample[alias] for alias in order) for sample in samples(name))


def calibration_data(model: Model, runs: Runs) -> CalibrationData:
    """Return each run as a separate sample."""
    point = entry(model, None)
    names = [point.name(index) for index in point.subgraph.inputs]
    chains = [(Sample(dict(zip(names, run, strict=True))),) for run in runs]
    return CalibrationData(lambda: iter(chains), "the runs", len(chains))


def converted(model: Model, runs: Runs, to: str) -> Conversion:
    """Return the model calibrated on the runs by litecheck's kernels (LiteRT's if litecheck has none), and converted."""
    statistics, methods = observe(model, calibration_data(model, runs), device="litecheck"), range_methods(())
    ranges, inner = choose_ranges(statistics, model, methods), inner_ranges(statistics, methods)
    return convert(model, Request(to=to), ranges, inner=inner)


def check_conversion(
    oracle: Oracle, name: str, model: Model, runs: Runs, to: str, device: Device | None = None
) -> Outcome:
    """Return the outcome of a single model, converted and compared, with a ``device`` also operator by operator."""
    outcome = Outcome(name, to)
    try:
        done = converted(model, runs, to)
    except RunError as error:
        outcome.faults.append(f"no float kernel: {error}")
        return outcome
    except LitecheckError as error:
        outcome.faults.append(f"refused: {error}")
        return outcome
    outcome.becomes.update(decision.becomes for decision in done.plan.operators)
    outcome.stays += [f"{d.opcode}: {d.because}" for d in done.plan.operators if d.because]
    new = [f for f in done.report.findings if f.level != "note" and f.waiver is None]
    outcome.faults += [f"{f.path} ({f.level}): {f.found}" for f in new]
    outcome.faults += compared(oracle, done, runs)
    outcome.faults += replayed(done)
    if device is not None:
        verified(outcome, done.model, runs, device)
    return outcome


def replayed(done: Conversion) -> list[str]:
    """Return an error if the plan, written and read again, is rejected or gives different bytes."""
    try:
        again = replay(done.source, read_plan(plan_json(done.plan), "plan.json"), done.request)
    except LitecheckError as error:
        return [f"replay: {error}"]
    return [] if model_bytes(again.model) == model_bytes(done.model) else ["replay: other bytes"]


def verified(outcome: Outcome, model: Model, runs: Runs, device: Device) -> None:
    """Record the verdicts of ``litecheck verify`` for each isolated operator, and for the whole model if some operators
    have no outputs to compare.
    """
    point = entry(model, None)
    names = [point.name(index) for index in point.subgraph.inputs]
    given = tuple(dict(zip(names, run, strict=True)) for run in runs[:VERIFIED])
    verdicts = verify_model(model, device, samples=given).verdicts
    alone = [v for v in verdicts if v.outcome is Ending.NO_REFERENCE and set(v.opcodes) <= TOGETHER]
    if alone:
        whole = verify_model(model, device, samples=given, whole=True).verdicts
        verdicts = (*(v for v in verdicts if v not in alone), *whole)
    outcome.cases.update("known fault" if v.fault else v.outcome.value for v in verdicts)
    newer = _without_reference_version(model)
    for verdict in verdicts:
        kept = verdict.outcome is Ending.REFUSED and newer.issuperset(
            (verdict.subgraph, n) for n in verdict.operators
        )
        if not kept and not _exact_or_known(model, verdict):
            outcome.faults.append(f"verify: {verdict.title}: {verdict.outcome.value}: {verdict.message}")


def _exact_or_known(model: Model, verdict: Verdict) -> bool:
    """Return True for exact outputs, known faults, and real values within the tolerance that a profile states."""
    if verdict.fault or verdict.outcome is Ending.EXACT:
        return True
    graph = model.subgraphs[verdict.subgraph]
    made = {graph.tensors[i].dtype for n in verdict.operators for i in graph.operators[n].outputs if i >= 0}
    return verdict.outcome is Ending.WITHIN and not made & set(INTEGER_RANGES)


def compared(oracle: Oracle, done: Conversion, runs: Runs) -> list[str]:
    """Return the errors of LiteRT's resolvers and the differences from the reference resolver."""
    content, faults = model_bytes(done.model), []
    opcodes = {op.opcode for s in done.model.subgraphs for op in s.operators}
    for kernels in KERNELS:
        if opcodes & WITHOUT.get(kernels, set()):
            continue
        outputs = _answers(oracle, done.model, content, runs, kernels)
        no_version = isinstance(outputs, Refused) and "find op for builtin opcode" in outputs.message
        if no_version and kernels == "reference" and _without_reference_version(done.model):
            continue
        if isinstance(outputs, Refused):
            faults.append(f"{kernels}: {outputs.message[-200:]}")
        elif kernels == "reference" and not opcodes & WRONG and not _islands(done):
            faults += _exact(done.model, runs, outputs)
    return faults


def _without_reference_version(model: Model) -> set[tuple[int, int]]:
    """Return the operators (subgraph, operator) with a version that the reference resolver lacks, by ``validate``.

    An operator that stays float keeps its version.
    """
    return {
        (f.where.subgraph, f.where.operator)
        for f in validate(model).findings
        if f.path.endswith("/limits/reference_version")
    }


def _answers(oracle: Oracle, model: Model, content: bytes, runs: Runs, kernels: str) -> list | Refused:
    """Return the outputs of each run from the initial state: variables live as long as an interpreter."""
    if not any(t.dtype == "resource" for s in model.subgraphs for t in s.tensors):
        return oracle.run_many(content, runs, kernels)
    answers = [oracle.run(content, run, kernels) for run in runs]
    return next((one for one in answers if isinstance(one, Refused)), answers)


def _islands(done: Conversion) -> bool:
    """Return True if an operator is still computed in float32, where sums differ in their last bits."""
    return any(decision.becomes == "float32" for decision in done.plan.operators)


def _exact(model: Model, runs: Runs, outputs) -> list[str]:
    interpreter = ReferenceInterpreter(model)
    for run, theirs in zip(runs, outputs, strict=True):
        interpreter.restart()
        mine = interpreter.run(model.subgraphs[0], tuple(run))
        ours = [mine[i] for i in model.subgraphs[0].outputs]
        for one, other in zip(ours, theirs, strict=True):
            if not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):
                return [f"reference differs: {int((one != other).sum())} of {one.size}"]
    return []


def main() -> int:
    """Print each fault and the counts; return 1 for a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--to", action="append", help="convert to this type (repeatable) [default: int8, int16x8]"
    )
    parser.add_argument("--graphs", type=int, default=300, help="number of random graphs [default: 300]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first graph [default: 0]")
    parser.add_argument("--only", default="", help="run models with this text in their name")
    parser.add_argument("--stays", action="store_true", help="list operators that stay float32, with reasons")
    parser.add_argument(
        "--verify", action="store_true", help="also run `litecheck verify --device litert:reference`"
    )
    options = parser.parse_args()
    device = open_device("litert:reference") if options.verify else None
    failed = 0
    for to in options.to or ("int8", "int16x8"):
        total, cases = Counter[str](), Counter[str]()
        with Oracle() as oracle:
            for name, model, runs in of_all_sizes(options.graphs, options.only, options.seed):
                outcome = check_conversion(oracle, name, model, runs, to, device)
                total.update(outcome.becomes)
                cases.update(outcome.cases)
                failed += bool(outcome.faults)
                for fault in outcome.faults:
                    print(f"{to} {name}: {fault}", flush=True)
                for line in outcome.stays if options.stays else ():
                    print(f"  {to} {name} stays {line}")
        print(f"{to}: operators {dict(total)}" + (f", verified {dict(cases)}" if device else ""), flush=True)
    if device is not None:
        device.close()
    print(f"{failed} models with faults")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
