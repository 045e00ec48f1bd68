"""What a report says of the operators of whole models, beside what Vela does with them."""

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
    """What was promised of converted models, and what was kept; ``apart`` tells of each that was not."""

    models: int = 0
    operators: int = 0
    whole: int = 0
    """Models of which every operator was to run on the NPU."""
    refused: int = 0
    """Models that the compiler was to refuse whole, and does."""
    late: int = 0
    parted: int = 0
    """Models of which each operator runs where it was said to, in another number of partitions."""
    apart: list[str] = field(default_factory=list)

    def count(self, name: str, told: TargetReport, found: Compilation) -> None:
        """One model."""
        if found.ending.startswith("no end"):
            self.late += 1
            return
        said = [op.place for op in told.operators]
        otherwise = placement_differences(said, found)
        self.models += 1
        self.operators += len(said)
        self.whole += set(said) <= {"npu"}
        if found.ending:
            self.refused += not otherwise
        else:
            self.parted += not otherwise and told.partitions != found.partitions
        if otherwise:
            ops = ((told.operators[n], place) for n, place in otherwise.items())
            wrong = (f"{op.opcode} #{op.index}: Vela {place}, report {op.place}" for op, place in ops)
            self.apart.append(f"{name}: {'; '.join(wrong)}")

    def __str__(self) -> str:
        lines = [
            f"{self.models:,} models, {self.operators:,} operators: {len(self.apart)} models otherwise than told",
            f"{self.whole:,} promised whole, {self.refused:,} told to be refused, {self.late} took too long, "
            f"{self.parted} run in another number of partitions",
        ]
        return "\n".join((*lines, *self.apart))


def kept(models: Iterable[tuple[str, Model]], target: str) -> Promises:
    """Models with their names, each put to the compiler."""
    promises, profile = Promises(), load_profile(target)
    with Vela(target, seconds=5) as compiler:
        for name, model in models:
            promises.count(name, place_model(model, profile)[0], compiler.compile(model))
    return promises
