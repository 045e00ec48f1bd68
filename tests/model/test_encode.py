"""A model to tables: complete for a model that was read, and correct for an edited model."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.errors import ModelError
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.encode import encode
from litecheck.model.load import load_model, load_models
from litecheck.model.save import save_model
from litecheck.model.types import Buffer, Model
from litecheck.quantization import Blockwise, Custom, MultiAxis, Quantization

#: Fields about the origin of a model, not about its content.
PROVENANCE = {"file", "member", "size", "remarks", "offset", "outside"}


def content(value: Any) -> Any:
    """Return the content of a model as nested tuples for comparison: arrays as bytes, without the origin."""
    if isinstance(value, Table):
        return value.type, {name: content(v) for name, v in value.fields.items()}, value.unknown
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value) if f.name not in PROVENANCE]
        return type(value).__name__, {name: content(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    return tuple(map(content, value)) if isinstance(value, tuple) else value


def same(a: Model, b: Model) -> bool:
    """Return True if two models are equal, except for root fields that repeat content of the model."""
    return bool(content(replace(a, fields=None)) == content(replace(b, fields=None)))


def small() -> ModelBuilder:
    """Return a model of a FULLY_CONNECTED with all usual fields of a tensor."""
    builder = ModelBuilder("small")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4), quantization=qparams(0.5, -1))
    w = main.constant("w", np.arange(8, dtype=np.int8).reshape(2, 4), qparams([0.1, 0.2]))
    b = main.constant("b", np.array([7, -7], np.int32), qparams([0.05, 0.1]))
    y = main.tensor("y", (1, 2), quantization=qparams(0.25, 3))
    main.add("FULLY_CONNECTED", [x, w, b], [y], fused_activation_function="RELU")
    main.inputs(x)
    main.outputs(y)
    builder.signature("serving_default", main, {"in": x}, {"out": y})
    builder.metadata("note", b"hello")
    return builder


def again(model: Model, path: Path) -> Model:
    save_model(model, path)
    return load_model(path)


@pytest.mark.models
def test_every_public_model_is_the_same_after_a_round_trip(models: Path, tmp_path: Path) -> None:
    count = 0
    for file in sorted(models.glob("*.tflite")):
        for model in load_models(file):
            if isinstance(model, ModelError):
                continue
            back = again(model, tmp_path / "back.tflite")
            assert same(back, model), file.name
            assert encode(back) == encode(model), file.name
            count += 1
    assert count > 10


def test_a_built_model_is_the_same_after_a_round_trip(tmp_path: Path) -> None:
    first = again(small().finish(), tmp_path / "a.tflite")
    second = again(first, tmp_path / "b.tflite")
    assert same(first, second)
    assert (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()
    assert first.description == "small"
    assert first.signatures[0].inputs == (("in", 0),)
    assert first.buffers[first.metadata[0][1]].data.tobytes() == b"hello"


DETAILS = (
    Blockwise(3, -1, 32),
    Blockwise(3, 4, 32, (1, 32)),
    MultiAxis(2, -1, 0, (0, 2)),
    Custom(b"\x01\x02\x03"),
)


def rare() -> Model:
    """Return a model with every rare field."""
    base = small().finish()
    main = base.subgraphs[0]
    dims = (
        Table("DimensionMetadata", {"format": 0, "dense_size": 2}),
        Table(
            "DimensionMetadata",
            {
                "format": 1,
                "array_segments": Table("Uint8Vector", {"values": np.array([0, 4, 8], np.uint8)}),
                "array_indices": Table("Uint16Vector", {"values": np.arange(8, dtype="<u2")}),
            },
        ),
    )
    sparsity = Table("SparsityParameters", {"traversal_order": np.array([0, 1], "<i4"), "dim_metadata": dims})
    variant = Table("VariantSubType", {"type": 9, "has_rank": True})
    x, w, b, y = main.tensors
    more = [
        replace(x, index=4 + i, name=f"d{i}", quantization=Quantization(details=d))
        for i, d in enumerate(DETAILS)
    ]
    tensors = (
        replace(x, shape_signature=(-1, 4), has_rank=True, is_variable=True),
        replace(w, sparsity=sparsity),
        replace(b, variant_tensors=(variant,)),
        replace(y, dtype="type -99", unknown=(UnknownField(30, b"\x05", maybe_offset=False),)),
        *more,
    )
    odd = Table("Operator", {"debug_metadata_index": 5, "custom_options_format": 0})
    op = replace(
        main.operators[0], fields=odd, mutating_variable_inputs=(True, False, False), intermediates=(-1,)
    )
    custom = replace(op, index=1, opcode="CUSTOM", custom_code="Mine", version=4, options=None,
                     custom_options=np.array([1, 2, 3], np.uint8))  # fmt: skip
    unknown = replace(op, index=2, opcode="BUILTIN 999", options=None)
    changed = replace(main, tensors=tensors, operators=(op, custom, unknown), debug_metadata_index=2)
    return replace(base, subgraphs=(changed,))


def test_rare_fields_survive_a_round_trip(tmp_path: Path) -> None:
    model = rare()
    (main,) = again(model, tmp_path / "rare.tflite").subgraphs
    (expected,) = model.subgraphs
    assert content(main.tensors) == content(expected.tensors)
    assert [t.quantization.details for t in main.tensors[4:]] == list(DETAILS)
    assert main.debug_metadata_index == 2
    assert [(o.opcode, o.version, o.custom_code) for o in main.operators] == [
        ("FULLY_CONNECTED", 1, ""),
        ("CUSTOM", 4, "Mine"),
        ("BUILTIN 999", 1, ""),
    ]
    for found, wanted in zip(main.operators, expected.operators, strict=True):
        assert found.mutating_variable_inputs == wanted.mutating_variable_inputs
        assert found.intermediates == wanted.intermediates
        assert content(found.options) == content(wanted.options)
        assert found.fields is not None
        assert found.fields.get("debug_metadata_index") == 5
    assert main.operators[1].custom_options is not None
    assert main.operators[1].custom_options.tobytes() == b"\x01\x02\x03"


def test_quantization_is_carried_bit_by_bit(tmp_path: Path) -> None:
    scale = np.array([0x7FC00000, 0x80000001, 0x7F800000, 0], np.uint32).view(np.float32)
    bounds = np.array([-1.5], np.float32)
    odd = Quantization(scale, np.array([-(2**40), 3]), 7, None, bounds, bounds * -1)
    builder = small()
    builder.subgraph("other").tensor("odd", (4,), quantization=odd)
    found = again(builder.finish(), tmp_path / "odd.tflite").subgraphs[1].tensors[0].quantization
    assert content(found) == content(odd)


def test_changed_data_of_a_tensor_is_written(tmp_path: Path) -> None:
    model = again(small().finish(), tmp_path / "a.tflite")
    main = model.subgraphs[0]
    new = np.full(8, 77, np.int8)
    tensors = tuple(replace(t, data=new) if t.name == "w" else t for t in main.tensors)
    back = again(replace(model, subgraphs=(replace(main, tensors=tensors),)), tmp_path / "b.tflite")
    data = back.subgraphs[0].tensors[1].data
    assert data is not None
    assert data.tobytes() == new.tobytes()
    assert len(back.buffers[model.subgraphs[0].tensors[1].buffer].data) == 0, "the old weights are removed"
    assert sum(len(b.data) for b in back.buffers) == sum(len(b.data) for b in model.buffers)


def test_a_buffer_two_tensors_share_is_kept_for_the_one_that_still_does(tmp_path: Path) -> None:
    model = again(small().finish(), tmp_path / "a.tflite")
    main = model.subgraphs[0]
    w = main.tensors[1]
    shared = (*main.tensors, replace(w, index=4, name="w2"))
    edited = (*main.tensors[:1], replace(w, data=np.zeros(8, np.uint8)), *shared[2:])
    back = again(replace(model, subgraphs=(replace(main, tensors=edited),)), tmp_path / "b.tflite")
    assert w.data is not None
    found = [t.data.tobytes() for t in back.subgraphs[0].tensors if t.data is not None]
    assert found == [bytes(8), main.tensors[2].data.tobytes(), w.data.tobytes()]  # type: ignore[union-attr]


def test_a_constant_without_data_becomes_no_constant(tmp_path: Path) -> None:
    model = again(small().finish(), tmp_path / "a.tflite")
    main = model.subgraphs[0]
    tensors = (*main.tensors[:2], replace(main.tensors[2], data=None), main.tensors[3])
    step = replace(main.operators[0], inputs=(0, 1, -1))
    edited = replace(main, tensors=tensors, operators=(step,))
    back = again(replace(model, subgraphs=(edited,)), tmp_path / "b.tflite")
    assert back.subgraphs[0].tensors[2].data is None
    assert back.subgraphs[0].tensors[2].buffer == 0


def test_operators_get_the_code_their_name_and_version_need(tmp_path: Path) -> None:
    model = again(small().finish(), tmp_path / "a.tflite")
    main = model.subgraphs[0]
    op = main.operators[0]
    steps = (
        op,
        replace(op, version=2),
        replace(op, opcode="STABLEHLO_CASE", options=None),
        replace(op, version=2),
    )
    back = again(replace(model, subgraphs=(replace(main, operators=steps),)), tmp_path / "b.tflite")
    assert [(o.opcode, o.version, o.code_index) for o in back.subgraphs[0].operators] == [
        ("FULLY_CONNECTED", 1, 0),
        ("FULLY_CONNECTED", 2, 1),
        ("STABLEHLO_CASE", 1, 2),
        ("FULLY_CONNECTED", 2, 1),
    ]
    assert [c.deprecated_builtin for c in back.operator_codes] == [9, 9, 127]


def test_external_buffers_go_on_referring_to_their_file(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(range(8)))
    model = small().finish()
    main = model.subgraphs[0]
    external = Table("ExternalBuffer", {"id": 3, "group": 0, "offset": 0, "length": 8})
    further = {
        "external_buffer_groups": (Table("ExternalBufferGroup", {"name": "weights.bin"}),),
        "external_buffers": (external,),
    }
    w = replace(main.tensors[1], external_buffer=3, buffer=0, data=None)
    tensors = (main.tensors[0], w, *main.tensors[2:])
    edited = replace(model, subgraphs=(replace(main, tensors=tensors),), fields=Table("Model", further))
    back = again(again(edited, tmp_path / "a.tflite"), tmp_path / "b.tflite")
    data = back.subgraphs[0].tensors[1].data
    assert data is not None
    assert data.tobytes() == bytes(range(8))
    assert back.subgraphs[0].tensors[1].external_buffer == 3


def test_custom_options_outside_the_flatbuffer_are_refused() -> None:
    model = small().finish()
    main = model.subgraphs[0]
    outside = Table(
        "Operator", {"large_custom_options_offset": 4096, "large_custom_options_size": 9}, offset=12
    )
    op = replace(main.operators[0], fields=outside)
    with pytest.raises(ModelError) as caught:
        encode(replace(model, subgraphs=(replace(main, operators=(op,)),)))
    assert caught.value.problems[0].code == "custom-options-outside"


@pytest.mark.parametrize("change", [{"dtype": "int9"}, {"dtype": "type x"}])
def test_a_type_the_schema_does_not_have_is_refused(change: dict[str, str]) -> None:
    model = small().finish()
    main = model.subgraphs[0]
    tensors = (replace(main.tensors[0], **change), *main.tensors[1:])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="TensorType"):
        encode(replace(model, subgraphs=(replace(main, tensors=tensors),)))


def test_unreferenced_buffers_are_kept(tmp_path: Path) -> None:
    model = small().finish()
    extra = replace(model, buffers=(*model.buffers, Buffer(np.array([1, 2, 3], np.uint8))))
    assert again(extra, tmp_path / "a.tflite").buffers[-1].data.tobytes() == b"\x01\x02\x03"
