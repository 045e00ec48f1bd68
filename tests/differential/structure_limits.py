"""Violations of the limits of ``litert-structure``: one change in a valid model, and the impact on LiteRT.

A break names the limit that it violates. Its model is one of ``structures()`` with a single change, or a separate
model. If LiteRT gives wrong outputs, ``wanted`` is the correct output, computed with numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from litecheck.checks.limits import satisfies
from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, options_table, qparams
from litecheck.model.types import Buffer, Model, Operator, Subgraph, Tensor
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.profile.types import Constraint, OperatorRule
from tests.differential.rules_cases import Case, Part, case, cases, const
from tests.differential.structure_cases import real, result, structures, whole

Change = Callable[[Case], Model]
PROFILE = "litert-structure"


@dataclass(frozen=True)
class Break:
    """Model that violates one limit. ``wanted`` is the correct output if LiteRT's output is wrong; ``chance`` is True
    if the output depends on unwritten memory.
    """

    path: str
    model: Model
    inputs: tuple[np.ndarray, ...]
    wanted: np.ndarray | None = None
    sound: Model | None = None
    chance: bool = False

    @property
    def name(self) -> str:
        return self.path.replace("/limits", "")


@cache
def sound() -> dict[str, Case]:
    """Return every valid model by its name."""
    return {c.name: c for c in structures()}


def operator(model: Model, **fields: object) -> Model:
    """Return the model with changed fields of its only operator."""
    graph = model.subgraphs[0]
    return replace(model, subgraphs=(replace(graph, operators=(replace(graph.operators[0], **fields),)),))


def option(**values: object) -> Change:
    """Return a change of options."""

    def change(c: Case) -> Model:
        table = c.model.subgraphs[0].operators[0].options
        new = options_table(c.opcode, **values)  # type: ignore[arg-type]
        fields = {**(table.fields if table else {}), **(new.fields if new else {})}
        return operator(c.model, options=Table(new.type if new else "", fields))

    return change


def unknown(name: str) -> Change:
    """Return a change of an option to a value outside its enum."""

    def change(c: Case) -> Model:
        table = c.model.subgraphs[0].operators[0].options
        assert table
        return operator(c.model, options=Table(table.type, {**table.fields, name: 77}))

    return change


def no_options(c: Case) -> Model:
    """Return the model without an options table."""
    return operator(c.model, options=None)


def _role(c: Case, role: str) -> Tensor:
    rule, op = load_profile(PROFILE).operators[c.opcode], c.model.subgraphs[0].operators[0]
    places = dict(zip(rule.inputs, op.inputs, strict=False)) | dict(
        zip(rule.outputs, op.outputs, strict=False)
    )
    return c.model.subgraphs[0].tensors[places[role]]


def _tensor(model: Model, index: int, **fields: object) -> Model:
    graph = model.subgraphs[0]
    tensors = list(graph.tensors)
    tensors[index] = replace(tensors[index], **fields)
    return replace(model, subgraphs=(replace(graph, tensors=tuple(tensors)),))


def constant(role: str, values: object, dtype: str = "") -> Change:
    """Return a change of a constant's values."""

    def change(c: Case) -> Model:
        tensor = _role(c, role)
        array = np.asarray(values, dtype or tensor.dtype)
        data = np.frombuffer(array.tobytes(), np.uint8)
        buffers = list(c.model.buffers)
        buffers[tensor.buffer] = Buffer(data)
        model = replace(c.model, buffers=tuple(buffers))
        return _tensor(model, tensor.index, data=data, shape=array.shape, dtype=array.dtype.name)

    return change


def stated(role: str, **fields: object) -> Change:
    """Return a change of the stated type or shape of a tensor."""
    return lambda c: _tensor(c.model, _role(c, role).index, **fields)


def computed(role: str) -> Change:
    """Return a change of a constant to a computed input."""

    def change(c: Case) -> Model:
        tensor = _role(c, role)
        model = _tensor(c.model, tensor.index, data=None, buffer=0)
        graph = model.subgraphs[0]
        return replace(model, subgraphs=(replace(graph, inputs=(*graph.inputs, tensor.index)),))

    return change


def wired(edit: Callable[[Operator], tuple[tuple[int, ...], tuple[int, ...]]]) -> Change:
    """Return a change of the indices of inputs and outputs."""

    def change(c: Case) -> Model:
        inputs, outputs = edit(c.model.subgraphs[0].operators[0])
        model = operator(c.model, inputs=inputs, outputs=outputs)
        graph = model.subgraphs[0]
        return replace(model, subgraphs=(replace(graph, outputs=tuple(dict.fromkeys(outputs))),))

    return change


def overwritten(at: int) -> Change:
    """Return a change that writes an output into an input."""
    return wired(lambda op: (op.inputs, (op.inputs[at], *op.outputs[1:])))


def fed(c: Case, model: Model) -> tuple[np.ndarray, ...]:
    """Return the case's inputs in the types and shapes of the changed model."""
    given = dict(zip(c.model.subgraphs[0].inputs, c.inputs, strict=True))
    fitting = []
    for index in model.subgraphs[0].inputs:
        tensor, old = model.subgraphs[0].tensors[index], c.model.subgraphs[0].tensors[index]
        array = given[index] if index in given else old.data.view(old.dtype)  # type: ignore[union-attr]
        fitting.append(np.resize(array, tensor.shape).astype(tensor.dtype))
    return tuple(fitting)


#: Limit and change of the valid model with the operator's name.
_CHANGES: tuple[tuple[str, Change], ...] = (
    ("CONV_2D/limits/options_table", no_options),
    ("CONV_2D/limits/padding", unknown("padding")),
    ("CONV_2D/limits/smallest_stride", option(stride_w=0)),
    ("CONV_2D/limits/smallest_dilation", option(dilation_h_factor=0)),
    ("CONV_2D/limits/largest_step", option(stride_w=40000)),
    ("DEPTHWISE_CONV_2D/limits/options_table", no_options),
    ("DEPTHWISE_CONV_2D/limits/depth_multiplier_gap", option(depth_multiplier=3)),
    ("DEPTHWISE_CONV_2D/limits/bias.rank", stated("bias", shape=(1, 6))),
    ("TRANSPOSE_CONV/limits/smallest_stride", option(stride_h=-1)),
    ("TRANSPOSE_CONV/limits/output_shape.smallest", constant("output_shape", [1, 0, 12, 5])),
    ("TRANSPOSE_CONV/limits/output_shape.rank", constant("output_shape", [[1, 8, 12, 5]])),
    ("CONV_3D/limits/smallest_stride", option(stride_d=0)),
    ("AVERAGE_POOL_2D/limits/smallest_stride", option(stride_w=0)),
    ("L2_POOL_2D/limits/options_table", no_options),
    ("LOCAL_RESPONSE_NORMALIZATION/limits/radius", option(radius=-5)),
    ("DILATE/limits/dilations.smallest", constant("dilations", [0, 2])),
    ("REDUCE_WINDOW/limits/window_strides.smallest", constant("window_strides", [0, 1])),
    ("REDUCE_WINDOW/limits/window_shape.constant", computed("window_shape")),
    ("REDUCE_WINDOW/limits/reduce_function", unknown("reduce_function")),
    ("FULLY_CONNECTED/limits/fused_activation", option(fused_activation_function="TANH")),
    ("FULLY_CONNECTED/limits/weights_format", option(weights_format=1)),
    ("EMBEDDING_LOOKUP/limits/indices_out_of_range", constant("indices", [6, 1])),
    ("EMBEDDING_LOOKUP_SPARSE/limits/ids.rank", stated("ids", shape=(1, 3))),
    ("SVDF/limits/svdf_rank", option(rank=0)),
    ("LSTM/limits/options_table", no_options),
    ("LSTM/limits/kernel_type", unknown("kernel_type")),
    ("LSTM/limits/absent_lstm_operands", wired(lambda op: ((*op.inputs[:2], -1, *op.inputs[3:]), op.outputs))),
    ("LSTM/limits/listed_inputs", wired(lambda op: (op.inputs[:-1], op.outputs))),
    ("BIDIRECTIONAL_SEQUENCE_RNN/limits/miscounted_results", option(merge_outputs=True)),
    ("UNIDIRECTIONAL_SEQUENCE_LSTM/limits/input_gate_operands",
     wired(lambda op: ((op.inputs[0], -1, *op.inputs[2:]), op.outputs))),
    ("UNIDIRECTIONAL_SEQUENCE_LSTM/limits/integer_biases", stated("forget_gate_bias", dtype="int32")),
    ("LSTM/limits/integer_biases", stated("forget_gate_bias", dtype="int32")),
    ("BIDIRECTIONAL_SEQUENCE_LSTM/limits/integer_biases", stated("fw_forget_gate_bias", dtype="int32")),
    ("ADD/limits/aliased_outputs", overwritten(0)),
    ("ADD/limits/input_types", stated("rhs", dtype="int32")),
    ("RELU/limits/data_types", stated("output", dtype="int32")),
    ("L2_NORMALIZATION/limits/fused_activation", option(fused_activation_function="RELU")),
    ("BUCKETIZE/limits/boundaries_descending", option(boundaries=np.array([2, 1], np.float32))),
    ("CUMSUM/limits/axis_out_of_range", constant("axis", 2)),
    ("FAKE_QUANT/limits/narrow_range", option(narrow_range=True)),
    ("MEAN/limits/reduced_axis_out_of_range", constant("axis", [1, 4])),
    ("ARG_MAX/limits/axis_out_of_range", constant("axis", -3)),
    ("ARG_MAX/limits/axis.elements", constant("axis", [1, 1])),
    ("ARG_MAX/limits/result_type", option(output_type="int8")),
    ("RESHAPE/limits/absent_at_end", wired(lambda op: ((op.inputs[0], -1), op.outputs))),
    ("RESHAPE/limits/stretched_dimensions", constant("shape", [-1, -1, 6])),
    ("RESHAPE/limits/negative_dimensions", constant("shape", [1, -12, 6])),
    ("EXPAND_DIMS/limits/inserted_axis_out_of_range", constant("axis", 3)),
    ("TRANSPOSE/limits/perm_out_of_range", constant("perm", [0, 2, 1, 4])),
    ("TRANSPOSE/limits/perm.rank", constant("perm", [[0, 2, 1, 3]])),
    ("REVERSE_V2/limits/axis_out_of_range", constant("axis", [2])),
    ("REVERSE_V2/limits/axis.elements", constant("axis", [])),
    ("REVERSE_SEQUENCE/limits/sequence_dims_mismatch", option(seq_dim=0)),
    ("SPACE_TO_DEPTH/limits/block_size", option(block_size=0)),
    ("SPACE_TO_BATCH_ND/limits/block_shape.smallest", constant("block_shape", [0, 2])),
    ("BATCH_TO_SPACE_ND/limits/crops.smallest", constant("crops", [[-1, 0], [0, 0]])),
    ("SLICE/limits/slices_out_of_range", constant("begin", [0, -1, 1, 0])),
    ("SLICE/limits/sliced_shape_differs", constant("size", [1, 1, 3, 3])),
    ("SLICE/limits/index_types", constant("begin", [0, 1, 1, 0], "int64")),
    ("STRIDED_SLICE/limits/strides.zeros", constant("strides", [1, 0, 2, 1])),
    ("STRIDED_SLICE/limits/strides.smallest", constant("strides", [1, -(2**31), 2, 1])),
    ("SPLIT/limits/split_remainder", constant("axis", 3)),
    ("SPLIT/limits/options_table", no_options),
    ("SPLIT/limits/miscounted_operands", option(num_splits=3)),
    ("SPLIT_V/limits/split_gap", constant("size_splits", [2, 3])),
    ("SPLIT_V/limits/size_splits.unknowns", constant("size_splits", [-1, -1])),
    ("SPLIT_V/limits/size_splits.smallest", constant("size_splits", [8, -2])),
    ("UNPACK/limits/axis_out_of_range", option(axis=3)),
    ("GATHER/limits/axis_out_of_range", option(axis=4)),
    ("GATHER/limits/batch_dims_out_of_range", option(batch_dims=2)),
    ("GATHER/limits/indices_out_of_range", constant("indices", [4, 0])),
    ("GATHER_ND/limits/tuples_out_of_range", constant("indices", [[1, 6], [3, 0]])),
    ("STABLEHLO_GATHER/limits/index_vector_dim_out_of_range", option(index_vector_dim=-1)),
    ("TOPK_V2/limits/k_beyond", constant("k", 9)),
    ("TOPK_V2/limits/k.elements", constant("k", [3, 3])),
    ("UNIQUE/limits/result_type_differs", option(idx_out_type="int64")),
    ("CONCATENATION/limits/axis_out_of_range", option(axis=4)),
    ("CONCATENATION/limits/fused_activation", option(fused_activation_function="RELU")),
    ("PACK/limits/inserted_axis_out_of_range", option(axis=3)),
    ("TILE/limits/multiples.smallest", constant("multiples", [-1, 2])),
    ("BROADCAST_TO/limits/shape.smallest", constant("shape", [-4, 3])),
    ("PAD/limits/paddings.smallest", constant("paddings", [[0, 0], [-1, 1], [1, 1], [0, 0]])),
    ("MIRROR_PAD/limits/reflected_too_far", constant("paddings", [[0, 0], [4, 1], [1, 1], [0, 0]])),
    ("MIRROR_PAD/limits/mirror_mode", unknown("mode")),
    ("STABLEHLO_PAD/limits/smallest_interior_padding", option(interior_padding=np.array([-1, 0]))),
    ("RESIZE_BILINEAR/limits/size.smallest", constant("size", [0, 12])),
    ("SCATTER_ND/limits/tuples_out_of_range", constant("indices", [[0], [1], [2], [4]])),
    ("SPARSE_TO_DENSE/limits/tuples_out_of_range", constant("indices", [1, 5])),
    ("ONE_HOT/limits/axis_option", option(axis=-2)),
    ("ONE_HOT/limits/depth.smallest", constant("depth", -1)),
    ("ONE_HOT/limits/depth.elements", constant("depth", [4, 4])),
    ("SEGMENT_SUM/limits/segments_out_of_order", constant("segment_ids", [0, 2, 2, 3])),
    ("UNSORTED_SEGMENT_SUM/limits/segments_out_of_range", constant("segment_ids", [0, 3, 1, 1])),
    ("UNSORTED_SEGMENT_SUM/limits/num_segments.elements", constant("num_segments", [3, 3])),
    ("UNSORTED_SEGMENT_SUM/limits/num_segments.rank", constant("num_segments", [[3]])),
    ("UNSORTED_SEGMENT_SUM/limits/num_segments.smallest", constant("num_segments", -1)),
    ("FILL/limits/dims.smallest", constant("dims", [4, -3])),
    ("RANGE/limits/range_not_terminating", constant("delta", 0)),
    ("MULTINOMIAL/limits/num_samples.smallest", constant("num_samples", -1)),
    ("MULTINOMIAL/limits/num_samples.rank", constant("num_samples", [4])),
    ("STABLEHLO_RNG_BIT_GENERATOR/limits/random_algorithm", unknown("algorithm")),
    ("RFFT2D/limits/fft_lengths_not_power_of_two", constant("fft_length", [4, 7])),
    ("LSH_PROJECTION/limits/lsh_type", option(type="UNKNOWN")),
    ("NON_MAX_SUPPRESSION_V4/limits/max_output_size.smallest", constant("max_output_size", -1)),
    ("NON_MAX_SUPPRESSION_V5/limits/sigma.rank", constant("sigma", [0.0])),
    ("REDUCE_WINDOW/limits/window_strides.constant", computed("window_strides")),
    ("REDUCE_WINDOW/limits/window_dilations.constant", computed("window_dilations")),
    ("EMBEDDING_LOOKUP_SPARSE/limits/indices.rank", stated("indices", shape=(1, 3, 2))),
    ("EMBEDDING_LOOKUP_SPARSE/limits/dense_shape.rank", stated("dense_shape", shape=(1, 2))),
    ("EMBEDDING_LOOKUP_SPARSE/limits/weights.rank", stated("weights", shape=(1, 3))),
    ("LSH_PROJECTION/limits/hash.rank", stated("hash", shape=(1, 2, 16))),
    ("NON_MAX_SUPPRESSION_V4/limits/max_output_size.rank", constant("max_output_size", [2])),
    ("NON_MAX_SUPPRESSION_V4/limits/iou_threshold.rank", constant("iou_threshold", [0.5])),
    ("NON_MAX_SUPPRESSION_V4/limits/score_threshold.rank", constant("score_threshold", [0.1])),
    ("WHERE/limits/condition.rank", stated("condition", shape=())),
)  # fmt: skip


def breaks() -> Iterator[Break]:
    """Yield every break: one for each kind of limit, version and type of index."""
    for path, change in _CHANGES:
        c = sound()[path.split("/")[0]]
        model = change(c)
        yield Break(path, model, fed(c, model), sound=c.model)
    yield from _far_bounds()
    yield from _wrong()
    yield from _ranks()
    yield from _divisors()
    yield from _subgraphs()


def _far_bounds() -> Iterator[Break]:
    """Yield fused activations with a bound slightly beyond 32 bits of output steps, and slightly within, in 8 and 16
    bits.
    """
    for dtype in ("int8", "int16"):
        for c in cases(dtype):
            path = f"{c.opcode}/limits/fused_bound"
            if "fused_bound" in _limits_of(c.opcode) and c.name == c.opcode:
                pooled = c.opcode.endswith("POOL_2D")
                yield Break(path, _bounded(c, 2.7e-9), c.inputs, sound=_bounded(c, 2.8e-9), chance=pooled)


def _limits_of(opcode: str) -> str:
    rule = load_profile(PROFILE).operators.get(opcode)
    return " ".join(r.path for r in rule.requirements) if rule else ""


def _bounded(c: Case, scale: float) -> Model:
    """Return RELU6 with an output of this scale; inputs of sums have the same scale."""
    graph = c.model.subgraphs[0]
    op = next(op for op in graph.operators if op.opcode == c.opcode)
    fine = {*op.outputs, *(op.inputs if c.opcode in ("ADD", "SUB") else ())}
    tensors = tuple(
        replace(t, quantization=qparams(scale, t.quantization.zero_point[0])) if t.index in fine else t
        for t in graph.tensors
    )
    table = op.options or options_table(c.opcode)
    assert table is not None
    relu6 = replace(op, options=replace(table, fields={**table.fields, "fused_activation_function": 3}))
    operators = tuple(relu6 if other is op else other for other in graph.operators)
    return replace(c.model, subgraphs=(replace(graph, tensors=tensors, operators=operators),))


def broken(model: Model) -> set[str]:
    """Return the paths of limits that a model violates, each measured separately."""
    found, profile = set(), load_profile(PROFILE)
    for graph in model.subgraphs:
        whole_graph = Operator(-1, "SUBGRAPH", graph.inputs, graph.outputs)
        for op in (*graph.operators, whole_graph):
            rule = profile.operators[op.opcode]
            operands = Operands(op, _bound(graph, op, rule), graph, model)
            for requirement in rule.requirements:
                if requirement.verb == "limits":
                    measured = measurement(requirement.path.split("/limits/")[1])(operands)
                    if measured is not None and not satisfies(requirement.value)(measured):
                        found.add(requirement.path)
    return found


def _bound(graph: Subgraph, op: Operator, rule: OperatorRule) -> dict[str, tuple[Tensor, ...]]:
    roles: dict[str, tuple[Tensor, ...]] = {}
    for indexes, names in ((op.inputs, rule.inputs), (op.outputs, rule.outputs)):
        for at, name in enumerate(names):
            here = indexes[at:] if name in rule.repeated else indexes[at : at + 1]
            roles[name] = tuple(graph.tensors[index] for index in here if index >= 0)
    return roles


def versions() -> Iterator[tuple[str, range, range]]:
    """Yield every operator with its versions, and those of the reference resolver, by the rules."""
    for opcode, rule in load_profile(PROFILE).operators.items():
        stated = {r.path.rpartition("/")[2]: r.value for r in rule.requirements if r.verb == "limits"}
        if "version" in stated:
            every = _versions(stated["version"])
            yield opcode, every, _versions(stated.get("reference_version", stated["version"]))


def _versions(value: Constraint) -> range:
    low = int(getattr(value, "low", None) or value.value)  # type: ignore[union-attr]
    return range(low, int(getattr(value, "high", None) or low) + 1)


def single(opcode: str, parts: Sequence[Part | None], outs: Sequence[Part], **options: object) -> Case:
    return case(opcode, parts, outs, **options)  # type: ignore[arg-type]


def own(path: str, c: Case, wanted: np.ndarray | None = None) -> Break:
    return Break(path, c.model, c.inputs, wanted)


def _wrong() -> Iterator[Break]:
    """Yield models with wrong results on LiteRT."""
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    data, shape = whole(x, "float32"), (4, 3)
    both = single("ADD", [data, whole(-x / 2, "float32")], [result(shape)], fused_activation_function="TANH")
    yield own("ADD/limits/fused_activation", both, np.tanh(x / 2))
    pool = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "filter_width": 1}
    image, same = real((1, 4, 4, 2)), [result((1, 4, 4, 2))]
    low = single("MAX_POOL_2D", [image], same, filter_height=0, **pool)
    yield own("MAX_POOL_2D/limits/smallest_filter", low, image.values)
    odd = single("MAX_POOL_2D", [image], same, filter_height=1, **{**pool, "padding": 2})
    yield own("MAX_POOL_2D/limits/padding", odd, image.values)
    twice = single("TRANSPOSE", [data, const([0, 0])], [result((4, 4))])
    yield own("TRANSPOSE/limits/perm_repeats", twice, np.broadcast_to(x[:, :1], (4, 4)))
    rows, places = 8 * np.arange(12).reshape(4, 3) - 40, const([2, 0])
    for path, scale in (
        ("copied_row_mismatches", qparams(0.5)),
        ("copied_row_scales", qparams([0.5] * 4)),
    ):
        parts = [places, const(rows, scale, "int8")]
        copied = single("EMBEDDING_LOOKUP", parts, [Part((2, 3), "int8", qparams(1.0))])
        yield own(f"EMBEDDING_LOOKUP/limits/{path}", copied, rows[[2, 0]] / 2)
    narrow = Part(
        (4, 3), "int4", qparams(1.0), np.arange(12).reshape(4, 3).astype(np.int8) - 6, constant=True
    )
    for opcode, parts in (("EMBEDDING_LOOKUP", [places, narrow]), ("GATHER", [narrow, places])):
        halves = single(opcode, parts, [Part((2, 3), "int4", qparams(1.0))], version=5)
        assert narrow.values is not None
        yield own(f"{opcode}/limits/row_bits_beyond_bytes", halves, narrow.values[[2, 0]])
    row = [const([9, 0]), const([10, 3]), const([1, 1])]
    behind = single("STRIDED_SLICE", [data, *row], [result((3,))], shrink_axis_mask=1)
    yield own("STRIDED_SLICE/limits/shrunk_out_of_range", behind, x[3])
    image = whole(np.zeros((64, 64, 64), np.float32), "float32")
    all_of = [const([0, 0, 0]), const([0, 0, 0]), const([1, 1, 1])]
    past = single(
        "STRIDED_SLICE", [image, *all_of], [result((64, 64, 64))], version=4, offset=True, end_mask=7
    )
    yield own("STRIDED_SLICE/limits/offset_ends_out_of_range", past)
    back = [const([2, 0]), const([0, 3]), const([-1, 1])]
    place = single("STRIDED_SLICE", [data, *back], [result((3,))], shrink_axis_mask=1)
    yield own("STRIDED_SLICE/limits/shrunk_backwards", place, x[2])
    long = single("REVERSE_SEQUENCE", [data, const([1, 5, 1, 1])], [result(shape)], seq_dim=1, batch_dim=0)
    yield own("REVERSE_SEQUENCE/limits/lengths_too_long", long, np.concatenate([x[:1], x[1:2, ::-1], x[2:]]))
    window = [const(0.0, None, "float32"), const([0, 1], None, "int64"), *[const([1, 1], None, "int64")] * 2]
    empty = single("REDUCE_WINDOW", [data, *window], [result(shape)], reduce_function="ADD")
    yield own("REDUCE_WINDOW/limits/window_shape.smallest", empty, x)
    window = [const(0.0, None, "float32"), *[const(n, None, "int64") for n in ([2, 1], [1, 1], [0, 1])]]
    still = single("REDUCE_WINDOW", [data, *window], [result((3, 3))], reduce_function="ADD")
    yield own("REDUCE_WINDOW/limits/window_dilations.smallest", still, x[1:] + x[:-1])
    yield own("SOFTMAX/limits/options_table", replace_options(single("SOFTMAX", [data], [result(shape)], beta=1.0)),
              np.exp(x) / np.exp(x).sum(-1, keepdims=True))  # fmt: skip
    q = qparams(0.5, 0)
    whole_numbers = Part(shape, "int8", q, x.astype(np.int8) - 6)
    leaky = single("LEAKY_RELU", [whole_numbers], [Part(shape, "int8", q)], alpha=float("inf"))
    yield own("LEAKY_RELU/limits/quantized_alpha", leaky, np.where(x < 6, -128, x - 6).astype(np.int8))
    wide_numbers = Part(shape, "int16", q, x.astype(np.int16) - 6)
    soft = single("SOFTMAX", [wide_numbers], [Part(shape, "int16", qparams(1 / 32768))], beta=-1.0)
    powers = np.exp(-x / 2)
    yield own("SOFTMAX/limits/quantized_beta", soft, powers / powers.sum(-1, keepdims=True) * 32768)
    yield own("REVERSE_V2/limits/aliased_outputs", onto_itself(single("REVERSE_V2", [data, const([0])], [result(shape)])),
              x[::-1])  # fmt: skip
    apart = single("REVERSE_V2", [real((2, 2, 2)), const([0, 2])], [result((2, 2, 2))])
    yield own("REVERSE_V2/limits/axes_apart", apart)
    wide = single("SHAPE", [data], [result((2,), "int32")], out_type="int64")
    yield own("SHAPE/limits/result_type_differs", wide)


def replace_options(c: Case) -> Case:
    """Return the case without options."""
    return replace(c, model=operator(c.model, options=None))


def onto_itself(c: Case) -> Case:
    """Return the case with its first input as its output."""
    return replace(c, model=overwritten(0)(c))


def _ranks() -> Iterator[Break]:
    """Yield inputs with more or fewer dimensions than a kernel supports."""
    nine = (2, *[1] * 8)
    one_less = (1, *[1] * 8)
    sub = single("SUB", [real(nine), real(one_less)], [result(nine)])
    yield own("SUB/limits/broadcast_rank", sub)
    yield own(
        "TRANSPOSE/limits/input.rank",
        single("TRANSPOSE", [real(nine), const(range(9))], [result(nine)]),
    )
    edges = const(np.zeros((6, 2)))
    yield own("PADV2/limits/input.rank",
              single("PADV2", [real(nine[:6]), edges, const(0.0, None, "float32")], [result(nine[:6])]))  # fmt: skip
    mats = single("BATCH_MATMUL", [real((4,)), real((4, 2))], [result((2,))])
    yield own("BATCH_MATMUL/limits/lhs.rank", mats)
    flat = single("BATCH_MATMUL", [real((2, 4)), real((4,))], [result((2,))])
    yield own("BATCH_MATMUL/limits/rhs.rank", flat)
    empty = single("BATCH_MATMUL", [real((2, 0, 3)), real((2, 3, 4))], [result((2, 0, 4))])
    yield own("BATCH_MATMUL/limits/delegated_empty_dimensions", empty)
    seven = (2, *[1] * 6)
    yield own(
        "SOFTMAX/limits/delegated_float_rank",
        single("SOFTMAX", [real(seven)], [result(seven)], beta=1.0),
    )
    yield own("CONCATENATION/limits/delegated_rank",
              single("CONCATENATION", [real(seven), real(seven)], [result((4, *[1] * 6))], axis=0))  # fmt: skip


def _divisors() -> Iterator[Break]:
    """Yield constant divisors with 0 among them."""
    x, numbers = np.array([4, 6, 9], np.int8), qparams(0.5, 3)
    byte = single("DIV", [Part((3,), "int8", numbers, x), const([7, 3, 5], numbers, "int8")],
               [Part((3,), "int8", numbers)])  # fmt: skip
    yield own("DIV/limits/rhs.at_zero_point", byte)
    whole_numbers = single("FLOOR_DIV", [whole(x, "int32"), const([7, 0, 5])], [result((3,), "int32")])
    yield own("FLOOR_DIV/limits/rhs.zeros", whole_numbers)
    reals = single("FLOOR_DIV", [whole(x, "float32"), const([7, 0, 5], None, "float32")], [result((3,))])
    yield own("FLOOR_DIV/limits/rhs.float_zeros", reals)


def _kept() -> Model:
    """Return an operator that writes into a variable that a further operator reads."""
    builder = ModelBuilder("kept")
    graph = builder.subgraph("main")
    a, b, y = (graph.tensor(name, (4,), "float32") for name in "aby")
    kept = graph.tensor("kept", (4,), "float32", is_variable=True)
    graph.add("ABS", [a], [b])
    graph.add("RESHAPE", [b, graph.constant("shape", np.array([4], np.int32))], [kept], new_shape=[4])
    graph.add("ABS", [kept], [y])
    graph.inputs(a)
    graph.outputs(y)
    return builder.finish()


def _variable(variable: bool = False, given: bool = False) -> Model:
    """Return a resource that is written and read, with a further resource marked as a variable, or its handle as an
    input.
    """
    builder = ModelBuilder("resource")
    graph = builder.subgraph("main")
    a, y = (graph.tensor(name, (4,), "float32") for name in "ay")
    handle = graph.tensor("handle", (), "resource")
    if variable:
        graph.tensor("idle", (), "resource", is_variable=True)
    graph.add("VAR_HANDLE", [], [handle], container="c", shared_name="v")
    graph.add("ASSIGN_VARIABLE", [handle, a], [])
    graph.add("READ_VARIABLE", [handle], [y])
    graph.inputs(*([a, handle] if given else [a]))
    graph.outputs(y)
    return builder.finish()


def _subgraphs() -> Iterator[Break]:
    """Yield subgraphs with tensors that no operator computes, or that are set twice."""
    x = np.ones(4, np.float32)
    yield Break("SUBGRAPH/limits/written_variables", _kept(), (x,))
    yield Break("SUBGRAPH/limits/typeless_variables", _variable(variable=True), (x,))
    yield Break("SUBGRAPH/limits/handle_inputs", _variable(given=True), (x, np.int32(0)))
    for path in ("unwritten_outputs", "variable_constants", "largest_tensor_bytes"):
        builder = ModelBuilder(path)
        graph = builder.subgraph("main")
        a, y, z = (graph.tensor(name, (4,), "float32") for name in "ayz")
        held = graph.constant("c", x, is_variable=path == "variable_constants")
        if path == "largest_tensor_bytes":
            graph.tensor("huge", (2**31 - 1,) * 3, "int8")
        graph.add("ADD", [a, held], [y])
        graph.inputs(a)
        graph.outputs(*([y, z] if path == "unwritten_outputs" else [y]))
        yield Break(f"SUBGRAPH/limits/{path}", builder.finish(), (x,))


__all__ = ["Break", "breaks", "broken", "sound", "versions"]
