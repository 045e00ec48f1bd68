"""What the tables of the verbs share: a few lines of YAML as a profile, and a finding as a row holds it, whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from litecheck.checks.validate import validate
from litecheck.finding import Effect, Level
from litecheck.model.build import ModelBuilder, SubgraphBuilder, quantized
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile

#: One scale and zero point, where no more is needed.
STEP = quantized(0.05, -3)


@dataclass(frozen=True, slots=True)
class Told:
    """All that a finding says: its requirement, the operand, the words, what becomes of the model."""

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
    """The profile that a rule file of these lines is."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "table.yaml")
        file.write_text(f"profile: table\n{rules}", "utf-8")
        return load_profile(file)


def told(rules: str, model: Model) -> tuple[Told, ...]:
    """Every finding of a model that is judged by these rules alone, in the order in which they are found."""
    return tuple(
        Told(
            f.path, f.where.operand, f.found, f.required, f.because, f.effect, f.level, f.channels, f.see
        )
        for f in validate(model, [profile(rules)]).findings
    )  # fmt: skip


def one(opcode: str, inputs: Sequence[tuple[int, ...]], output: tuple[int, ...], **options: object) -> Model:
    """One operator over int8 tensors of these shapes, ``input 0`` and so on, and ``output``."""
    builder = ModelBuilder(f"one {opcode}")
    main = builder.subgraph()
    operands = [main.tensor(f"input {n}", shape, "int8", STEP) for n, shape in enumerate(inputs)]
    return ended(builder, main, opcode, operands, main.tensor("output", output, "int8", STEP), **options)


def ended(
    builder: ModelBuilder,
    main: SubgraphBuilder,
    opcode: str,
    operands: Sequence[int],
    *outputs: int,
    **options: object,
) -> Model:
    """The model with this operator as its last."""
    main.add(opcode, operands, outputs, **options)  # type: ignore[arg-type]
    main.inputs(*(i for i in operands if i >= 0))
    main.outputs(*outputs)
    return builder.finish()
