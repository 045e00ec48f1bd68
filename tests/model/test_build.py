"""Models built in Python contain exactly the given tensors, operators and options."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.build import ModelBuilder, options_table, qparams


def test_parameters_are_per_tensor_for_numbers_and_per_axis_for_sequences() -> None:
    one, many = qparams(0.1, 3), qparams([0.1, 0.2], 1, axis=2)
    assert one.scale.tolist() == [float(np.float32(0.1))]
    assert one.zero_point.tolist() == [3]
    assert many.zero_point.tolist() == [1, 1]
    assert many.axis == 2
    assert qparams([0.1, 0.2], [5]).zero_point.tolist() == [5], "inconsistent lengths are kept as given"


def test_tensors_are_numbered_and_constants_hold_their_bytes() -> None:
    main = ModelBuilder().subgraph()
    assert main.tensor("x", (1, 2), "uint8", is_variable=True) == 0
    assert main.constant("c", np.array([[1, -2]], np.int16)) == 1
    assert main.constant("n", np.array([1, -2, 3], np.int8), dtype="int4") == 2
    x, c, n = main.finish().tensors
    assert (x.dtype, x.shape, x.is_variable, x.data) == ("uint8", (1, 2), True, None)
    assert c.dtype == "int16"
    assert c.data is not None
    assert c.data.tobytes() == b"\x01\x00\xfe\xff"
    assert n.shape == (3,)
    assert n.data is not None
    assert n.data.tobytes() == b"\xe1\x03"


def test_options_take_enum_names() -> None:
    table = options_table("CONV_2D", padding="VALID", stride_w=2, fused_activation_function="relu6")
    assert table is not None
    assert table.type == "Conv2DOptions"
    assert dict(table.fields) == {"padding": 1, "stride_w": 2, "fused_activation_function": 3}
    cast = options_table("CAST", in_data_type="int8", out_data_type="FLOAT32")
    assert cast is not None
    assert dict(cast.fields) == {"in_data_type": 9, "out_data_type": 0}


@pytest.mark.parametrize(
    ("opcode", "options", "message"),
    [
        ("CONV_2D", {"stride": 1}, "stride_w"),
        ("TANH", {"beta": 1.0}, "no options"),
        ("PAD", {"x": 1}, "none"),
    ],
)
def test_an_option_that_does_not_exist_is_refused(
    opcode: str, options: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        options_table(opcode, **options)


def test_every_options_table_of_the_schema_belongs_to_an_operator() -> None:
    schema = load_schema("tflite")
    tables = (options_table(opcode) for opcode in schema.enums["BuiltinOperator"])
    reached = {table.type for table in tables if table is not None}
    assert reached == {*schema.unions["BuiltinOptions"], *schema.unions["BuiltinOptions2"]}


def test_several_subgraphs_share_the_buffers_and_keep_their_signatures() -> None:
    builder = ModelBuilder()
    first, second = builder.subgraph("a"), builder.subgraph("b")
    first.constant("c", np.array([1], np.int8))
    second.constant("c", np.array([2], np.int8))
    builder.signature("go", second, {"in": 0}, {"out": 0})
    model = builder.finish()
    assert [s.name for s in model.subgraphs] == ["a", "b"]
    assert [b.data.tolist() for b in model.buffers] == [[], [1], [2]]
    assert model.signatures[0].subgraph == 1
