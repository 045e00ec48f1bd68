"""The key ``decomposes`` of a profile: operators that the compiler replaces by several, each with its own inputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.options import options_of
from litecheck.model.types import Operator
from litecheck.profile.operators import traits_of
from litecheck.profile.yaml_reader import MappingNode, entries, text, texts
from litecheck.spelling import did_you_mean

KEYS = ("steps", "where")
#: The condition that another operator reads the input of a step, too.
_SHARED = "shared"


@dataclass(frozen=True, slots=True)
class DecompositionStep:
    """A step of a decomposed operator.

    ``reads`` are positions of inputs, or of earlier steps: -1 is the first step, -2 the second. ``where`` are conditions
    of which at least one must hold, or the input of the step takes its place: an option that is set, ``not`` an option,
    the type of the output, or ``shared``. Example: ``DecompositionStep((1,), ("not adj_y", "shared"))``.
    """

    reads: tuple[int, ...]
    where: tuple[str, ...] = ()

    def is_needed(self, operator: Operator, dtype: str, shared: bool) -> bool:
        """Return True if an operator with an output of this type has the step."""
        options = options_of(operator)

        def holds(word: str) -> bool:
            if word == _SHARED:
                return shared
            if word.startswith("not "):
                return not options.get(word.removeprefix("not "))
            return word == dtype or bool(options.get(word))

        return not self.where or any(map(holds, self.where))


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The steps of an operator in an order in which they can run; the last step computes its output."""

    opcode: str
    steps: tuple[DecompositionStep, ...]
    because: str
    see: str
    demand: Demand


def read_decomposition(opcode: str, own: MappingNode, demand: Demand) -> Decomposition:
    """Read the entry of an operator. Raises ProfileError."""
    stated = entries(own.get("steps"), demand.file)
    places = {role: place for place, role in enumerate(traits_of(opcode).inputs)}
    where = entries(own.get("where"), demand.file).only(tuple(stated.values))
    steps = list[DecompositionStep]()
    for name, node in stated.values.items():
        line = stated.lines[name]
        names = check_names("operand or step", texts(node), places, demand.file, line)
        reads = tuple(places[one] for one in names)
        conditions = check_names("option or type", texts(where.get(name)), _conditions(), demand.file, line)
        if conditions and len(reads) != 1:
            raise ProfileError(demand.file, line, f"{name}: a step with conditions reads one operand")
        steps.append(DecompositionStep(reads, conditions))
        places[name] = -len(steps)
    if not steps:
        raise ProfileError(demand.file, demand.line, f"{opcode}: steps are missing")
    return Decomposition(opcode, tuple(steps), text(own.get("because")), text(own.get("see")), demand)


def check_names(
    what: str, names: tuple[str, ...], known: Collection[str], file: str, line: int
) -> tuple[str, ...]:
    """Return names that are all known. Raises ProfileError with the most similar known name."""
    for name in names:
        if name not in known:
            raise ProfileError(file, line, f"no {what} {name!r}{did_you_mean(name, known)}")
    return names


@cache
def _conditions() -> tuple[str, ...]:
    """Return all conditions of steps."""
    schema = load_schema()
    options = {
        field.name for name, table in schema.tables.items() if name.endswith("Options") for field in table
    }
    types = {name.lower() for name in schema.enums["TensorType"]}
    return (_SHARED, *sorted(types), *sorted(options), *(f"not {name}" for name in sorted(options)))
