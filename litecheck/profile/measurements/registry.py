"""Registry of measurements: pure functions for requirements that the rule language cannot state, with setters.

A measurement of the whole operator has a plain name (``stride_w``); a measurement of a tensor is written
``role.measurement`` (``input.channels``). Both return an exact number, a word, or None if they do not apply.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from litecheck.errors import ConfigError
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import (
    OPERAND,
    OPERATOR,
    Measurement,
    MeasurementSetter,
    OperandMeasurement,
)
from litecheck.profile.measurements.vocabulary import Vocabulary
from litecheck.profile.operator_plan import Plan
from litecheck.target_kinds import target_kinds

#: The modules of this package that register measurements, in the order in which the documentation lists them.
_MODULES = (
    "accumulators", "blockwise", "empty_matrices", "subgraph_io", "hybrid", "indices", "intermediates", "lstm_types",
    "loops", "operand", "options", "parameters", "recurrent", "layer_normalization", "scales", "power_of_two_scales",
    "slices", "variables", "windows", "wiring",
)  # fmt: skip
for _module in _MODULES:
    import_module(f"litecheck.profile.measurements.{_module}")


def register_measurements(modules: Iterable[str]) -> None:
    """Import modules that register measurements, such as those of a kind of target. Raise ConfigError."""
    for module in modules:
        try:
            import_module(module)
        except (ImportError, ValueError) as error:
            raise ConfigError(f"measurements of {module!r} cannot be imported: {error}") from error


def register_all() -> None:
    """Register the measurements of all kinds of targets, including those of installed packages. Raise ConfigError."""
    for kind in target_kinds().values():
        register_measurements(kind.measurements)


def operator_measurements() -> Mapping[str, Measurement]:
    """Return the measurements of a whole operator by name."""
    register_all()
    return {name: function for name, (function, _) in OPERATOR.items()}


def operand_measurements() -> Mapping[str, OperandMeasurement]:
    """Return the measurements of an operand by the name after the dot."""
    register_all()
    return {name: function for name, (function, _) in OPERAND.items()}


def measurement_names(roles: tuple[str, ...] = ()) -> Iterator[str]:
    """Return every name that ``limits`` can use for an operator with these roles."""
    yield from OPERATOR
    yield from (f"{role}.{name}" for role in roles for name in OPERAND)


def measurement(name: str) -> Measurement:
    """Return the measurement with that name."""
    if "." not in name:
        return OPERATOR[name][0]
    role, _, what = name.rpartition(".")
    of_tensor = OPERAND[what][0]

    def of_role(operands: Operands) -> Measured:
        tensor = operands.one(role)
        return None if tensor is None else of_tensor(tensor)

    return of_role


def meaning(name: str) -> str:
    """Return the description of a measurement: the first paragraph of its docstring."""
    return " ".join(docstring(name).split("\n\n")[0].split())


def docstring(name: str) -> str:
    """Return the whole docstring of a measurement. A paragraph ``Search words: ...`` has further words of the field."""
    function = OPERAND[name.rpartition(".")[2]][0] if "." in name else OPERATOR[name][0]
    return inspect.getdoc(function) or ""


def measurement_description(path: str) -> str:
    """Return the description of the measurement that a requirement limits; "" if it is not a limit."""
    name = path.partition("/limits/")[2]
    return meaning(name).replace("``", "") if name else ""


def setter_of(name: str) -> MeasurementSetter[Plan]:
    """Return the setter of the measurement with that name."""
    if "." not in name:
        return OPERATOR[name][1]
    role, _, what = name.rpartition(".")
    of_tensor = OPERAND[what][1]

    def of_role(plan: Plan, value: Any) -> Plan | None:
        tensor = plan.one(role)
        changed = None if tensor is None else of_tensor.apply(tensor, value)
        return None if changed is None else plan.edit(role, lambda _: changed)

    return MeasurementSetter(of_role, of_tensor.rejected_words, of_tensor.gives)


def vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary of the measurement with that name."""
    registered = OPERATOR if "." not in name else OPERAND
    return registered[name.rpartition(".")[2]][1].gives
