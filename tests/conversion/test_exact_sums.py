"""Sums with a constant: input and output get a scale that divides the constant, if that adds less noise than it saves."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.convert_float import Conversion, convert
from litecheck.conversion.request import Request
from litecheck.model.build import ModelBuilder
from litecheck.model.submodels import cut_operators
from litecheck.reference.engine.interpreter import ReferenceInterpreter


def summed(
    high: float, constant: float | list[float], opcode: str = "ADD", first: bool = False, to: str = "int8"
) -> Conversion:
    """Convert a sum of exp(x), in 0..``high``, and a constant."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, inner, total = (main.tensor(name, (1, 4), "float32") for name in ("x", "e", "s"))
    added = np.array(constant, np.float32)
    term = main.constant("c", added)
    main.inputs(x)
    main.add("EXP", [x], [inner])
    main.add(opcode, [term, inner] if first else [inner, term], [total])
    main.outputs(total)
    ends = [-high if first else 0.0, high] if opcode == "SUB" else [0.0, high]
    low, top = ends[0] + float(added.min()), ends[1] + float(added.max())
    if opcode == "SUB":
        low, top = (-high + 1, 1.0) if first else (-1.0, high - 1)
    ranges = {(0, x): (-3.5, 3.5), (0, inner): (0.0, high), (0, total): (low, top)}
    request = Request(to, inputs="float32", outputs="int16" if to == "int16x8" else "int8")
    return convert(builder.finish(), request, ranges)


def scales(done: Conversion) -> tuple[float, float]:
    """Return the scales of the sum's input and output."""
    main = done.model.subgraphs[0]
    own = {tensor.name: tensor.quantization.scale for tensor in main.tensors}
    return float(own["e"][0]), float(own["s"][0])


@pytest.mark.parametrize(
    ("high", "opcode", "first", "steps"),
    [(32.8, "ADD", False, 7), (32.8, "ADD", True, 7), (7.2, "ADD", False, 31), (3.1, "SUB", True, 82)],
)
def test_both_scales_divide_the_constant(high: float, opcode: str, first: bool, steps: int) -> None:
    done = summed(high, 1.0, opcode, first)
    assert done.conforms
    assert scales(done) == pytest.approx((1 / steps, 1 / steps), rel=1e-6)


@pytest.mark.parametrize(
    ("high", "constant", "why"),
    [
        (400.0, 1.0, "the constant is less than a step"),
        (100.0, 0.75, "a scale for both would add more noise than the sum"),
        (240.0, 250.0, "the scale of the input would double"),
        (32.8, [1.0, 2.0, 1.0, 1.0], "the constant has several values"),
    ],
)
def test_scales_stay(high: float, constant: float | list[float], why: str) -> None:
    one, other = scales(summed(high, constant))
    top = high + float(np.max(constant))
    assert (one, other) == pytest.approx((high / 255, top / 255), rel=1e-6), why


def test_16_bit_sums_stay() -> None:
    assert scales(summed(32.8, 1.0, to="int16x8"))[0] == pytest.approx(32.8 / 32767, rel=1e-6)


def test_the_stored_sum_is_exact() -> None:
    """The stored sum is the stored input and 7 for every stored input; with scales of 0.129 and 0.133 it is not."""
    done = summed(32.8, 1.0)
    main = done.model.subgraphs[0]
    add = next(op for op in main.operators if op.opcode == "ADD")
    part = cut_operators(done.model, main, [add], add.outputs).model
    stored = np.arange(-128, 121, dtype=np.int8)
    for values in stored[: len(stored) // 4 * 4].reshape(-1, 1, 4):
        (total,) = ReferenceInterpreter(part).run(part.subgraphs[0], (values,)).values()
        assert (total.astype(int) - values == 7).all()


def test_the_plan_states_the_reason() -> None:
    plan = summed(32.8, 1.0).plan
    reasons = {one.name: one.written.because for one in plan.tensors if one.written}
    assert reasons["e"] == "its range was widened by 11 % so that a sum with a constant is exact"
