"""Examples in the docstrings of measurements: models of a single operator, and the comparison of value and text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.registry import (
    meaning,
    measurement,
    operand_measurements,
    operator_measurements,
    register_all,
)

#: (measurement, operator, tensors by role, options, value in the docstring)
Example = tuple[str, str, Mapping[str, dict[str, Any]], Mapping[str, Option], Any]


def names_of(package: str) -> list[str]:
    """Return the measurements with a module in a package; measurements of a tensor as ``role.NAME``."""
    functions = {
        **operator_measurements(),
        **{f"role.{name}": function for name, function in operand_measurements().items()},
    }
    return sorted(
        name for name, function in functions.items() if function.__module__.startswith(f"{package}.")
    )


def assert_display_text(name: str) -> None:
    """Check that the first paragraph is a noun phrase with an example."""
    text = meaning(name)
    assert re.match(r"(What|How|Whether|Which|Where|In how|By how|The)\b", text) is None
    assert "Example: " in text


def t(*shape: int, dtype: str = "int8", scale: Any = 0, zero: int = 0, data: Any = None) -> dict[str, Any]:
    """Return a tensor: its shape, dtype, scale or scales (0 for none), zero point and constant data."""
    return {"shape": shape, "dtype": dtype, "scale": scale, "zero": zero, "data": data}


def ints(*values: Any) -> dict[str, Any]:
    """Return an int32 constant."""
    return t(dtype="int32", data=values)


def value_of(
    name: str, opcode: str, tensors: Mapping[str, dict[str, Any]], options: Mapping[str, Option]
) -> Any:
    """Measure a model of a single operator. A role ``NAME+`` is a further tensor of the role ``NAME``."""
    register_all()
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    made = {}
    for role, given in tensors.items():
        parameters = qparams(given["scale"], given["zero"]) if given["scale"] else None
        if given["data"] is None:
            made[role] = graph.tensor(role, given["shape"], given["dtype"], parameters)
        else:
            values = np.array(given["data"]).astype(given["dtype"])
            made[role] = graph.constant(role, values, parameters)
    outputs = [index for role, index in made.items() if role.startswith("output") and "_" not in role]
    inputs = [index for index in made.values() if index not in outputs]
    graph.add(opcode, inputs, outputs, **options)
    graph.inputs(
        *(index for role, index in made.items() if index in inputs and tensors[role]["data"] is None)
    )
    graph.outputs(*outputs)
    model = builder.finish()
    main = model.subgraphs[0]
    roles: dict[str, tuple[Any, ...]] = {}
    for role, index in made.items():
        roles[role.rstrip("+")] = (*roles.get(role.rstrip("+"), ()), main.tensors[index])
    return measurement(name)(Operands(main.operators[0], roles, main, model))


def assert_example(example: Example) -> None:
    """Check that the measurement gives the value, and that the docstring states the value."""
    name, opcode, tensors, options, wanted = example
    value = value_of(name, opcode, tensors, options)
    if isinstance(wanted, str):
        assert str(value) == wanted
    else:
        assert float(Fraction(value)) == pytest.approx(wanted)
    written = f"{wanted:,}" if isinstance(wanted, int) else str(wanted)
    assert re.search(rf"(?<![\w.]){re.escape(written)}(?!\w)", meaning(name).split("Example: ")[1])
