"""``conformance`` of a profile: the allowed distance between a device's outputs and the reference, by operator."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.types import Conformance
from litecheck.profile.yaml_reader import MappingNode, Node, entries
from litecheck.spelling import did_you_mean

#: Key for all operators without an entry.
EVERY = "*"


def read_conformance(
    node: Node | None, file: str, profile: str, inherited: Mapping[str, Conformance]
) -> dict[str, Conformance]:
    """Return a profile's own conformance over the inherited conformance, by operator or ``*``.

    A value must not exceed the parent's value; a value that the parent does not state is free. Raise ProfileError.
    """
    made, stated = dict(inherited), entries(node, file)
    for opcode, entry in stated.values.items():
        line = stated.lines[opcode]
        if opcode != EVERY and opcode not in (known := load_schema().enums["BuiltinOperator"]):
            raise ProfileError(file, line, f"no operator {opcode!r}{did_you_mean(opcode, known)}")
        own = _entry(entries(entry, file), file, Demand(profile, file, line))
        old, base = inherited.get(opcode), inherited.get(EVERY)
        for what in ("tolerance", "reals"):
            limit = next((v for c in (old, base) if c and (v := getattr(c, what)) is not None), None)
            value = getattr(own, what)
            if value is not None and limit is not None and value > limit:
                raise ProfileError(
                    file, line, f"{opcode}: {what} {value:g} allows more than the inherited {limit:g}"
                )
        made[opcode] = own.over(old) if old else own
    return made


def _entry(node: MappingNode, file: str, demand: Demand) -> Conformance:
    node.only(("tolerance", "reals", "because"))
    because = node.text("because")
    if not because or len(node.values) < 2:
        raise ProfileError(file, demand.line, "conformance takes a tolerance in LSB or reals, and a because")
    tolerance, reals = _number(node, "tolerance", file), _number(node, "reals", file)
    if tolerance is not None and tolerance != int(tolerance):
        raise node.wrong("tolerance", f"a tolerance counts LSB, not {tolerance:g}")
    if reals is not None and reals >= 1:
        raise node.wrong("reals", "reals are a share of the largest magnitude, below 1")
    return Conformance(None if tolerance is None else int(tolerance), reals, because, demand)


def _number(node: MappingNode, key: str, file: str) -> float | None:
    if key not in node:
        return None
    word = node.text(key)
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value < 0:
        raise node.wrong(key, f"{key} is a number from 0 upwards, not {word!r}")
    return value
