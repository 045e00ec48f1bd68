"""Compiled constants as a device: tables and scales of channels are compared, unreadable constants are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ethosu.regor", reason="needs the extra 'vela'")

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Device
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import run
from litecheck.targets.ethos_u.compiler.vela import Vela
from litecheck.targets.ethos_u.constants.operator import compiled_operator
from litecheck.verification.campaign import verify_model
from litecheck.verification.result import Verdict, Verification

ACCELERATORS = ("ethos-u55", "ethos-u65", "ethos-u85")
#: Index of the input of a compiled operator with tables and scales, after the command stream.
READ_ONLY = 1


def unary(
    opcode: str, dtype: str = "int8", x: tuple[float, int] = (0.05, 3), y: tuple[float, int] = (0.04, -10)
) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    ends = [main.tensor(n, (1, 4, 4, 16), dtype, qparams(*q)) for n, q in (("x", x), ("y", y))]
    main.add(opcode, ends[:1], ends[1:])
    main.inputs(ends[0])
    main.outputs(ends[1])
    return builder.finish()


def conv(dtype: str = "int8", bias: str = "int32", depthwise: bool = False) -> Model:
    random = np.random.default_rng(7)
    builder = ModelBuilder()
    main = builder.subgraph()
    scales = random.uniform(0.001, 0.01, 5).astype(np.float32)
    zero = 3 if dtype == "int8" else 0
    x = main.tensor("x", (1, 6, 6, 5 if depthwise else 4), dtype, qparams(0.05, zero))
    shape = (1, 3, 3, 5) if depthwise else (5, 3, 3, 4)
    w = main.constant(
        "w", random.integers(-127, 128, shape).astype(np.int8), qparams(scales, 0, 3 if depthwise else 0)
    )
    b = main.constant("b", random.integers(-2000, 2000, 5).astype(bias), qparams(scales * np.float32(0.05)))
    y = main.tensor("y", (1, 6, 6, 5), dtype, qparams(0.1, zero))
    if depthwise:
        main.add(
            "DEPTHWISE_CONV_2D", [x, w, b], [y], padding="SAME", stride_w=1, stride_h=1, depth_multiplier=1
        )
    else:
        main.add("CONV_2D", [x, w, b], [y], padding="SAME", stride_w=1, stride_h=1)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.fixture(scope="module", params=ACCELERATORS)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    opened = open_device(f"vela:{request.param}")
    assert opened.described.startswith(f"vela:{request.param} (ethos-u-vela ")
    yield opened
    opened.close()


def only(done: Verification) -> Verdict:
    (verdict,) = done.verdicts
    return verdict


@pytest.mark.parametrize(
    "model",
    [
        unary("LOGISTIC", y=(1 / 256, -128)),
        unary("LOGISTIC", "uint8", (0.05, 120), (1 / 256, 0)),
        unary("TANH", y=(1 / 128, 0)),
        unary("HARD_SWISH"),
        unary("QUANTIZE"),
        unary("RELU"),
        unary("EXP", "int16", (0.0005, 0), (0.004, 0)),
        conv(),
        conv(depthwise=True),
        conv("int16", "int64"),
    ],
    ids=lambda m: f"{m.subgraphs[0].operators[0].opcode}-{m.subgraphs[0].tensors[0].dtype}",
)
def test_tables_and_scales_are_litert_s(device: Device, model: Model) -> None:
    verdict = only(verify_model(model, device))
    assert (verdict.outcome, verdict.message) == (Outcome.EXACT, "")
    assert sum(d.size for d in verdict.differences) > 1000


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (unary("ABS"), "operations: elementwise"),
        (unary("LOGISTIC", "int16", (2**-12, 0), (2**-15, 0)), "not covered: a "),
    ],
    ids=["ABS", "LOGISTIC-int16"],
)
def test_unreadable_constants_are_reported(device: Device, model: Model, words: str) -> None:
    verdict = only(verify_model(model, device))
    assert verdict.outcome is Outcome.NOT_SUPPORTED
    assert words in verdict.message


def test_operators_on_the_cpu_are_not_delegated(device: Device) -> None:
    assert only(verify_model(unary("TANH", "float32"), device)).outcome is Outcome.NOT_DELEGATED


def test_a_fully_connected_layer_is_rescaled_as_convolutions_are(device: Device, tmp_path: Path) -> None:
    """LiteRT's reference kernel multiplies in double; Vela's constants are those of fixed point, rounded twice."""
    random = np.random.default_rng(3)
    builder = ModelBuilder()
    main = builder.subgraph()
    scales = np.float32(0.053), np.float32(0.0041)
    biases = random.integers(-2000, 2000, 16).astype(np.int32)
    x = main.tensor("x", (4, 64), "int8", qparams(scales[0], 3))
    w = main.constant("w", random.integers(-127, 128, (16, 64)).astype(np.int8), qparams(scales[1]))
    b = main.constant("b", biases, qparams(scales[0] * scales[1]))
    y = main.tensor("y", (4, 16), "int8", qparams(0.047, 14))
    main.add("FULLY_CONNECTED", [x, w, b], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    done = verify_model(model, device, arithmetics=("litert-reference",))
    assert only(done).outcome is Outcome.MISMATCH
    assert only(done).worst is not None
    assert abs(only(done).worst.largest) == 1
    own = tmp_path / "own.yaml"
    own.write_text(
        "arithmetic: own\ntitle: fixed point in fully connected layers\nsource: this test\n"
        "extends: litert-reference\noperators:\n  FULLY_CONNECTED: {requantize: double}\n"
    )
    assert only(verify_model(model, device, arithmetics=(str(own),))).outcome is Outcome.EXACT


def tampered(compiler: Vela, changes: dict[int, int]) -> Callable[..., np.ndarray]:
    """Return a device that computes with compiled constants in which some bytes are changed."""

    def device(model: bytes, x: np.ndarray) -> np.ndarray:
        given = model_from(model, "model")
        made = compiler.output(given)
        main = made.subgraphs[0]
        place = main.operators[0].inputs[READ_ONLY]
        data = main.tensors[place].data
        assert data is not None
        data = data.copy()
        for at, amount in changes.items():
            data[at] += amount
        tensors = [replace(t, data=data) if t.index == place else t for t in main.tensors]
        made = replace(made, subgraphs=(replace(main, tensors=tuple(tensors)),))
        found = compiled_operator(given, made, compiler.u85)
        said.append(found.reason)
        return found.compute(x)

    said = list[str]()
    device.said = said  # type: ignore[attr-defined]
    return device


@pytest.fixture(scope="module", params=ACCELERATORS)
def compiler(request: pytest.FixtureRequest) -> Iterator[Vela]:
    with Vela(request.param) as opened:
        yield opened


def test_a_changed_byte_of_a_table_is_found_at_its_value(compiler: Vela) -> None:
    model, every = unary("TANH", y=(1 / 128, 0)), np.arange(-128, 128).astype(np.int8).reshape(1, 4, 4, 16)
    (expected,) = run(model, (every,)).outputs.values()
    given = tampered(compiler, {90: 5})(model_bytes(model), every)
    assert (given.astype(int) - expected).reshape(-1).nonzero()[0].tolist() == [90]
    verdict = only(verify_model(model, tampered(compiler, {90: 5})))
    assert (verdict.outcome, verdict.exhaustive) == (Outcome.MISMATCH, "all 256 values")
    assert [d.largest for d in verdict.differences] == [5]
    assert only(verify_model(model, tampered(compiler, {}))).outcome is Outcome.EXACT


def test_a_changed_multiplier_is_found_and_its_channel_named(compiler: Vela) -> None:
    """A byte of the second record, at the lower half of the multiplier's upper 16 bits."""
    device = tampered(compiler, {10 + (6 if compiler.u85 else 7): 8})
    verdict = only(verify_model(conv(), device))
    assert verdict.outcome is Outcome.MISMATCH
    (difference,) = verdict.differences
    assert difference.channels is not None
    assert [c for c, count in enumerate(difference.channels) if count] == [1]
    assert set(device.said) == {device.said[0]}  # type: ignore[attr-defined]
    assert device.said[0].startswith("1 of 5 channels with a different multiplier, first channel 1: ")  # type: ignore[attr-defined]


def test_a_changed_bias_is_named(compiler: Vela) -> None:
    device = tampered(compiler, {20: 1})
    verdict = only(verify_model(conv(depthwise=True), device))
    assert verdict.outcome is Outcome.MISMATCH
    assert device.said[0].startswith("1 of 5 channels with a different bias, first channel 2: ")  # type: ignore[attr-defined]


def test_an_exponential_beyond_31_bits_is_a_wrong_entry(device: Device) -> None:
    """Vela 5.2.0 makes -128 of values that should saturate at 127, if exp(x) / scale is 2^31 or more."""
    beyond = only(verify_model(unary("EXP", x=(0.2, -128), y=(0.02, -128)), device))
    assert beyond.outcome is Outcome.MISMATCH
    assert beyond.worst is not None
    assert beyond.worst.largest == -255
