"""Stated placement of the operators of whole models, compared with Vela."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from litecheck.model.types import Model
from litecheck.placement import TargetReport
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.compiler.vela import Compilation, Vela, placement_differences
from litecheck.targets.ethos_u.placement import place_model


@dataclass
class Promises:
    """Counts of stated and actual placements; ``apart`` describes each difference."""

    models: int = 0
    operators: int = 0
    whole: int = 0
    """Models with every operator stated to run on the NPU."""
    refused: int = 0
    """Models stated to be rejected by the compiler, which rejects them."""
    late: int = 0
    parted: int = 0
    """Models with correct placement and a different number of partitions."""
    apart: list[str] = field(default_factory=list)

    def count(self, name: str, predicted: TargetReport, found: Compilation) -> None:
        """Count a model."""
        if found.ending.startswith("no end"):
            self.late += 1
            return
        places = [op.place for op in predicted.operators]
        otherwise = placement_differences(places, found)
        self.models += 1
        self.operators += len(places)
        self.whole += set(places) <= {"npu"}
        if found.ending:
            self.refused += not otherwise
        else:
            self.parted += not otherwise and predicted.partitions != found.partitions
        if otherwise:
            ops = ((predicted.operators[n], place) for n, place in otherwise.items())
            wrong = (f"{op.opcode} #{op.index}: Vela {place}, report {op.place}" for op, place in ops)
            self.apart.append(f"{name}: {'; '.join(wrong)}")

    def __str__(self) -> str:
        lines = [
            f"{self.models:,} models, {self.operators:,} operators: {len(self.apart)} models placed unlike the prediction",
            f"{self.whole:,} predicted entirely on the NPU, {self.refused:,} predicted to be rejected, "
            f"{self.late} took too long, {self.parted} run in a different number of partitions",
        ]
        return "\n".join((*lines, *self.apart))


def kept(models: Iterable[tuple[str, Model]], target: str) -> Promises:
    """Return the comparison of named models with the compiler."""
    promises, profile = Promises(), load_profile(target)
    with Vela(target, seconds=5) as compiler:
        for name, model in models:
            promises.count(name, place_model(model, profile)[0], compiler.compile(model))
    return promises
