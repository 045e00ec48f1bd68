"""Operators with other shapes: parameters and options are adapted, and shapes that a rule forbids are
excluded."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.geometry.design import ONCE, rows_of
from litecheck.cases.geometry.resized_operators import variants
from litecheck.cases.probes.catalogue import probes
from litecheck.model.options import options_of
from litecheck.model.stored_values import stored_integers

CONVOLUTION = next(probe for probe in probes("CONV_2D") if probe.name == "ties").model


def test_a_convolution_keeps_its_parameters_and_repeats_its_channels() -> None:
    main = CONVOLUTION.subgraphs[0]
    source, wanted = main.tensors[main.operators[0].inputs[1]], main.tensors[main.outputs[0]].quantization
    made = {variant.name: variant.model.subgraphs[0] for variant in variants(CONVOLUTION, ONCE)}
    assert len(made) == len(rows_of("CONV_2D", ONCE))
    for shaped in made.values():
        given, weight, bias = (shaped.tensors[i] for i in shaped.operators[0].inputs)
        output = shaped.tensors[shaped.outputs[0]]
        assert output.quantization.scale == wanted.scale
        scales = weight.quantization.scale
        assert np.array_equal(scales, np.resize(source.quantization.scale, weight.shape[0]))
        assert np.allclose(bias.quantization.scale, scales * given.quantization.scale)
        values = stored_integers(source)
        assert values is not None
        assert np.array_equal(stored_integers(weight), np.resize(values, weight.shape))


def test_a_row_sets_shapes_and_options_and_names_unusual_values() -> None:
    (wide,) = (variant for variant in variants(CONVOLUTION, ONCE) if variant.row["width"] == "260")
    main = wide.model.subgraphs[0]
    row = wide.row
    assert main.tensors[main.inputs[0]].shape[:3] == (int(row["batch"]), int(row["height"]), 260)
    options = options_of(main.operators[0])
    assert (options["stride_w"], options["padding"]) == (int(row["stride_w"]), row["padding"])
    assert "width 260" in wide.name
    assert next(variants(CONVOLUTION, ONCE)).name == "usual shape"


def test_one_tensor_can_be_both_operands() -> None:
    made = {variant.row["broadcast"]: variant.model for variant in variants(probes("ADD")[0].model, ONCE)}
    assert made["same tensor"].subgraphs[0].operators[0].inputs == (0, 0)
    assert made["rhs column"].subgraphs[0].operators[0].inputs == (0, 1)


@pytest.mark.parametrize("opcode", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_an_operator_without_a_design_has_no_variant(opcode: str) -> None:
    assert list(variants(probes(opcode)[0].model, ONCE)) == []
