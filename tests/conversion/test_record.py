"""Record of a conversion: operators that stay float32 with the requirement, added operators, and forms of each
tensor."""

from __future__ import annotations

import re

import numpy as np
import pytest

from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.plan_profiles import profile_of
from litecheck.conversion.record import staying, tensor_records
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.profile.load import load_profile

RANGES: dict[Key, Interval] = {(0, n): (-1.0, 2.0) for n in range(6)}


@pytest.fixture
def differences() -> Model:
    """Return two SQUARED_DIFFERENCE around an ADD."""
    main = (builder := ModelBuilder()).subgraph()
    x, y, first, total, last = (main.tensor(name, (1, 4), "float32") for name in ("x", "y", "a", "b", "c"))
    main.add("SQUARED_DIFFERENCE", [x, y], [first])
    main.add("ADD", [first, y], [total])
    main.add("SQUARED_DIFFERENCE", [total, x], [last])
    main.inputs(x, y)
    main.outputs(last)
    return builder.finish()


def made(model: Model, **request: object) -> Conversion:
    return convert(model, Request(**request), RANGES)  # type: ignore[arg-type]


def test_unsupported_operators_stay_float_with_the_line_of_the_rule(differences: Model) -> None:
    done = made(differences, to="int16x8")
    (one,) = staying(done, profile_of(done.plan, load_profile("litert-int16x8")))
    assert (one.opcode, one.places) == ("SQUARED_DIFFERENCE", ("#0", "#2"))
    assert "the kernel does not support it" in one.reason
    assert re.fullmatch(r"SQUARED_DIFFERENCE/unsupported, rules/litert-int16x8.yaml:\d+", one.demand)


def test_operators_kept_by_the_user_have_no_line(differences: Model) -> None:
    done = made(differences, keep=("#1",))
    assert [
        (s.opcode, s.demand) for s in staying(done, profile_of(done.plan, load_profile("litert-runtime")))
    ] == [("ADD", "")]


def test_every_form_of_a_tensor_is_listed_once(differences: Model) -> None:
    found = tensor_records(made(differences), {**RANGES, (0, 1): (-0.5, 0.5)}, None)
    assert [one.name for one in found] == ["x", "y", "a", "b", "c"]
    assert found[1].values == (-0.5, 0.5)
    assert all(one.form.dtype == "int8" and not one.constant for one in found)
    assert np.float32(found[0].form.scale[0]) == np.float32(3 / 255)
