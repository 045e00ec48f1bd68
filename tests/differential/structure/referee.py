"""Impact of a model on LiteRT, by its real values: refused, fails, crashes, wrong, right or undefined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from litecheck.model.types import Model
from tests.differential.structure.edit import file_of
from tests.differential.structure.feeds import feeds
from tests.differential.structure.meaning import Twin, UndefinedError, off, twin
from tests.differential.structure.oracle import RESOLVERS, Answer, LiteRT
from tests.differential.structure.sketch import Specimen

Fate = Literal["crashes", "refused", "fails", "wrong", "undefined", "right"]
#: Impacts from the worst to the best; a mutant has the worst impact of its resolvers.
FATES: tuple[Fate, ...] = ("crashes", "refused", "fails", "wrong", "undefined", "right")
#: Impacts that litecheck must report.
BAD = FATES[:4]
#: Tolerances in output steps: in general, for exact unchanged models, and the limit beyond which a model is no measure.
TOLERANCE, EXACT, USELESS = 2.0, 0.6, 5.0


@dataclass(frozen=True)
class Fated:
    """Impact of a model on a single resolver; ``steps`` is the distance of its outputs if it ran."""

    fate: Fate
    message: str = ""
    steps: float = 0.0


@dataclass(frozen=True)
class Baseline:
    """Outputs of the unchanged model: distances of each step on each correct resolver, and steps that do not count.

    ``steps`` are the steps with approximately correct outputs of all counted resolvers; ``slack`` is the kernel's
    distance in these steps, in real units, for each output.
    """

    resolvers: tuple[str, ...]
    steps: tuple[int, ...]
    slack: tuple[float, ...]
    stated: bool
    """True if the outputs have the shapes and types that the file states."""
    exact: bool = False
    """True if nothing is rounded: the operator copies."""


class Referee:
    """Runner of models on LiteRT in child processes."""

    def __init__(self, litert: LiteRT) -> None:
        self.litert = litert

    def baseline(self, specimen: Specimen) -> Baseline:
        """Return the baseline of the specimen's mutants."""
        answers, expected, stood = self._run(specimen, specimen.model, RESOLVERS)
        ran = tuple(r for r, a in answers.items() if a.stage == "runs")
        if expected is None:
            return Baseline(ran, (), (), False)
        apart = {r: _apart(specimen.model, answers[r], expected, stood) for r in ran}
        sound = tuple(r for r in ran if max(apart[r][0]) <= USELESS)
        steps = tuple(
            n for n in range(len(expected)) if sound and all(max(apart[r][n]) <= USELESS for r in sound)
        )
        width = len(specimen.model.subgraphs[0].outputs)
        scales = _steps(specimen.model, stood)
        slack = tuple(
            max((apart[r][n][o] - 1 for r in sound for n in steps), default=0.0) * scales[o]
            for o in range(width)
        )
        stated = not any(_unlike(specimen.model, answers[r]) for r in sound)
        exact = all(max(apart[r][n]) < 0.01 for r in sound for n in steps)
        # a branch that did not run may round
        exact = exact and bool(steps) and len(specimen.model.subgraphs) == 1
        return Baseline(sound or ran, steps, tuple(max(0.0, s) for s in slack), stated, exact)

    def fates(self, specimen: Specimen, base: Baseline, model: Model) -> dict[str, Fated]:
        """Return the impacts of a mutant on each resolver with correct outputs of the unchanged model."""
        answers, expected, stood = self._run(specimen, model, base.resolvers)
        found = {}
        for resolver, answer in answers.items():
            if answer.stage != "runs":
                found[resolver] = Fated(answer.stage, answer.message)
            elif base.stated and (message := _unlike(model, answer)):
                found[resolver] = Fated("wrong", message)
            elif not model.subgraphs[0].outputs:
                found[resolver] = Fated("undefined", "nothing comes out")
            elif expected is None or not base.steps:
                why = stood if isinstance(stood, str) else "the unchanged model has no twin"
                found[resolver] = Fated("undefined", why)
            else:
                found[resolver] = self._compared(specimen, base, model, answer, expected, stood)
        return found

    def _compared(
        self, specimen: Specimen, base: Baseline, model: Model, answer: Answer,
        expected: tuple[tuple[np.ndarray, ...], ...], stood: Twin,
    ) -> Fated:  # fmt: skip
        try:
            apart = _apart(model, answer, expected, stood)
        except UndefinedError as error:  # LiteRT replaced the shape of a per-channel output
            return Fated("undefined", str(error))
        scales = _steps(model, stood)
        between = _between(specimen.model, model)
        worst = 0.0
        for number in base.steps:
            for at, steps in enumerate(apart[number]):
                slack = base.slack[at] if at < len(base.slack) else 0.0
                allowed = (EXACT if base.exact else TOLERANCE) + (slack + between) / scales[at]
                worst = max(worst, steps if steps > allowed else 0.0)
        return Fated("wrong", f"off by {worst:.3g} steps", worst) if worst else Fated("right")

    def _run(
        self, specimen: Specimen, model: Model, resolvers: Sequence[str]
    ) -> tuple[dict[str, Answer], tuple[tuple[np.ndarray, ...], ...] | None, Twin | str]:
        data = file_of(model)
        steps = feeds(specimen.model, specimen.inputs, model)
        answers = self.litert.ask_all(data, steps, resolvers)
        if all(a.stage != "runs" for a in answers.values()):
            return answers, None, "does not run"
        said = ""
        for number in ("float32", "int32"):
            try:
                stood = twin(specimen.model, model, number)
            except UndefinedError as error:
                return answers, None, said or str(error)
            inputs = model.subgraphs[0].inputs
            given = [[stood.fed(i, x) for i, x in zip(inputs, step, strict=True)] for step in steps]
            got = self.litert.ask(file_of(stood.model), given, "optimized")
            if got.stage == "runs":
                return answers, got.outputs, stood
            said = said or f"in float32 LiteRT {got.stage}: {got.message}"
        return answers, None, said


def worst(fates: dict[str, Fated]) -> Fate:
    """Return the worst impact of all resolvers."""
    return min((f.fate for f in fates.values()), key=FATES.index, default="undefined")


def _steps(model: Model, stood: Twin | str) -> list[float]:
    """Return the step of each output; 1 for floats."""
    outputs = model.subgraphs[0].outputs
    stands = [stood.stands[i] if isinstance(stood, Twin) else None for i in outputs]
    return [1.0 if s is None else float(s.scale.max()) for s in stands]


def _apart(
    model: Model, answer: Answer, expected: tuple[tuple[np.ndarray, ...], ...], stood: Twin | str
) -> list[list[float]]:
    """Return the distance of each output at each step."""
    graph = model.subgraphs[0]
    assert isinstance(stood, Twin)
    found = []
    for got, wanted in zip(answer.outputs, expected, strict=True):
        rows = zip(got, wanted, graph.outputs, strict=True)
        found.append([_off(x, y, model, i, stood) for x, y, i in rows] or [0.0])
    return found


def _off(got: np.ndarray, expected: np.ndarray, model: Model, index: int, stood: Twin) -> float:
    apart = off(got, expected, model.subgraphs[0].tensors[index], stood.stands[index])
    if got.dtype.kind != "f" or apart == float("inf"):
        return apart
    size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0) * 1e-4 + 1e-6
    return 0.0 if apart <= size else TOLERANCE + apart


def _between(good: Model, model: Model) -> float:
    """Return the increase of the largest inner step, in real units: ties of inner tensors may round either way."""
    if sum(len(g.operators) for g in good.subgraphs) < 2:
        return 0.0
    coarser = [0.0]
    for a, b in zip(good.subgraphs, model.subgraphs, strict=False):
        written = {i for op in a.operators for i in op.outputs}
        for before, after in zip(a.tensors, b.tensors, strict=False):
            old, new = before.quantization.scale, after.quantization.scale
            if before.index in written and old.size and new.size and np.isfinite(new).all():
                coarser.append(float(new.max()) - float(old.max()))
    return 1.5 * max(coarser)


def _unlike(model: Model, answer: Answer) -> str:
    """Return the difference of an output's shape or type from the file, or ""."""
    graph = model.subgraphs[0]
    for got, index in zip(answer.outputs[0], graph.outputs, strict=True):
        tensor = graph.tensors[index]
        if got.shape != tensor.shape and -1 not in (tensor.shape_signature or ()):
            return f"shape {list(got.shape)}, stated {list(tensor.shape)}"
        if got.dtype != ("int8" if tensor.dtype == "int4" else tensor.dtype):
            return f"type {got.dtype}, stated {tensor.dtype}"
    return ""
