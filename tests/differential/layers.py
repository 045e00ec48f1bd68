"""Whole models on LiteRT, by operator and end to end: ``python -m tests.differential.layers
fixtures/conv_int8.tflite``.

Each operator gets the inputs that it has in LiteRT. XNNPACK does not show its intermediate tensors: there each operator
is a separate model, with inputs computed by the optimized kernels.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.submodels import cut_operators
from litecheck.model.types import Model, Subgraph
from litecheck.profile.known_faults import bind_operands, faults_of
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import find_kernel
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError
from tests.differential.oracle import RESOLVERS, Oracle, Refused

#: Tolerance of floats, as a part of the largest magnitude: sums are added in different orders.
FLOAT = 4e-6


@dataclass
class Score:
    """Elements compared and different, the largest difference, and operators that could not be compared."""

    compared: int = 0
    different: int = 0
    worst: float = 0.0
    missing: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)

    def add(self, ours: np.ndarray, theirs: np.ndarray, where: str) -> None:
        self.compared += theirs.size
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            self.different += max(1, theirs.size)
            self.where.append(f"{where}: {ours.dtype}{ours.shape}, LiteRT {theirs.dtype}{theirs.shape}")
            return
        if theirs.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                off = np.nan_to_num(np.abs(ours.astype(np.float64) - theirs))
            wrong = off > FLOAT * np.abs(theirs[np.isfinite(theirs)]).max(initial=1e-30)
        else:
            off = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
            wrong = off > 0
            self.worst = max(self.worst, float(off.max(initial=0)))
        if wrong.any():
            self.different += int(wrong.sum())
            self.where.append(f"{where}: {int(wrong.sum())} of {wrong.size} by at most {off.max()}")


def entries(model: Model) -> Iterator[Model]:
    """Yield each entry point as a model of a single subgraph, up to the first custom operator."""
    called = {0, *(s.subgraph for s in model.signatures)}
    for subgraph in model.subgraphs:
        if subgraph.index in called and (subgraph.index or len(called) > 1 or len(model.subgraphs) == 1):
            yield known_part(model, subgraph)


def known_part(model: Model, subgraph: Subgraph) -> Model:
    """Return a model of the operators before the first custom operator; its outputs are the tensors read after it."""
    custom = (n for n, op in enumerate(subgraph.operators) if op.opcode == "CUSTOM")
    return cut_operators(model, subgraph, subgraph.operators[: next(custom, len(subgraph.operators))]).model


def random_inputs(model: Model, seed: int) -> list[np.ndarray]:
    """Return values for every input: uniform stored integers, normally distributed floats."""
    rng = np.random.default_rng(seed)
    made = []
    for index in model.subgraphs[0].inputs:
        tensor = model.subgraphs[0].tensors[index]
        kind = np.dtype(NUMPY_TYPES[tensor.dtype])
        if kind.kind == "f":
            made.append(rng.normal(size=tensor.shape).astype(kind))
        else:
            low, high = (np.iinfo(kind).min, np.iinfo(kind).max) if kind.itemsize < 4 else (-1000, 1000)
            made.append(rng.integers(low, high + 1, tensor.shape).astype(kind))
    return made


def layers(
    model: Model, oracle: Oracle, resolver: str, seed: int = 0, arithmetic: Arithmetic | None = None
) -> dict[str, Score] | Refused:
    """Return scores by operator for a model with a single subgraph; each operator gets LiteRT's inputs."""
    inputs, chosen = random_inputs(model, seed), arithmetic or load_arithmetic(f"litert-{resolver}")
    shown = "optimized" if resolver == "xnnpack" else resolver
    kept = oracle.run_many(model_bytes(model), [inputs], shown, keep_all=True)
    if isinstance(kept, Refused):
        return kept
    interpreter, subgraph, scores = ReferenceInterpreter(model, chosen), model.subgraphs[0], {}
    for operator in subgraph.operators:
        score = scores.setdefault(operator.opcode, Score())
        where = f"{operator.opcode} #{operator.index} {resolver}"
        theirs: Mapping[int, np.ndarray] = kept[0]
        if resolver == "xnnpack":
            alone = cut_operators(model, subgraph, [operator], operator.outputs)
            operands = [theirs[i] for i in alone.inputs]
            made = oracle.run(model_bytes(alone.model), operands, resolver)
            if isinstance(made, Refused):
                score.missing.append(f"{where}: LiteRT says {made.message[-120:]}")
                continue
            given, theirs = theirs, dict(zip(operator.outputs, made, strict=True))
        else:
            given = theirs
        present = {i: given[i] for i in operator.inputs if i in given and not _own(subgraph.tensors[i])}
        try:
            ours = interpreter.step(subgraph, operator, present).outputs
        except RunError as error:
            score.missing.append(str(error))
            continue
        for index, array in zip(operator.outputs, ours, strict=True):
            score.add(array, theirs[index], where)
    return scores


def _own(tensor: object) -> bool:
    return tensor.is_constant or tensor.is_variable  # type: ignore[attr-defined]


def end_to_end(model: Model, oracle: Oracle, resolver: str, seed: int = 0) -> Score | Refused:
    """Return the score of the whole model's outputs."""
    inputs = random_inputs(model, seed)
    theirs = oracle.run(model_bytes(model), inputs, resolver)
    if isinstance(theirs, Refused):
        return theirs
    score = Score()
    try:
        ours = ReferenceInterpreter(model, f"litert-{resolver}").invoke(tuple(inputs)).outputs
    except RunError as error:
        score.missing.append(str(error))
        return score
    for (name, a), b in zip(ours.items(), theirs, strict=True):
        score.add(a, b, f"output {name!r}")
    return score


def known_fault(model: Model, opcode: str, resolver: str) -> str:
    """Return the text of a known fault of a resolver for an operator of the model and its types, or ""."""
    main = model.subgraphs[0]
    same = (bind_operands(model, main, op) for op in main.operators if op.opcode == opcode)
    return next(
        (f.description for operands in same for f in faults_of(operands) if resolver in f.resolvers), ""
    )


def without_kernel(model: Model) -> tuple[str, ...]:
    """Return the operators of a model with types that have no kernel."""
    found = {}
    for operator in model.subgraphs[0].operators:
        try:
            find_kernel(model.subgraphs[0], operator)
        except RunError:
            found[operator.opcode] = None
    return tuple(found)


def report(path: Path, oracle: Oracle, resolvers: tuple[str, ...]) -> int:
    """Print the table of a single file; return the number of unexplained differences and of operators without a kernel."""
    bad = 0
    try:
        models = list(entries(load_model(path)))
    except LitecheckError as error:
        print(f"{path.name}: {error}")
        return 0
    for model in models:
        if not model.subgraphs[0].operators:
            print(f"{path.name}: only custom operators")
            continue
        print(f"\n{path.name}, {model.subgraphs[0].name or 'the only subgraph'}")
        for resolver in resolvers:
            scores = layers(model, oracle, resolver)
            whole = end_to_end(model, oracle, resolver)
            if isinstance(scores, Refused) or isinstance(whole, Refused):
                refused = scores if isinstance(scores, Refused) else whole
                print(f"  {resolver:10} LiteRT refuses: {refused.message}")  # type: ignore[union-attr]
                continue
            faulty = any(s.different and known_fault(model, o, resolver) for o, s in scores.items())
            for opcode, score in [*sorted(scores.items()), ("end to end", whole)]:
                line = f"{opcode:30} {score.compared:11,} compared {score.different:9,} different"
                print(f"  {resolver:10} {line}" + (f", at most {score.worst:g}" if score.worst else ""))
                for text in [*score.where[:3], *dict.fromkeys(score.missing[:2])]:
                    print(f"  {'':10}   {text}")
                fault = known_fault(model, opcode, resolver) if score.different else ""
                if fault:
                    print(f"  {'':10}   LiteRT has a known fault here: {fault}")
                excused = fault or (faulty and score is whole)
                bad += (0 if excused else score.different) + len(score.missing)
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL", help="models to compare")
    parser.add_argument(
        "--resolver", choices=RESOLVERS, action="append", help="run this resolver (repeatable)"
    )
    arguments = parser.parse_args()
    with Oracle(300) as oracle:
        bad = sum(report(path, oracle, tuple(arguments.resolver or RESOLVERS)) for path in arguments.models)
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
