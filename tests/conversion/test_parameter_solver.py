"""Negated tensors: a QUANTIZE before NEG, because its kernel negates the lowest integer to itself."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.model.build import ModelBuilder
from litecheck.reference.engine.interpreter import ReferenceInterpreter


def negated(low: float, high: float) -> Conversion:
    """Convert a product that NEG and ADD read."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, product, negative, total = (main.tensor(name, (1, 4), "float32") for name in ("x", "p", "n", "s"))
    factor = main.constant("f", np.full((1, 4), 2.0, np.float32))
    main.inputs(x)
    main.add("MUL", [x, factor], [product])
    main.add("NEG", [product], [negative])
    main.add("ADD", [product, x], [total])
    main.outputs(negative, total)
    ends = {x: (low, high), product: (low, high), negative: (-high, -low), total: (low * 1.5, high * 1.5)}
    request = Request(inputs="int8", outputs="int8")
    return convert(builder.finish(), request, {(0, tensor): interval for tensor, interval in ends.items()})


@pytest.mark.parametrize(("low", "high"), [(-9.0, 1.0), (-9.0, 9.0), (-9.0, 8.97), (-1.0, 9.0)])
def test_values_below_the_range_are_not_negated_to_the_lowest_value(low: float, high: float) -> None:
    """Twice the lowest input is below the range of the product, and NEG must not read the product's lowest value."""
    done = negated(low, high)
    main = done.model.subgraphs[0]
    assert done.conforms
    assert [op.opcode for op in main.operators] == ["MUL", "QUANTIZE", "NEG", "ADD"]
    source, target = (main.tensors[i] for i in (*main.operators[2].inputs, *main.operators[2].outputs))
    assert source.quantization.zero_point.tolist() == target.quantization.zero_point.tolist() == [0]
    least = np.full((1, 4), -128, np.int8)
    stored, _ = ReferenceInterpreter(done.model).run(main, (least,)).values()
    assert (stored > 0).all()
    assert float(stored[0, 0] * target.quantization.scale[0]) == pytest.approx(-low, rel=0.02)


def test_a_negated_tensor_keeps_its_step_for_other_readers() -> None:
    main = negated(-1.0, 9.0).model.subgraphs[0]
    product = main.tensors[main.operators[0].outputs[0]]
    assert product.quantization.scale[0] == pytest.approx(10 / 255, rel=1e-5)
