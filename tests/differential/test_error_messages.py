"""docs/how-to-error-messages.md: a model with each fault, the message of the runtime, and the finding of ``validate``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck import load_profile, validate_file
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.save import model_bytes, save_model
from litecheck.model.types import Model
from tests.differential.oracle import Oracle, Refused
from tests.differential.rules_cases import Case, Part, act, bias, case, const, out, weights
from tests.differential.tflm import Tflm

PAGE = Path(__file__).parents[2] / "docs" / "how-to-error-messages.md"
FIXTURE = Path(__file__).parents[2] / "fixtures" / "conv_int8.tflite"
#: Row of a table of the page: the message, and the requirement.
ROW = re.compile(r"^\| `([^|`]+)` \| `(\w+/[\w./]+)` \|", re.MULTILINE)
SHAPE, WINDOW = (1, 4, 6, 3), {"padding": "SAME", "stride_w": 1, "stride_h": 1}
FILTER = (4, 3, 3, 3)
PER_AXIS = weights(FILTER, 0)


def stated(part: Part, scale: object, zero: int | list[int] = 0, axis: int = 0) -> Part:
    """Return a part with different parameters."""
    return replace(part, quantization=qparams(np.asarray(scale), zero, axis))


def conv(
    given: Part | None = None, weight: Part = PER_AXIS, added: Part | None = None, result: Part | None = None
) -> Case:
    """Return a CONV_2D that conforms except for the given tensors."""
    given = given or act(SHAPE)
    added = added or bias(act(SHAPE), PER_AXIS)
    return case("CONV_2D", [given, weight, added], [result or out((1, 4, 6, 4), qparams(0.1, -3))], **WINDOW)


def dense(scale: float = 1.0, result: Part | None = None, given: Part | None = None) -> Case:
    """Return a FULLY_CONNECTED with the bias scale multiplied by ``scale``."""
    x, w = act((2, 6)), weights((4, 6), 0, per_axis=False)
    b = bias(x, w)
    assert b.quantization
    added = (
        stated(b, b.quantization.scale[0] * scale) if given is None else const(np.zeros(4), None, "float32")
    )
    return case("FULLY_CONNECTED", [given or x, w, added], [result or out((2, 4), qparams(0.1, -3))])


def unary(opcode: str, given: Part, result: Part, **options: Option) -> Case:
    return case(opcode, [given], [result], **options)


def real(shape: tuple[int, ...], dtype: str = "float32") -> Part:
    """Return a computed input without parameters."""
    return Part(shape, dtype, None, np.ones(shape, dtype))


def copied(opcode: str, shape: tuple[int, ...], *more: Part, **options: Option) -> Case:
    """Return an operator that moves data between tensors of different scales."""
    return case(opcode, [act(SHAPE, 0.05), *more], [out(shape, qparams(0.07, 3))], **options)


def custom(name: str) -> Case:
    builder = ModelBuilder("custom operator")
    main = builder.subgraph("main")
    x, y = (main.tensor(n, SHAPE, "int8", qparams(0.05, 3)) for n in "xy")
    main.add("CUSTOM", [x], [y], custom_code=name)
    main.inputs(x)
    main.outputs(y)
    return Case(name, "CUSTOM", builder.finish(), (np.zeros(SHAPE, np.int8),))


def no_bias(channels: int, dtype: str = "int32") -> Part:
    """Return a bias of zeros."""
    return const(np.zeros(channels), qparams([0.001] * channels, 0, 0), dtype)


def two(opcode: str, second: Part, result: Part, **options: Option) -> Case:
    return case(opcode, [act(SHAPE, 0.05), second], [result], **options)


#: Messages without numbers, by the resolver that prints them, with models.
REFERENCE: dict[str, Callable[[], Case]] = {
    "affine_quantization->zero_point->data[i] != 0": lambda: conv(
        weight=stated(PER_AXIS, PER_AXIS.quantization.scale, 3)  # type: ignore[union-attr]
    ),
    "filter->quantization.type != kTfLiteAffineQuantization": lambda: conv(weight=const(np.ones(FILTER), None, "float32")),
    "quantized_dimension must be in range": lambda: conv(weight=stated(PER_AXIS, [0.01] * 4, 0, 4)),
    "num_scales must be 1 for per-layer quantization": lambda: conv(weight=stated(PER_AXIS, [0.01] * 3)),
    "scale_diff / output_scale <= 0.02 was not true": lambda: dense(1000.0),
    "bias->type != kTfLiteInt32": lambda: conv(added=no_bias(4, "int16")),
    "input_channel % filter_input_channel != 0": lambda: conv(act((1, 4, 6, 5))),
    "NumElements(bias) != SizeOfDimension(filter, 0)": lambda: conv(added=no_bias(3)),
    "output->params.scale == 1. / 256 was not true": lambda: unary(
        "LOGISTIC", act(SHAPE), out(SHAPE, qparams(0.01, -128))
    ),
    "output->params.scale not near 1.f / 256": lambda: unary(
        "SOFTMAX", act((2, 6)), out((2, 6), qparams(0.01, -128)), beta=1.0
    ),
    "CheckedLog2(output->params.scale, &output_scale_log2_rounded) was not true": lambda: unary(
        "TANH", act(SHAPE, 2.0**-12, 0, "int16"), out(SHAPE, qparams(0.001), "int16")
    ),
    "input->params.scale != output->params.scale": lambda: two(
        "PACK", act(SHAPE, 0.07), out((2, *SHAPE), qparams(0.05, 3)), axis=0, values_count=2
    ),
    "t->params.scale != output->params.scale": lambda: two(
        "CONCATENATION", act(SHAPE, 0.07), out((1, 4, 6, 6), qparams(0.05, 3)), axis=3
    ),
    "input1->type != input2->type": lambda: two("ADD", act(SHAPE, 0.07, 0, "int16"), out(SHAPE, qparams(0.1))),
    "input->type != output->type": lambda: unary("RELU", act(SHAPE), out(SHAPE, qparams(0.05, 3), "uint8")),
    "Type 2 is currently not supported by Exp": lambda: unary("EXP", real(SHAPE, "int32"), out(SHAPE, None, "int32")),
    "Only float32, uint8_t, Int8_t, Int16_t are supported currently, got INT32": lambda: unary(
        "SOFTMAX", real(SHAPE, "int32"), out(SHAPE, None, "int32"), beta=1.0
    ),
    "output->type != input_type": lambda: conv(result=out((1, 4, 6, 4), qparams(0.1), "int16")),
    "is_supported_type was not true": lambda: unary("DEQUANTIZE", real(SHAPE), out(SHAPE, None, "float32")),
    "op_context.axis->type != kTfLiteInt32": lambda: two(
        "MEAN", const([1, 2], None, "int64"), out((1, 3), qparams(0.05, 3))
    ),
    "num_input_elements != num_output_elements": lambda: two("RESHAPE", const([1, 71]), out((1, 71), qparams(0.05, 3))),
    "are not broadcastable": lambda: two("ADD", act((1, 4, 5, 3)), out(SHAPE, qparams(0.1))),
    "An older version of this builtin might be supported": lambda: case(
        "ELU", [act(SHAPE)], [out(SHAPE, qparams(0.05, 3))], version=3
    ),
    "Encountered unresolved custom op": lambda: custom("AcmeSort"),
}  # fmt: skip
XNNPACK: dict[str, Callable[[], Case]] = {
    "failed to delegate TRANSPOSE node": lambda: copied("TRANSPOSE", (1, 6, 4, 3), const([0, 2, 1, 3])),
    "failed to delegate MAX_POOL_2D node": lambda: copied(
        "MAX_POOL_2D", SHAPE, filter_width=2, filter_height=2, **WINDOW
    ),
    "unsupported zero-point value": lambda: conv(
        weight=stated(PER_AXIS, PER_AXIS.quantization.scale, [0, 0, 3, 0])  # type: ignore[union-attr]
    ),
    "unsupported scale value": lambda: conv(result=out((1, 4, 6, 4), qparams(0.0))),
    "XNNPack delegate failed to reshape runtime": lambda: conv(act((1, 4, 6, 5))),
    "Select TensorFlow op(s), included in the given model": lambda: custom("FlexErf"),
}
TFLM: dict[str, Callable[[], Case]] = {
    "Didn't find op for builtin opcode": lambda: unary("GELU", act(SHAPE), out(SHAPE, qparams(0.05, 3))),
    "Failed to get registration from op code CUSTOM": lambda: custom("AcmeSort"),
    "Hybrid models are not supported on TFLite Micro": lambda: conv(
        real(SHAPE), added=const(np.zeros(4), None, "float32"), result=out((1, 4, 6, 4), None, "float32")
    ),
    "Input type: FLOAT32 with filter type: INT8 not supported": lambda: dense(
        given=real((2, 6)), result=out((2, 4), None, "float32")
    ),
    "input->type == kTfLiteUInt8 was not true": lambda: unary(
        "DEQUANTIZE", real((4,), "float16"), out((4,), None, "float32")
    ),
    "Positions of type 'INT64' are not supported by gather": lambda: two(
        "GATHER", const([1], None, "int64"), out((1, 4, 1, 3), qparams(0.05, 3)), axis=2
    ),
    "Only int32_t are supported currently, got INT64": lambda: two(
        "ARG_MAX", const(3), out((1, 4, 6), None, "int64"), output_type=4
    ),
    "output->params.scale == 1.f / 256 was not true": lambda: unary(
        "SOFTMAX", act((2, 6)), out((2, 6), qparams(0.01, -128)), beta=1.0
    ),
}
OF_MODELS = {**REFERENCE, **XNNPACK, **TFLM}


@pytest.fixture(scope="module")
def litert() -> Iterator[Oracle]:
    with Oracle() as started:
        yield started


@pytest.fixture(scope="module")
def tflm() -> Iterator[Tflm]:
    pytest.importorskip("tflite_micro", reason="needs tflite_micro")
    with Tflm() as started:
        yield started


def paths(model: Model, folder: Path, profile: str = "") -> set[str]:
    """Return the requirements that a model violates, or that warn of a failure to load."""
    save_model(model, folder / "model.tflite")
    report = validate_file(folder / "model.tflite", (load_profile(profile),) if profile else None)[0]
    return {f.path for f in report.active if f.level == "violation" or f.effect == "fails to load"}


def listed() -> dict[str, str]:
    """Return the messages of the page with their requirements."""
    return dict(ROW.findall(PAGE.read_text("utf-8")))


def check(oracle: Oracle, resolver: str, message: str, folder: Path) -> None:
    made = OF_MODELS[message]()
    answer = oracle.run(model_bytes(made.model), made.inputs, resolver)
    assert isinstance(answer, Refused)
    assert message in answer.message
    assert listed()[message] in paths(made.model, folder, "tflm" if resolver == "tflm" else "")


@pytest.mark.parametrize("message", REFERENCE)
def test_a_message_of_litert(message: str, litert: Oracle, tmp_path: Path) -> None:
    check(litert, "reference", message, tmp_path)


@pytest.mark.parametrize("message", XNNPACK)
def test_a_message_of_the_default_interpreter(message: str, litert: Oracle, tmp_path: Path) -> None:
    check(litert, "xnnpack", message, tmp_path)


@pytest.mark.parametrize("message", TFLM)
def test_a_message_of_tflm(message: str, tflm: Tflm, tmp_path: Path) -> None:
    check(tflm, "tflm", message, tmp_path)


def test_operands_that_conform_have_no_finding(tmp_path: Path) -> None:
    assert paths(conv().model, tmp_path) == paths(dense().model, tmp_path) == set()


def test_the_page_lists_these_messages() -> None:
    assert set(listed()) == set(OF_MODELS)


def message_of(oracle: Oracle, content: bytes, inputs: tuple[np.ndarray, ...], resolver: str) -> str:
    answer = oracle.run(content, inputs, resolver)
    assert isinstance(answer, Refused)
    return answer.message


@pytest.mark.parametrize(
    ("message", "content", "shape"),
    [
        ("Got value of type FLOAT32 but expected type INT8", FIXTURE.read_bytes(), (1, 8, 8, 3)),
        ("The model is not a valid Flatbuffer buffer", FIXTURE.read_bytes()[:100], ()),
    ],
)
def test_a_message_without_a_requirement(
    message: str, content: bytes, shape: tuple[int, ...], litert: Oracle
) -> None:
    assert message in message_of(litert, content, (np.zeros(shape, np.float32),), "reference")
    assert message in PAGE.read_text("utf-8")


def test_a_tensor_arena_that_is_too_small(tflm: Tflm, tmp_path: Path) -> None:
    large = (1, 256, 256, 128)
    made = case("ADD", [act(large), act(large)], [out(large, qparams(0.1))])
    message, page = message_of(tflm, model_bytes(made.model), made.inputs, "tflm"), PAGE.read_text("utf-8")
    assert "Failed to resize buffer. Requested:" in message
    assert "Failed to resize buffer. Requested:" in page
    assert paths(made.model, tmp_path, "tflm") == set()
