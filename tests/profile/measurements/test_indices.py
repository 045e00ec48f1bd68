"""Measurements of index constants: values computed by hand, None if not applicable, and never an exception."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Operator
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement, operand_measurements, operator_measurements

#: A shape is an operand at run time; an array is a constant, of int32 or its own type.
Operand = tuple[int, ...] | np.ndarray


def measured(name: str, opcode: str, roles: dict[str, Any], **options: Option) -> Measured:
    """Measure an operator with these operands and an output."""
    return measurement(name)(operands(opcode, roles, **options))


def operands(opcode: str, roles: dict[str, Any], **options: Option) -> Operands:
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    given = {
        role: graph.constant(role, what)
        if isinstance(what, np.ndarray)
        else graph.tensor(role, what, "float32")
        for role, what in roles.items()
    }
    output = graph.tensor("output", (1,), "float32")
    graph.add(opcode, list(given.values()), [output], **options)
    model = builder.finish()
    main = model.subgraphs[0]
    bound = {role: (main.tensors[index],) for role, index in given.items()}
    return Operands(main.operators[0], bound, main, model)


def ints(*values: Any, dtype: str = "int32") -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, dtype)


X = (1, 4, 6, 3)


@pytest.mark.parametrize(
    ("name", "opcode", "roles", "options", "wanted"),
    [
        ("axis_out_of_range", "CUMSUM", {"input": X, "axis": ints(3)}, {}, 0),
        ("axis_out_of_range", "CUMSUM", {"input": X, "axis": ints(-4)}, {}, 0),
        ("axis_out_of_range", "REVERSE_V2", {"input": X, "axis": ints(4, -5, 0)}, {}, 2),
        ("axis_out_of_range", "CONCATENATION", {"values": X}, {"axis": -5}, 1),
        ("axis_out_of_range", "CUMSUM", {"input": X, "axis": (1,)}, {}, None),
        ("axis_out_of_range", "CUMSUM", {"input": X, "axis": ints(1.0, dtype="float32")}, {}, None),
        ("reduced_axis_out_of_range", "MEAN", {"input": X, "axis": ints(1, 4)}, {}, 1),
        ("reduced_axis_out_of_range", "MEAN", {"input": (), "axis": ints(1, 4)}, {}, None),
        ("inserted_axis_out_of_range", "EXPAND_DIMS", {"input": (4, 3), "axis": ints(2)}, {}, 0),
        ("inserted_axis_out_of_range", "EXPAND_DIMS", {"input": (4, 3), "axis": ints(-3)}, {}, 0),
        ("inserted_axis_out_of_range", "EXPAND_DIMS", {"input": (4, 3), "axis": ints(3)}, {}, 1),
        ("inserted_axis_out_of_range", "PACK", {"values": (4, 3)}, {"axis": -4}, 1),
        ("axes_apart", "REVERSE_V2", {"input": X, "axis": ints(2, 1)}, {}, 0),
        ("axes_apart", "REVERSE_V2", {"input": X, "axis": ints(-1, 2)}, {}, 0),
        ("axes_apart", "REVERSE_V2", {"input": X, "axis": ints(0, 2)}, {}, 1),
        ("axes_apart", "REVERSE_V2", {"input": X, "axis": ints(1, 1)}, {}, 1),
        ("axes_apart", "REVERSE_V2", {"input": X, "axis": ints(0, 9)}, {}, None),
        ("batch_dims_out_of_range", "GATHER", {"input": (4, 3), "indices": ints([[0]])}, {"axis": 1, "batch_dims": 1}, 0),
        ("batch_dims_out_of_range", "GATHER", {"input": (4, 3), "indices": ints([[0]])}, {"axis": 1, "batch_dims": -1}, 0),
        ("batch_dims_out_of_range", "GATHER", {"input": (4, 3), "indices": ints([[0]])}, {"axis": 0, "batch_dims": 1}, 1),
        ("batch_dims_out_of_range", "GATHER", {"input": (4, 3), "indices": ints([0])}, {"axis": -1, "batch_dims": 2}, 1),
        ("perm_out_of_range", "TRANSPOSE", {"input": X, "perm": ints(0, -1, 4, -5)}, {}, 2),
        ("perm_repeats", "TRANSPOSE", {"input": X, "perm": ints(3, 2, 1, 0)}, {}, 0),
        ("perm_repeats", "TRANSPOSE", {"input": X, "perm": ints(0, 1, -1, 3)}, {}, 1),
        ("perm_repeats", "TRANSPOSE", {"input": (), "perm": ints([])}, {}, None),
        ("stretched_dimensions", "RESHAPE", {"input": X, "shape": ints(-1, 3, -1)}, {}, 2),
        ("stretched_dimensions", "RESHAPE", {"input": X}, {"new_shape": [-1, -1]}, 2),
        ("stretched_dimensions", "RESHAPE", {"input": X, "shape": (2,)}, {"new_shape": [-1, -1]}, None),
        ("negative_dimensions", "RESHAPE", {"input": X, "shape": ints(-2, -1, 3)}, {}, 1),
        ("sequence_dims_mismatch", "REVERSE_SEQUENCE", {"input": (4, 3)}, {"seq_dim": 1}, 0),
        ("sequence_dims_mismatch", "REVERSE_SEQUENCE", {"input": (4, 3)}, {}, 1),
        ("sequence_dims_mismatch", "REVERSE_SEQUENCE", {"input": (4, 3)}, {"seq_dim": 2, "batch_dim": -1}, 2),
        ("fft_lengths_not_power_of_two", "RFFT2D", {"input": (4, 8), "fft_length": ints(4, 6)}, {}, 1),
        ("fft_lengths_not_power_of_two", "RFFT2D", {"input": (4, 8), "fft_length": ints(0, -4)}, {}, 2),
        ("fft_lengths_not_power_of_two", "RFFT2D", {"input": (4, 8), "fft_length": ints(1, 8)}, {}, 0),
        ("fft_lengths_not_power_of_two", "RFFT2D", {"input": (4, 8), "fft_length": ints(5, 12)}, {}, 2),
        ("range_not_terminating", "RANGE", {"start": ints(0), "limit": ints(5), "delta": ints(2)}, {}, "no"),
        ("range_not_terminating", "RANGE", {"start": ints(0), "limit": ints(5), "delta": ints(-2)}, {}, "yes"),
        ("range_not_terminating", "RANGE", {"start": ints(0), "limit": ints(0), "delta": ints(-2)}, {}, "no"),
        ("range_not_terminating", "RANGE",
         {name: ints(0, dtype="float32") for name in ("start", "limit", "delta")}, {}, "yes"),
        ("range_not_terminating", "RANGE", {"start": ints(0), "limit": (), "delta": ints(-2)}, {}, None),
        ("index_vector_dim_out_of_range", "STABLEHLO_GATHER", {"input": X, "indices": (2, 1)}, {"index_vector_dim": 1}, 0),
        ("index_vector_dim_out_of_range", "STABLEHLO_GATHER", {"input": X, "indices": (2, 1)}, {"index_vector_dim": 2}, 1),
        ("index_types", "SLICE", {"input": X, "begin": ints([0]), "size": ints([0], dtype="int64")}, {}, 2),
    ],
)  # fmt: skip
def test_values_worked_out_by_hand(
    name: str, opcode: str, roles: dict[str, Any], options: dict[str, Option], wanted: Measured
) -> None:
    assert measured(name, opcode, roles, **options) == wanted


def test_a_divisor_of_zero_is_the_zero_point() -> None:
    bound = operands("DIV", {"input": X, "rhs": ints(0, 3, 3, dtype="int8")})
    rhs = replace(bound.roles["rhs"][0], quantization=qparams(0.5, 3))
    assert (
        measurement("rhs.at_zero_point")(
            Operands(bound.operator, {"rhs": (rhs,)}, bound.subgraph, bound.model)
        )
        == 2
    )


def test_damaged_constants_give_none() -> None:
    """Too few bytes, a negative dimension, no data at all."""
    sound = operands("TRANSPOSE", {"input": X, "perm": ints(0, 1, 2, 3)})
    perm = sound.roles["perm"][0]
    short = replace(perm, data=perm.data[:-3] if perm.data is not None else None)
    for tensor in (
        short,
        replace(perm, shape=(-4,)),
        replace(perm, shape=(2**40,)),
        replace(perm, data=None),
    ):
        bound = {**sound.roles, "perm": (tensor,)}
        broken = Operands(sound.operator, bound, sound.subgraph, sound.model)
        assert measurement("perm_repeats")(broken) is None
        assert measurement("perm.smallest")(broken) is None


ROLES = (
    "input", "values", "lhs", "rhs", "axis", "perm", "shape", "begin", "size", "strides", "paddings", "indices", "table",
    "output_shape", "size_splits", "k", "lengths", "fft_length", "segment_ids", "num_segments", "start", "limit", "delta",
    "updates", "weight", "output", "ids",
)  # fmt: skip
SHAPES = st.lists(st.integers(0, 5), max_size=3).map(tuple)
NUMBERS = st.integers(-(2**31), 2**31 - 1)
CONSTANTS = SHAPES.flatmap(
    lambda shape: st.builds(
        lambda values, dtype: np.resize(np.array(values, np.int64), shape).astype(dtype),
        st.lists(st.one_of(st.integers(-6, 6), NUMBERS), min_size=1, max_size=8),
        st.sampled_from(["int8", "int32", "int64", "float32"]),
    )
)
OPCODES = ("GATHER", "SPLIT", "STRIDED_SLICE", "MIRROR_PAD", "REVERSE_SEQUENCE", "RESHAPE", "CONV_2D", "LSTM", "BUCKETIZE",
           "STABLEHLO_GATHER", "STABLEHLO_PAD", "SOFTMAX", "FLOOR")  # fmt: skip


@given(
    st.sampled_from(OPCODES), st.dictionaries(st.sampled_from(ROLES), st.one_of(SHAPES, CONSTANTS)), NUMBERS
)
def test_no_measurement_raises_on_random_operands(opcode: str, roles: dict[str, Any], number: int) -> None:
    sound = operands(opcode, roles)
    table = sound.operator.options
    if table is not None:
        names = (
            "axis",
            "batch_dims",
            "num_splits",
            "shrink_axis_mask",
            "seq_dim",
            "index_vector_dim",
            "stride_w",
            "mode",
        )
        fields = dict.fromkeys(names, number)
        odd: Operator = replace(sound.operator, options=replace(table, fields=fields))
        sound = Operands(odd, sound.roles, sound.subgraph, sound.model)
    for function in operator_measurements().values():
        function(sound)
    for function in operand_measurements().values():
        for tensors in sound.roles.values():
            function(tensors[0])
