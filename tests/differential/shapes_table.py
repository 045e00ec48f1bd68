"""Shape function of each builtin operator of LiteRT, with its inputs and outputs in file order."""

from __future__ import annotations

from litecheck.model.shapes import LAWS
from litecheck.model.shapes.call import Entry

_LSTM_GATES = """
    {0}input_to_input_weights {0}input_to_forget_weights {0}input_to_cell_weights {0}input_to_output_weights
    {0}recurrent_to_input_weights {0}recurrent_to_forget_weights {0}recurrent_to_cell_weights
    {0}recurrent_to_output_weights
    {0}cell_to_input_weights {0}cell_to_forget_weights {0}cell_to_output_weights
    {0}input_gate_bias {0}forget_gate_bias {0}cell_gate_bias {0}output_gate_bias
    {0}projection_weights {0}projection_bias"""
_LSTM = (
    "input"
    + _LSTM_GATES.format("")
    + """ output_state cell_state
    input_layer_norm_coefficients forget_layer_norm_coefficients
    cell_layer_norm_coefficients output_layer_norm_coefficients"""
)
_AUX = " ".join(
    f"{way}aux_input_to_{gate}_weights"
    for way in ("fw_", "bw_")
    for gate in ("input", "forget", "cell", "output")
)
_BIDIRECTIONAL_LSTM = (
    "input" + _LSTM_GATES.format("fw_") + _LSTM_GATES.format("bw_")
    + " fw_output_state fw_cell_state bw_output_state bw_cell_state aux_input " + _AUX
)  # fmt: skip
_CELL = "{0}input_weights {0}recurrent_weights {0}bias {0}hidden_state"
_UNARY = "input -> output"
_BINARY = "lhs rhs -> output"
_REDUCED = "input axis -> output"

#: Operators by shape function: inputs, an arrow, outputs; a star marks repeated roles.
_TEXT = {
    "elementwise": {
        _UNARY: """ABS SIN COS LOG SQRT RSQRT SQUARE LOGICAL_NOT RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 LEAKY_RELU ELU
            GELU HARD_SWISH LOGISTIC TANH NEG FLOOR CEIL ROUND EXP SIGN ZEROS_LIKE QUANTIZE DEQUANTIZE
            LOG_SOFTMAX FAKE_QUANT BUCKETIZE DENSIFY COMPLEX_ABS REAL IMAG""",
    },
    "at_least_1d": {_UNARY: "SOFTMAX L2_NORMALIZATION"},
    "local_response_normalization": {_UNARY: "LOCAL_RESPONSE_NORMALIZATION"},
    "along_axis": {_REDUCED: "CUMSUM"},
    "same_shapes": {
        _BINARY: """STABLEHLO_ADD STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_AND ATAN2
            STABLEHLO_SHIFT_LEFT""",
    },
    "sum_of_all": {"values* -> output": "ADD_N"},
    "prelu": {"input alpha -> output": "PRELU"},
    "add": {_BINARY: "ADD"},
    "subtract": {_BINARY: "SUB"},
    "multiply": {_BINARY: "MUL"},
    "floor_divide": {_BINARY: "FLOOR_DIV"},
    "maximum": {_BINARY: "MAXIMUM"},
    "minimum": {_BINARY: "MINIMUM"},
    "cast": {_UNARY: "CAST"},
    "product": {_REDUCED: "REDUCE_PROD"},
    "broadcast": {
        _BINARY: """SQUARED_DIFFERENCE POW FLOOR_MOD LOGICAL_OR LOGICAL_AND
            EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL RIGHT_SHIFT BITWISE_XOR""",
    },
    "divide": {_BINARY: "DIV"},
    "select": {"condition on_true on_false -> output": "SELECT"},
    "select_v2": {"condition on_true on_false -> output": "SELECT_V2"},
    "conv_2d": {"input weight bias -> output": "CONV_2D"},
    "depthwise_conv_2d": {"input weight bias -> output": "DEPTHWISE_CONV_2D"},
    "transpose_conv": {"output_shape weight input bias -> output": "TRANSPOSE_CONV"},
    "conv_3d": {"input weight bias -> output": "CONV_3D"},
    "conv_3d_transpose": {"output_shape weight input bias -> output": "CONV_3D_TRANSPOSE"},
    "pool_2d": {_UNARY: "AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D"},
    "fully_connected": {"input weight bias -> output": "FULLY_CONNECTED"},
    "batch_matmul": {_BINARY: "BATCH_MATMUL"},
    "reduce": {_REDUCED: "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_ANY REDUCE_ALL"},
    "arg_extreme": {_REDUCED: "ARG_MAX ARG_MIN"},
    "shape_of": {_UNARY: "SHAPE"},
    "rank": {_UNARY: "RANK"},
    "reshape": {"input shape -> output": "RESHAPE"},
    "squeeze": {_UNARY: "SQUEEZE"},
    "expand_dims": {_REDUCED: "EXPAND_DIMS"},
    "transpose": {"input perm -> output": "TRANSPOSE"},
    "reverse": {_REDUCED: "REVERSE_V2"},
    "reverse_sequence": {"input lengths -> output": "REVERSE_SEQUENCE"},
    "space_to_depth": {_UNARY: "SPACE_TO_DEPTH"},
    "depth_to_space": {_UNARY: "DEPTH_TO_SPACE"},
    "space_to_batch": {"input block_shape paddings -> output": "SPACE_TO_BATCH_ND"},
    "batch_to_space": {"input block_shape crops -> output": "BATCH_TO_SPACE_ND"},
    "matrix_diag": {"diagonal -> output": "MATRIX_DIAG"},
    "matrix_set_diag": {"input diagonal -> output": "MATRIX_SET_DIAG"},
    "bitcast": {_UNARY: "BITCAST"},
    "slice": {"input begin size -> output": "SLICE"},
    "strided_slice": {"input begin end strides -> output": "STRIDED_SLICE"},
    "split": {"axis input -> outputs*": "SPLIT"},
    "split_v": {"input size_splits axis -> outputs*": "SPLIT_V"},
    "dynamic_update_slice": {"input update start_indices -> output": "DYNAMIC_UPDATE_SLICE"},
    "top_k": {"input k -> values indices": "TOPK_V2"},
    "concatenation": {"values* -> output": "CONCATENATION"},
    "pack": {"values* -> output": "PACK"},
    "unpack": {"input -> outputs*": "UNPACK"},
    "tile": {"input multiples -> output": "TILE"},
    "broadcast_to": {"input shape -> output": "BROADCAST_TO"},
    "broadcast_args": {"shape1 shape2 -> output": "BROADCAST_ARGS"},
    "pad": {"input paddings -> output": "PAD", "input paddings constant_values -> output": "PADV2"},
    "mirror_pad": {"input paddings -> output": "MIRROR_PAD"},
    "resize_bilinear": {"input size -> output": "RESIZE_BILINEAR"},
    "resize_nearest": {"input size -> output": "RESIZE_NEAREST_NEIGHBOR"},
    "gather": {"input indices -> output": "GATHER"},
    "gather_nd": {"input indices -> output": "GATHER_ND"},
    "scatter_nd": {"indices updates shape -> output": "SCATTER_ND"},
    "embedding_lookup": {"indices table -> output": "EMBEDDING_LOOKUP"},
    "hashtable_lookup": {"indices keys table -> output hits": "HASHTABLE_LOOKUP"},
    "one_hot": {"indices depth on_value off_value -> output": "ONE_HOT"},
    "sparse_to_dense": {"indices output_shape values default_value -> output": "SPARSE_TO_DENSE"},
    "segment_sum": {"input segment_ids -> output": "SEGMENT_SUM"},
    "unsorted_segment": {
        "input segment_ids num_segments -> output": """UNSORTED_SEGMENT_SUM UNSORTED_SEGMENT_PROD
            UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN""",
    },
    "fill": {"dims value -> output": "FILL"},
    "random": {"shape -> output": "RANDOM_UNIFORM RANDOM_STANDARD_NORMAL"},
    "multinomial": {"logits num_samples -> output": "MULTINOMIAL"},
    "range": {"start limit delta -> output": "RANGE"},
    "where": {"condition -> output": "WHERE"},
    "unique": {"input -> output indices": "UNIQUE"},
    "rfft_2d": {"input fft_length -> output": "RFFT2D"},
    "non_max_suppression": {
        "boxes scores max_output_size iou_threshold score_threshold -> indices count": "NON_MAX_SUPPRESSION_V4",
        "boxes scores max_output_size iou_threshold score_threshold sigma -> indices scores_kept count": (
            "NON_MAX_SUPPRESSION_V5"
        ),
    },
    "as_stated": {" -> output": "VAR_HANDLE"},
    "one_number": {" -> output": "HASHTABLE", "table -> output": "HASHTABLE_SIZE"},
    "keys_found": {"table keys default_value -> output": "HASHTABLE_FIND"},
    "nothing_known": {
        "resource -> output": "READ_VARIABLE",
        "resource value -> ": "ASSIGN_VARIABLE",
        "table keys values -> ": "HASHTABLE_IMPORT",
        "condition operands* -> results*": "IF",
        "operands* -> results*": "WHILE STABLEHLO_COMPOSITE",
        "index operands* -> results*": "STABLEHLO_CASE",
        " -> ": "CALL_ONCE",
        "values* -> output": "LSH_PROJECTION",
        "input -> output ": "SKIP_GRAM",
        "ids indices dense_shape weights table -> output": "EMBEDDING_LOOKUP_SPARSE",
    },
    "stablehlo_pad": {"input padding_value -> output": "STABLEHLO_PAD"},
    "dilate": {"input dilations padding_value -> output": "DILATE"},
    "reduce_window": {"input init_value window_shape window_strides window_dilations -> output": "REDUCE_WINDOW"},
    "stablehlo_reduce_window": {"input init_value -> output": "STABLEHLO_REDUCE_WINDOW"},
    "stablehlo_gather": {"input indices -> output": "STABLEHLO_GATHER"},
    "scatter": {"input indices updates -> output": "STABLEHLO_SCATTER"},
    "random_bits": {"state -> state_after output": "STABLEHLO_RNG_BIT_GENERATOR"},
    "svdf": {"input weights_feature weights_time bias state -> output": "SVDF"},
    "rnn": {f"input {_CELL.format('')} -> output": "RNN"},
    "sequence_rnn": {f"input {_CELL.format('')} -> output": "UNIDIRECTIONAL_SEQUENCE_RNN"},
    "bidirectional_rnn": {
        f"input {_CELL.format('fw_')} {_CELL.format('bw_')} aux_input fw_aux_input_weights bw_aux_input_weights"
        " -> outputs*": "BIDIRECTIONAL_SEQUENCE_RNN",
    },
    "lstm": {f"{_LSTM} -> output scratch0 scratch1 scratch2": "LSTM"},
    "sequence_lstm": {f"{_LSTM} -> output": "UNIDIRECTIONAL_SEQUENCE_LSTM"},
    "bidirectional_lstm": {f"{_BIDIRECTIONAL_LSTM} -> outputs*": "BIDIRECTIONAL_SEQUENCE_LSTM"},
}  # fmt: skip


def _entry(law: str, text: str) -> Entry:
    before, after = (side.split() for side in text.split("->"))
    repeated = frozenset(name.rstrip("*") for name in (*before, *after) if name.endswith("*"))
    return LAWS[law], *(tuple(name.rstrip("*") for name in side) for side in (before, after)), repeated


#: Opcode -> name of its shape function.
LAW_NAMES = {
    opcode: law for law, sides in _TEXT.items() for opcodes in sides.values() for opcode in opcodes.split()
}
#: Opcode -> shape function, inputs, outputs and repeated roles.
TABLE: dict[str, Entry] = {
    opcode: _entry(law, text)
    for law, sides in _TEXT.items()
    for text, opcodes in sides.items()
    for opcode in opcodes.split()
}

__all__ = ["LAW_NAMES", "TABLE"]
