"""litecheck's int8 operators compared with TOSA's reference model: ``python -m tests.differential.tosa --cases 50
ADD``.

TOSA is a second oracle without code of LiteRT's kernels: a converter turns the model into TOSA's integer operators, and
Arm's reference model computes them. Both come with the extra ``tosa``. A reason of ``tosa_reasons`` must predict every
difference from litert-reference; further differences are errors. LITECHECK_MODELS adds whole models.
"""

from __future__ import annotations

import argparse
import copy
import os
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from litecheck.errors import LitecheckError
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import run
from tests.differential import affine, binary, movement, reduce, unary
from tests.differential.layers import random_inputs
from tests.differential.one_operator import Trial, compare
from tests.differential.oracle import Oracle, Refused
from tests.differential.shrink import Make, described, smallest
from tests.differential.tosa_reasons import REASONS, as_tosa, explained, stored_ints

Random = np.random.Generator
#: Public models with a conversion of every operator.
MODELS = ("kws_ref_model.tflite", "pretrainedResnet_quant.tflite")
#: Kinds that the converter, its passes or the reference model reject, with the reason.
STOPPED = {
    **dict.fromkeys(binary.COMPARISONS, "int8 operands are not converted"),
    **dict.fromkeys(("REDUCE_PROD", "WHERE", "LOG_SOFTMAX", "L2_NORMALIZATION", "DYNAMIC_UPDATE_SLICE"), "not converted"),
    **dict.fromkeys(("DEPTHWISE_CONV_2D x int4", "FULLY_CONNECTED x int4"), "the model reshapes no int4 tensors"),
    **dict.fromkeys(("DIV", "ELU", "ABS"), "int8 operands of different parameters are converted to an invalid operator"),
    "PADV2": "the converter requires a scalar value",
}  # fmt: skip

#: Faults of the converter that are not predicted: such trials are drawn again.
AVOIDED = {
    "STRIDED_SLICE": "negative strides",
    "BATCH_MATMUL": "leading dimensions that broadcast in both directions: it flattens them first",
    "MEAN": "an axis named twice: it divides twice",
    "SUM": "an axis named twice",
}

_CHILD = r"""
import os, pickle, struct, subprocess, sys, tempfile
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
import tosa_reference_model as model
from importlib.metadata import distribution
from tosa_converter_for_tflite import tflite_flatbuffer_to_tosa_mlir as convert
opt = str(distribution("tosa-tools").locate_file("bin/tosa-opt"))
log = tempfile.TemporaryFile()
os.dup2(log.fileno(), 2)
def answer(tflite, runs, folder):
    given, mlir, tosa = (os.path.join(folder, name) for name in ("m.tflite", "m.mlirbc", "m.tosa"))
    with open(given, "wb") as file: file.write(tflite)
    convert(given, mlir)
    subprocess.run([opt, mlir, "--tosa-convert-integer-type-to-signless", "--tosa-serialize",
                    "--tosa-flatbuffer-filename=" + tosa, "-o", os.devnull], check=True)
    with open(tosa, "rb") as file: graph = file.read()
    results = []
    for inputs in runs:
        outputs, status = model.run(graph, list(inputs))
        if status != model.GraphStatus.TOSA_VALID: raise RuntimeError(str(status))
        results.append(outputs)
    return results
while True:
    head = sys.stdin.buffer.read(8)
    if len(head) < 8: break
    tflite, runs, _, _ = pickle.loads(sys.stdin.buffer.read(struct.unpack("<Q", head)[0]))
    log.seek(0); log.truncate()
    with tempfile.TemporaryDirectory() as folder:
        try: reply = answer(tflite, runs, folder)
        except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
            log.seek(0)
            reply = log.read().decode(errors="replace").replace(folder, "").strip() or str(error)
    data = pickle.dumps(reply, 5)
    out.write(struct.pack("<Q", len(data)) + data); out.flush()
"""


class Tosa(Oracle):
    """TOSA's reference model in a child process: ``run(model_bytes(model), inputs)``, for every resolver."""

    program = _CHILD
    shows_variables = False


def avoided(case: Trial) -> bool:
    """Return True if a trial has a fault of AVOIDED."""
    graph = case.model.subgraphs[0]
    (operator,) = graph.operators
    if operator.opcode == "STRIDED_SLICE":
        return bool((stored_ints(case, 3) < 0).any())
    if operator.opcode in ("MEAN", "SUM"):
        rank, axes = case.inputs[0].ndim, stored_ints(case, 1).ravel()
        return bool(rank) and len({int(a) % rank for a in axes}) < axes.size
    if operator.opcode == "BATCH_MATMUL":
        left, right = (graph.tensors[i].shape[:-2] for i in operator.inputs)
        return np.broadcast_shapes(left, right) not in (left, right)
    return False


def _reduced(opcode: str) -> Make:
    return lambda random: reduce.MAKERS[opcode](random, opcode, "int8")


def _one_value(opcode: str, source: str, target: str) -> Make:
    def make(random: Random) -> Trial:
        while True:
            for case in unary.cases(opcode, source, target, random):
                if case.alpha is not None:  # the converter requires one dimension less than the input has
                    case = replace(case, runs=(case.runs[0][None],))
                ends = [q and (q.scale[0], q.zero_point[0]) for _, q in (case.source, case.target)]
                if opcode != "HARD_SWISH" or ends[0][0] < 128 * ends[1][0]:  # LiteRT rejects larger ratios
                    return replace(case, runs=case.runs[:1]).trial()

    return make


def _moved(opcode: str) -> Make:
    def make(random: Random) -> Trial:
        while True:
            case = movement.FAMILY.kinds[opcode](random)
            if case.inputs[0].dtype == np.int8:
                return case

    return make


KINDS: dict[str, Make] = {
    **{k.replace(" int8", "", 1): made for k, made in affine.MAKERS.items() if k.split()[1] == "int8"},
    **{opcode: binary.FAMILY.kinds[f"{opcode} int8 pairs"] for opcode in binary.EIGHT_BITS},
    **{opcode: _reduced(opcode) for opcode, types in reduce.TYPES.items() if "int8" in types},
    **{op: _one_value(op, s, t) for op, s, t in unary.ENTRIES if s == "int8" and t in ("int8", "float32")
       and op not in ("CAST", "QUANTIZE")},
    **{f"QUANTIZE from {source}": _one_value("QUANTIZE", source, "int8") for source in ("int8", "int16", "int32")},
    **{opcode: _moved(opcode) for opcode in movement.CASES},
}  # fmt: skip


@dataclass
class Score:
    """Elements compared and different from litert-reference, by reason; ``wrong`` elements have no reason."""

    models: int = 0
    compared: int = 0
    different: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def judge(case: Trial, tosa: Oracle, score: Score) -> None:
    """Compare a trial, and count its differences by reason."""
    theirs = tosa.run(model_bytes(case.model), case.inputs)
    if isinstance(theirs, Refused):
        score.refused[theirs.message.split("error: ")[-1].split("\n")[0][:110]] += 1
        return
    ours = list(run(case.model, case.inputs).outputs.values())
    off = compare(case.title, [ours], [theirs], affine.too_far).different
    score.models += 1
    score.compared += sum(a.size for a in ours)
    score.different += off
    if off:
        reason = explained(case, ours, theirs)
        score.reasons[reason] += off
        if not reason:
            score.wrong.append(f"{case.title}: {off} elements")


def drawn(name: str, random: Random) -> Trial:
    """Return a trial that is not avoided."""
    case = KINDS[name](random)
    while avoided(case):
        case = KINDS[name](random)
    return case


def outcome(case: Trial, tosa: Oracle) -> str:
    """Return "differs" if a trial differs without a reason, or the name of an error."""
    try:
        judge(case, tosa, score := Score())
    except (ArithmeticError, LitecheckError, LookupError, ValueError) as error:
        return type(error).__name__
    return "differs" if score.wrong else ""


def kind(name: str, count: int, tosa: Oracle, seed: int = 0) -> Score:
    """Return the score of ``count`` random trials of a single kind. The first wrong trial is minimized.

    Trial i does not depend on ``count``.
    """
    score = Score()
    for i in range(count):
        random, already = np.random.default_rng([seed, i, *name.encode()]), len(score.wrong)
        start = copy.deepcopy(random)
        judge(drawn(name, random), tosa, score)
        if score.wrong and not already:
            small = smallest(lambda r: drawn(name, r), start, lambda case: outcome(case, tosa), 500)
            score.wrong.append(described(small))
    return score


def transparent(model: Model) -> Model:
    """Return the model with every operator's output as a model output, and no open dimension."""
    (graph,) = model.subgraphs
    tensors = tuple(replace(tensor, shape_signature=()) for tensor in graph.tensors)
    outputs = tuple(index for operator in graph.operators for index in operator.outputs)
    return replace(model, signatures=(), subgraphs=(replace(graph, tensors=tensors, outputs=outputs),))


def whole(path: Path, tosa: Oracle, arithmetic: Arithmetic | str, runs: int = 3) -> tuple[int, int]:
    """Return (elements compared, elements different) of all tensors of a model. Raises ValueError if TOSA refuses it."""
    model = transparent(load_model(path))
    given = [random_inputs(model, seed) for seed in range(runs)]
    made = tosa.run_many(model_bytes(model), given)
    if isinstance(made, Refused):
        raise ValueError(made.message)
    compared = off = 0
    for inputs, theirs in zip(given, made, strict=True):
        ours = run(model, tuple(inputs), arithmetic=arithmetic, keep="all").tensors
        compared += sum(t.size for t in theirs)
        off += compare(path.name, [[ours[i] for i in model.subgraphs[0].outputs]], [theirs]).different
    return compared, off


def main() -> int:
    """Print a line for each kind and model; return 1 for an unexplained difference or if nothing was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="kinds to run [default: all]")
    parser.add_argument("--cases", type=int, default=50, help="trials of each kind [default: 50]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the trials [default: 0]")
    given = parser.parse_args()
    bad, seen = 0, set[str]()
    with Tosa(300) as tosa:
        for name in given.kinds or KINDS:
            score = kind(name, given.cases, tosa, given.seed)
            bad += len(score.wrong) + (not score.models and name not in STOPPED)
            seen |= set(score.reasons)
            print(f"{name:26}{score.models:5} models {score.compared:10,} compared {score.different:7,} different "
                  f"{dict(score.reasons) or ''} {STOPPED.get(name, '')}", flush=True)  # fmt: skip
            for line in (
                *score.wrong[:3],
                *(f"refused {n}: {reason}" for reason, n in score.refused.most_common(2)),
            ):
                print(f"    {line}")
        folder = Path(os.environ.get("LITECHECK_MODELS", ""))
        for name in MODELS if not given.kinds and os.environ.get("LITECHECK_MODELS") else ():
            (compared, off), (_, left) = (
                whole(folder / name, tosa, a) for a in ("litert-reference", as_tosa())
            )
            bad += left
            print(
                f"{name}: {compared:,} compared, {off:,} different, {left:,} with TOSA's roundings",
                flush=True,
            )
    for reason in sorted(seen & set(REASONS)):
        print(f"{reason}: {REASONS[reason]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
