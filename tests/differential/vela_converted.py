"""Float nets converted for a target: Vela puts every operator of what comes out where the report says."""

from __future__ import annotations

from dataclasses import dataclass, field

from litecheck.convert.calibration.methods import chosen_ranges, inner_ranges, range_methods
from litecheck.convert.calibration.observe import observe
from litecheck.convert.conversion import Conversion, Request, convert
from litecheck.devices.vela import Compilation, Fate, Vela
from litecheck.errors import LitecheckError
from litecheck.model.types import Model
from litecheck.placement import Place, TargetReport
from litecheck.reference.operands import RunError
from tests.differential.conversion import Runs, calibration_data, models

#: What the profile says of an operator that Vela does this with.
PLACES: dict[Fate, Place] = {
    "npu": "npu", "gone": "npu", "cpu": "cpu", "refused": "refused", "crash": "crashes",
}  # fmt: skip


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
    apart: list[str] = field(default_factory=list)

    def count(self, name: str, told: TargetReport, found: Compilation) -> None:
        """One model."""
        if found.ending.startswith("no end"):
            self.late += 1
            return
        said = [op.place for op in told.operators]
        done = [PLACES[fate] for fate in found.fates]
        self.models += 1
        self.operators += len(done)
        self.whole += set(said) <= {"npu"}
        if set(done) & {"refused", "crashes"} and done[0] in said:
            self.refused += 1
            return
        wrong = [
            f"{op.opcode} #{op.index}: Vela {place}, report {op.place}"
            for op, place in zip(told.operators, done, strict=True)
            if op.place != place
        ]
        self.apart += [f"{name}: {'; '.join(wrong)}"] if wrong else []

    def __str__(self) -> str:
        lines = [
            f"{self.models:,} models, {self.operators:,} operators: {len(self.apart)} models otherwise than told",
            f"{self.whole:,} promised whole, {self.refused:,} told to be refused, {self.late} took too long",
        ]
        return "\n".join((*lines, *self.apart))


def placed_conversion(model: Model, runs: Runs, target: str) -> Conversion:
    """A float model converted to int8 for a target, what goes in and out included."""
    statistics, methods = observe(model, calibration_data(model, runs), device="litecheck"), range_methods(())
    ranges, inner = chosen_ranges(statistics, model, methods), inner_ranges(statistics, methods)
    request = Request(to="int8", profile=target, inputs="int8", outputs="int8")
    return convert(model, request, ranges, inner=inner)


def converted(target: str, graphs: int, first: int = 0, only: str = "") -> Promises:
    """Every operator with a float form, the nets under fixtures/convert and random graphs. What the reference cannot run,
    or has nothing to quantize in, is left out."""
    promises = Promises()
    with Vela(target, seconds=20) as compiler:
        for name, model, runs in models(graphs, only, first):
            try:
                done = placed_conversion(model, runs, target)
            except (LitecheckError, RunError):
                continue
            (told,) = done.report.targets
            promises.count(name, told, compiler.compile(done.model))
    return promises
