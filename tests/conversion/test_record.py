"""The record of a conversion: what stays float32 and by which requirement, what was added, what each tensor became."""

from __future__ import annotations

import re

import numpy as np
import pytest

from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.plan_profiles import profile_of
from litecheck.conversion.record import converted_tensors, staying
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.profile.load import load_profile

RANGES: dict[Key, Interval] = {(0, n): (-1.0, 2.0) for n in range(6)}


@pytest.fixture
def differences() -> Model:
    """Two squared differences around an addition."""
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


def test_what_a_profile_does_not_support_stays_and_its_line_is_named(differences: Model) -> None:
    done = made(differences, to="int16x8")
    (one,) = staying(done, profile_of(done.plan, load_profile("litert-int16x8")))
    assert (one.opcode, one.places) == ("SQUARED_DIFFERENCE", ("#0", "#2"))
    assert "the kernel does not support it" in one.reason
    assert re.fullmatch(r"SQUARED_DIFFERENCE/unsupported, rules/litert-int16x8.yaml:\d+", one.demand)


def test_what_the_user_keeps_has_no_line(differences: Model) -> None:
    done = made(differences, keep=("#1",))
    assert [
        (s.opcode, s.demand) for s in staying(done, profile_of(done.plan, load_profile("litert-runtime")))
    ] == [("ADD", "")]


def test_every_form_of_a_tensor_is_listed_once(differences: Model) -> None:
    found = converted_tensors(made(differences), {**RANGES, (0, 1): (-0.5, 0.5)}, None)
    assert [one.name for one in found] == ["x", "y", "a", "b", "c"]
    assert found[1].values == (-0.5, 0.5)
    assert all(one.form.dtype == "int8" and not one.constant for one in found)
    assert np.float32(found[0].form.scale[0]) == np.float32(3 / 255)
