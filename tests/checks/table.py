"""Shared by the tables of checks: a profile from a few YAML lines, and all fields of a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from litecheck.checks.validate import validate
from litecheck.finding import Effect, Level
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile

#: Default quantization with a single scale and zero point.
STEP = qparams(0.05, -3)


@dataclass(frozen=True, slots=True)
class FindingRow:
    """All fields of a finding: requirement, operand, texts, impact, level."""

    path: str
    operand: str
    found: str
    required: str
    because: str
    effect: Effect = "the profile forbids it"
    level: Level = "violation"
    channels: int | None = None
    see: str = ""


@cache
def profile(rules: str) -> Profile:
    """Return the profile of a rule file with these lines."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "table.yaml")
        file.write_text(f"profile: table\n{rules}", "utf-8")
        return load_profile(file)


def findings_of(rules: str, model: Model) -> tuple[FindingRow, ...]:
    """Return every finding of a model checked against these rules only, in order."""
    return tuple(
        FindingRow(
            f.path, f.where.operand, f.found, f.required, f.because, f.effect, f.level, f.channels, f.see
        )
        for f in validate(model, [profile(rules)]).findings
    )  # fmt: skip


def single_operator(
    opcode: str, inputs: Sequence[tuple[int, ...]], output: tuple[int, ...], **options: object
) -> Model:
    """Return a model of a single operator over int8 tensors of these shapes, named ``input 0`` and so on, and
    ``output``."""
    builder = ModelBuilder(f"one {opcode}")
    main = builder.subgraph()
    operands = [main.tensor(f"input {n}", shape, "int8", STEP) for n, shape in enumerate(inputs)]
    return finished_with(
        builder, main, opcode, operands, main.tensor("output", output, "int8", STEP), **options
    )


def finished_with(
    builder: ModelBuilder,
    main: SubgraphBuilder,
    opcode: str,
    operands: Sequence[int],
    *outputs: int,
    **options: object,
) -> Model:
    """Add the operator as the last of the model, and finish the model."""
    main.add(opcode, operands, outputs, **options)  # type: ignore[arg-type]
    main.inputs(*(i for i in operands if i >= 0))
    main.outputs(*outputs)
    return builder.finish()
