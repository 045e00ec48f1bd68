"""The ``unfolds`` of a profile: operators that a target's compiler makes several of, each of which reads what it needs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.options import options_of
from litecheck.model.types import Operator
from litecheck.profile.operators import facts_of
from litecheck.profile.yaml_reader import Entries, entries, text, texts
from litecheck.spelling import did_you_mean

KEYS = ("steps", "where")
#: What stands for other operators that read what the step reads.
_SHARED = "shared"


@dataclass(frozen=True, slots=True)
class UnfoldedStep:
    """One of several operators that are made of one. ``reads`` are the places of operands, or of steps before it, from -1
    down. Where ``where`` says anything, one of it must hold, else what it reads stands for it: an option is set, or ``not``
    set, the result has a type, or other operators read what it reads (``shared``)."""

    reads: tuple[int, ...]
    where: tuple[str, ...] = ()

    def made(self, operator: Operator, dtype: str, shared: bool) -> bool:
        """Whether there is such a step of an operator with a result of this type."""
        options = options_of(operator)

        def holds(word: str) -> bool:
            if word == _SHARED:
                return shared
            if word.startswith("not "):
                return not options.get(word.removeprefix("not "))
            return word == dtype or bool(options.get(word))

        return not self.where or any(map(holds, self.where))


@dataclass(frozen=True, slots=True)
class Unfolding:
    """An operator's steps in an order in which they can run; the last one makes its result."""

    opcode: str
    steps: tuple[UnfoldedStep, ...]
    because: str
    see: str
    demand: Demand


def read_unfolding(opcode: str, own: Entries, demand: Demand) -> Unfolding:
    """What an entry says of an operator. Raises ProfileError."""
    stated = entries(own.get("steps"), demand.file)
    places = {role: place for place, role in enumerate(facts_of(opcode).inputs)}
    where = entries(own.get("where"), demand.file).only(tuple(stated.values))
    steps = list[UnfoldedStep]()
    for name, node in stated.values.items():
        line = stated.lines[name]
        reads = tuple(
            places[one] for one in known_names("operand or step", texts(node), places, demand.file, line)
        )
        held = known_names("option or type", texts(where.get(name)), _conditions(), demand.file, line)
        if held and len(reads) != 1:
            raise ProfileError(
                demand.file, line, f"{name}: one of what it reads must stand for it where it is not made"
            )
        steps.append(UnfoldedStep(reads, held))
        places[name] = -len(steps)
    if not steps:
        raise ProfileError(demand.file, demand.line, f"{opcode}: steps are missing")
    return Unfolding(opcode, tuple(steps), text(own.get("because")), text(own.get("see")), demand)


def known_names(
    what: str, names: tuple[str, ...], known: Collection[str], file: str, line: int
) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise ProfileError(file, line, f"no {what} {name!r}{did_you_mean(name, known)}")
    return names


@cache
def _conditions() -> tuple[str, ...]:
    """All that may be said of where there is a step."""
    schema = load_schema()
    options = {
        field.name for name, table in schema.tables.items() if name.endswith("Options") for field in table
    }
    types = {name.lower() for name in schema.enums["TensorType"]}
    return (_SHARED, *sorted(types), *sorted(options), *(f"not {name}" for name in sorted(options)))
