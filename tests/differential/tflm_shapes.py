"""Random one-operator models of ranks 0 to 8 on TFLM, and the verdicts of the profile ``tflm``.

    python -m tests.differential.tflm_shapes ADD MUL --cases 30 --seed 0

Half of the models have one or two changes of a shape, index or option. Some outputs have a wrong shape in the file. A
verdict is silent if TFLM does not load, does not run or does not compute LiteRT's outputs. It is false if TFLM computes
LiteRT's outputs of a violating model. Models that LiteRT rejects and TFLM runs have no right output and are only
counted. The exit code is 1 for a silent or false verdict.

Known cases: GATHER_ND, EMBEDDING_LOOKUP, L2_POOL_2D and the operators of depth blocks correct a stored shape that is
too large; a computed block hides a wrong stored shape, and a computed axis is a warning.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.save import model_bytes
from litecheck.model.shapes import ShapeError
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.differential.operator_types.runtimes import Ran, Request, Runtimes
from tests.differential.shapes import answer, call_of, drawn, model_of
from tests.differential.shapes_cases import CASES
from tests.differential.shapes_draws import Draw
from tests.differential.tflm_ranks import PAIR, agrees, operators

_MOST = 1 << 14


@dataclass(frozen=True)
class Judged:
    """Model with its outcomes and violations."""

    draw: Draw
    outputs: tuple[tuple[int, ...], ...]
    tflm: Ran
    litert: Ran
    violations: tuple[Finding, ...]

    @property
    def kind(self) -> str:
        """Agreement of verdict and outcome."""
        if self.tflm.stage == "runs" and self.litert.stage != "runs":
            return "no right output"
        right = agrees(self.tflm, self.litert)
        if right == (not self.violations):
            return "conforms and runs" if right else "violates and does not run"
        return "false" if right else "silent"

    def __str__(self) -> str:
        parts = [
            None if p is None else f"{p.values.dtype}{list(p.values.shape)}{'' if p.constant else '*'}"
            + (f"={p.values.tolist()}" if p.steers and p.values.size < 9 else "")
            for p in self.draw.parts
        ]  # fmt: skip
        violations = [f"{f.path}: {f.found}" for f in self.violations][:2]
        return (
            f"{self.kind}: {self.draw.opcode}{self.draw.title} {parts} -> {list(self.outputs)} {self.draw.options} | "
            f"{self.tflm.stage} {self.tflm.message[:80]} | LiteRT {self.litert.stage} | {violations}"
        )


def models(opcode: str, dtype: str, cases: int, seed: int) -> Iterator[tuple[Draw, Model]]:
    """Yield random models of an operator; one in twelve states a wrong output shape."""
    rng = np.random.default_rng([seed, *opcode.encode(), *dtype.encode()])
    for draw in drawn(opcode, dtype, rng, cases):
        shapes = answer(call_of(draw, constant=True))
        if isinstance(shapes, ShapeError):
            yield draw, model_of(draw, None)
            continue
        stated = [tuple(dim or 0 for dim in shape or ()) for shape in shapes]
        if stated and stated[0] and rng.random() < 1 / 12:
            stated[0] = (stated[0][0] + 1, *stated[0][1:])
        if sum(int(np.prod(shape)) for shape in stated) < _MOST:
            yield draw, model_of(draw, stated)


def judged(runtimes: Runtimes, opcode: str, cases: int, seed: int) -> Iterator[Judged]:
    """Yield the models of an operator, of every type of its draws, with TFLM's outcome and the profile's violations."""
    profile, kinds = load_profile("tflm"), CASES[opcode][1]
    made = [result for dtype in kinds for result in models(opcode, dtype, cases // len(kinds), seed)]
    requests = [Request(model_bytes(model), _inputs(draw), PAIR) for draw, model in made]
    for (draw, model), ran in zip(made, runtimes.run(requests), strict=True):
        graph = model.subgraphs[0]
        found = validate(model, [profile]).findings
        violations = tuple(f for f in found if f.level == "violation" and not f.waiver)
        shapes = tuple(graph.tensors[index].shape for index in graph.outputs)
        yield Judged(draw, shapes, ran["tflm"], ran["optimized"], violations)


def _inputs(draw: Draw) -> tuple[np.ndarray, ...]:
    parts = (part for part in draw.parts if part is not None and not part.constant and not part.variable)
    return tuple(part.values for part in parts)


def main() -> int:
    """Print the models with a wrong verdict, and the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="operators to run [default: all]")
    parser.add_argument("--cases", type=int, default=30, help="models of each operator [default: 30]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the models [default: 0]")
    wanted = parser.parse_args()
    counts: Counter[str] = Counter()
    with Runtimes(1) as runtimes:
        for opcode in wanted.operators or operators():
            for result in judged(runtimes, opcode, wanted.cases, wanted.seed):
                counts[result.kind] += 1
                if result.kind in ("silent", "false"):
                    print(result, flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in counts.most_common()))
    return 1 if counts["silent"] or counts["false"] else 0


if __name__ == "__main__":
    sys.exit(main())
