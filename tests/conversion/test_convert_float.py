"""Conformance by construction: a converted model conforms, computes like the float model, and reports unconverted
operators."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from litecheck.conversion import groups, planning
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.calibration.reference_observer import ReferenceObserver
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.conversion_plan import ConversionPlan, QuantParams
from litecheck.conversion.convert_float import PROVENANCE, Conversion, Request, convert, replay
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.quant_spec import QuantSpec, quant_spec_of
from litecheck.conversion.request import budget_rules
from litecheck.conversion.retype_8bit import retype
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.edit import with_metadata
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.conversion.small_models import branch, dense, loop, masked, reals, recurrent, streaming

SAMPLES = 12


def inputs(model: Model, seed: int) -> tuple[np.ndarray, ...]:
    """Return the inputs of an inference; masks are 0 or 1."""
    tensors = [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].inputs]
    drawn = (reals(seed, *t.shape, reach=1.0) for t in tensors)
    return tuple(
        (x > 0).astype(np.float32) if t.name == "keep" else x for t, x in zip(tensors, drawn, strict=True)
    )


def calibrated(model: Model, to: str = "int8", **wishes: object) -> Conversion:
    """Convert a model with the ranges of a few samples."""
    observer = ReferenceObserver(ReferenceInterpreter(model), False)
    names = [model.subgraphs[0].tensors[i].name for i in model.subgraphs[0].inputs]
    for number in range(SAMPLES):
        observer.run((Sample(dict(zip(names, inputs(model, number), strict=True))),), number)
    ranges = {place: (float(s.low), float(s.high)) for place, s in observer.tally.tensors.items()}
    inner = {place: (float(s.low), float(s.high)) for place, s in observer.tally.inner.items()}
    return convert(model, Request(to=to, **wishes), ranges, inner=inner)  # type: ignore[arg-type]


@pytest.mark.parametrize("to", ["int8", "int16x8"])
@pytest.mark.parametrize(
    ("opcode", "last", "stated"), [("RELU", 3, 3), ("GELU", 3, 2), ("ABS", 5, 2), ("TRANSPOSE", 9, 2)]
)
def test_versions_are_those_that_every_resolver_has(opcode: str, last: int, stated: int, to: str) -> None:
    """The version is that of the float operator. If the reference resolver lacks it, it is the version of quantized
    operators."""
    builder = ModelBuilder(opcode)
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "float32") for name in "xy")
    order = [main.constant("order", np.array([0, 1], np.int32))] if opcode == "TRANSPOSE" else []
    main.add(opcode, [x, *order], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    (graph,) = model.subgraphs
    newer = replace(graph, operators=tuple(replace(op, version=last) for op in graph.operators))
    done = calibrated(replace(model, subgraphs=(newer,)), to)
    assert [op.version for op in done.model.subgraphs[0].operators if op.opcode == opcode] == [stated]


def decibels(done: Conversion) -> list[float]:
    """Return the signal-to-noise ratio of every output on the samples, each model from its initial state."""
    signal = np.zeros(len(done.source.subgraphs[0].outputs))
    noise = np.zeros_like(signal)
    interpreters = ReferenceInterpreter(done.source), ReferenceInterpreter(done.model)
    for number in range(SAMPLES):
        values = []
        for interpreter in interpreters:
            interpreter.restart()
            graph = interpreter.model.subgraphs[0]
            tensors = interpreter.run(graph, inputs(done.source, number))
            values.append([tensors[i].astype(np.float64) for i in graph.outputs])
        for n, (real, made) in enumerate(zip(*values, strict=True)):
            signal[n] += (real**2).sum()
            noise[n] += ((real - made) ** 2).sum()
    with np.errstate(divide="ignore"):
        return [float(x) for x in 10 * np.log10(signal / noise)]


def becomes(done: Conversion) -> set[str]:
    return {decision.becomes for decision in done.plan.operators}


@pytest.mark.parametrize(
    ("build", "least"),
    [
        (loop, 25), (branch, 12), (streaming, 15), (recurrent, 28),
        (lambda: recurrent(projection=True), 25), (lambda: recurrent(peephole=True), 25),
        (lambda: recurrent(norm=True), 15),
    ],
    ids=["while", "if", "variables", "lstm", "projection", "peephole", "layer norm"],
)  # fmt: skip
def test_structures_convert_whole(build: Callable[[], Model], least: float) -> None:
    done = calibrated(build())
    assert done.conforms
    assert "float32" not in becomes(done)
    assert min(decibels(done)) > least


def test_16_bit_activations_have_less_noise() -> None:
    narrow, wide = calibrated(loop()), calibrated(loop(), "int16x8")
    assert wide.conforms
    assert min(decibels(wide)) > min(decibels(narrow)) + 10


@pytest.mark.parametrize("to", ["dynamic", "float16"])
def test_weights_alone_need_no_data(to: str) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 64), "float32")
    main.inputs(x)
    main.outputs(dense(main, x, "y", (32, 64), 1))
    done = convert(builder.finish(), Request(to=to))
    assert done.conforms
    assert 30 < min(decibels(done)) < 90
    assert len(model_bytes(done.model)) < 0.7 * len(model_bytes(done.source))


def test_a_constant_beyond_float16_stays() -> None:
    done = convert(masked(), Request(to="float16"))
    assert any("reaches beyond float16" in d.because for d in done.plan.operators)


def test_a_fitting_constant_of_an_operator_becomes_float16_beside_one_that_stays() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 4), "float32"), main.tensor("y", (1, 4), "float32")
    bias = main.constant("bias", np.full(4, 1e6, np.float32))
    main.inputs(x)
    main.outputs(y)
    main.add("FULLY_CONNECTED", [x, main.constant("weights", reals(1, 4, 4)), bias], [y])
    done = convert(builder.finish(), Request(to="float16"))
    stored = {t.name: t.dtype for t in done.model.subgraphs[0].tensors if t.is_constant}
    assert stored == {"weights": "float16", "bias": "float32"}
    (note,) = done.plan.notes
    assert note.startswith("FULLY_CONNECTED #0: constant 'bias' reaches beyond float16")


def test_operators_kept_in_float32_keep_float32_constants() -> None:
    done = convert(masked(), Request(to="float16", keep=("*",)))
    assert {d.becomes for d in done.plan.operators} <= {"float32", "as it is"}


def test_masks_are_clipped_with_a_note() -> None:
    done = calibrated(masked())
    assert [note for note in done.plan.notes if "stands for infinity" in note]
    assert decibels(done)[1] > 20


def test_scores_keep_their_own_scale_beside_boxes() -> None:
    """The CONCATENATION has a scale that is far too coarse for scores; further readers of the scores keep their
    resolution."""
    done = calibrated(masked())
    both, _, scores = decibels(done)
    assert scores > 25
    assert both > 20
    requantized = [op for op in done.model.subgraphs[0].operators if op.opcode == "QUANTIZE"]
    assert len(requantized) == 2  # the input, and the scores into the joint


def test_outputs_keep_their_names() -> None:
    done = calibrated(masked())
    old, new = done.source.subgraphs[0], done.model.subgraphs[0]
    assert [old.tensors[i].name for i in old.outputs] == [new.tensors[i].name for i in new.outputs]


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_inputs_and_outputs_have_the_requested_type(dtype: str) -> None:
    done = calibrated(masked(), inputs=dtype, outputs=dtype)
    graph = done.model.subgraphs[0]
    assert done.conforms
    assert {graph.tensors[i].dtype for i in (*graph.inputs, *graph.outputs)} == {dtype}


def test_a_budget_is_the_reason_of_its_choices() -> None:
    """A rule of an option has priority over the choice of a budget."""
    chosen = budget_rules({"float32": (0, 1)}, "snr=30")
    done = calibrated(masked(), budget_rules=chosen, keep=("#0",))
    kept = {d.operator: d.because for d in done.plan.operators if d.becomes == "float32"}
    assert kept == {0: "kept by --keep-float #0", 1: "chosen by --budget snr=30"}


def test_operators_are_kept_by_wish() -> None:
    done = calibrated(masked(), keep=("SOFTMAX", "#0"))
    kept = {d.opcode: d.because for d in done.plan.operators if d.becomes == "float32"}
    assert kept == {"SOFTMAX": "kept by --keep-float SOFTMAX", "FULLY_CONNECTED": "kept by --keep-float #0"}
    assert done.conforms
    with pytest.raises(ConfigError, match="--keep-float CONV_2D: no operator"):
        calibrated(masked(), keep=("CONV_2D",))


def test_a_constant_shared_by_consumers_of_unlike_parameters_is_split() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "float32") for name in "xy")
    shared = main.constant("bias", reals(1, 4))
    results = []
    for n, given in enumerate((x, y)):
        weights = main.constant(f"w{n}", reals(2 + n, 4, 4, reach=10.0**n))
        results.append(main.tensor(f"z{n}", (1, 4), "float32"))
        main.add("FULLY_CONNECTED", [given, weights, shared], [results[-1]])
    main.inputs(x, y)
    main.outputs(*results)
    done = calibrated(builder.finish())
    assert done.conforms
    scales = {t.quantization.scale.tobytes() for t in done.model.subgraphs[0].tensors if t.dtype == "int32"}
    assert len(scales) == 2


@pytest.mark.parametrize("to", ["int8", "int16x8"])
@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e30])
def test_a_plan_of_tiny_and_huge_ranges_is_carried_out(size: float, to: str) -> None:
    """A bias of 64 bits reaches beyond float32 under scales that activations may have."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), "float32")
    main.outputs(dense(main, x, "y", (8, 8), 6))
    main.inputs(x)
    model = builder.finish()
    names = {t.name: t.index for t in model.subgraphs[0].tensors}
    ranges = {(0, names[name]): (-size, size) for name in "xy"}
    done = convert(model, Request(to=to), ranges)
    assert done.conforms
    plan = read_plan(plan_json(done.plan), "plan.json")
    assert model_bytes(replay(done.source, plan, done.request).model) == model_bytes(done.model)


@pytest.mark.parametrize(("share", "requantized"), [(2.0**-10, True), (2.0**-20, False)])
def test_no_requantization_leaves_32_bits(share: float, requantized: bool) -> None:
    """TANH's output has a fixed scale. A much finer scale is reached by DEQUANTIZE and QUANTIZE."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, (1, 8), "float32") for name in "xyz")
    main.add("TANH", [x], [y])
    main.add("RESHAPE", [y, main.constant("shape", np.array([1, 8], np.int32))], [z], new_shape=[1, 8])
    fine = main.constant("fine", np.full((1, 8), share, np.float32))
    both = main.tensor("both", (1, 16), "float32")
    main.add("CONCATENATION", [z, fine], [both], axis=1)
    main.inputs(x)
    main.outputs(both)
    ranges = {(0, i): (-share, share) for i in (x, y, z, both)}
    done = convert(builder.finish(), Request(to="int16x8"), ranges)
    kinds = [op.opcode for op in done.model.subgraphs[0].operators]
    behind = kinds[kinds.index("TANH") + 1]
    assert behind == ("QUANTIZE" if requantized else "DEQUANTIZE")
    assert [f for f in done.report.findings if f.level != "note"] == []


def test_a_plan_gives_the_same_bytes() -> None:
    done = calibrated(masked())
    plan = read_plan(plan_json(done.plan), "plan.json")
    assert model_bytes(replay(done.source, plan, done.request).model) == model_bytes(done.model)
    with pytest.raises(ConfigError, match="another model"):
        replay(loop(), plan, done.request)


def test_runtime_and_converter_of_the_float_model_are_not_stated() -> None:
    source = with_metadata(with_metadata(masked(), "author", b"a"), "min_runtime_version", b"1.5.0")
    source = with_metadata(source, "CONVERSION_METADATA", b"2.21.0")
    done = calibrated(source)
    assert [name for name, _ in done.model.metadata] == ["author", PROVENANCE]
    contents = [bytes(buffer.data) for buffer in done.model.buffers]
    assert b"a" in contents
    assert not {b"1.5.0", b"2.21.0"} & set(contents)


def test_no_data_is_an_error_with_the_reason() -> None:
    with pytest.raises(ConfigError, match="needs calibration data"):
        convert(masked(), Request())


def test_a_tensor_that_was_never_computed_leaves_its_operator_alone() -> None:
    done = convert(masked(), Request(), {(0, 0): (-1.0, 1.0)})
    assert becomes(done) == {"float32"}
    assert all("no sample computes it" in d.because for d in done.plan.operators)


BREAKS: dict[str, Callable[[QuantParams], QuantParams]] = {
    "zero point of weights": lambda f: replace(f, zero_point=f.zero_point + 3) if f.scale.size > 1 else f,
    "scale of biases": lambda f: replace(f, scale=f.scale * np.float32(1.5)) if f.dtype == "int32" else f,
    "fixed output": lambda f: (
        replace(f, scale=f.scale * np.float32(2)) if f.scale[0] == np.float32(1 / 256) else f
    ),
    "axis": lambda f: replace(f, axis=1) if f.scale.size > 1 else f,
    "type": lambda f: replace(f, dtype="int16", zero_point=f.zero_point * 0) if f.high > 50 else f,
}


@pytest.mark.parametrize("name", BREAKS)
def test_checks_notice_a_solver_that_errs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver and the checks share no code, so the checks find an error of the solver."""
    plan = planning._plan

    def spoiled(*arguments: object) -> ConversionPlan:
        made = plan(*arguments)  # type: ignore[arg-type]
        change = BREAKS[name]

        def form(one: QuantParams | None) -> QuantParams | None:
            return None if one is None or not one.scale.size else change(one)

        tensors = tuple(
            replace(t, written=form(t.written), read={port: form(f) for port, f in t.read.items()})
            for t in made.tensors
        )
        return replace(made, tensors=tensors)

    build = recurrent if name == "scale of biases" else masked
    assert calibrated(build()).conforms
    monkeypatch.setattr(planning, "_plan", spoiled)
    monkeypatch.setattr(planning, "_mend", lambda *_: False)
    assert not calibrated(build()).conforms


def test_checks_find_separated_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups.Partition, "join", lambda *_: None)
    assert not calibrated(streaming()).conforms


def test_limits_widen_a_range() -> None:
    """A comparison supports scales from 1/256, so a threshold near 0 is stored with this step."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "float32")
    least, above = (
        main.constant("least", np.full((1,), 1e-3, np.float32)),
        main.tensor("above", (1, 4), "bool"),
    )
    main.add("GREATER", [x, least], [above])
    main.inputs(x)
    main.outputs(above)
    done = calibrated(builder.finish())
    assert done.conforms
    form = next(f for t in done.plan.tensors if t.name == "least" for f in t.read.values() if f)
    assert float(form.scale[0]) >= 1 / 256
    assert "to keep a limit" in form.because


def test_uint8_becomes_int8_by_a_shift() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (
        main.tensor("x", (1, 8), "uint8", qparams(0.02, 120)),
        main.tensor("y", (1, 4), "uint8", qparams(0.05, 100)),
    )
    weights = np.random.default_rng(0).integers(1, 256, (4, 8)).astype(np.uint8)
    w = main.constant("w", weights, qparams(0.01, 140))
    b = main.constant("b", np.array([5, -7, 0, 100], np.int32), qparams(0.0002, 0))
    main.add("FULLY_CONNECTED", [x, w, b], [y])
    main.inputs(x)
    main.outputs(y)
    old = builder.finish()
    done = retype(old, Request())
    assert done.conforms
    graph = done.model.subgraphs[0]
    for index, before in ((graph.inputs[0], x), (graph.outputs[0], y)):
        mine, theirs = graph.tensors[index].quantization, old.subgraphs[0].tensors[before].quantization
        assert mine.scale.tobytes() == theirs.scale.tobytes()
        assert mine.zero_point.tolist() == (theirs.zero_point - 128).tolist()
    given = np.random.default_rng(1).integers(0, 256, (1, 8)).astype(np.uint8)
    ours = ReferenceInterpreter(done.model).run(graph, ((given.astype(np.int16) - 128).astype(np.int8),))[
        graph.outputs[0]
    ]
    theirs = ReferenceInterpreter(old).run(old.subgraphs[0], (given,))[y]
    assert np.abs(ours.astype(int) + 128 - theirs).max() <= 1


def test_ports_tell_where_a_tensor_is_read() -> None:
    done = calibrated(masked())
    logits = next(t for t in done.plan.tensors if t.name == "logits")
    assert set(logits.read) == {TensorUse(0, 2, "input", 0), TensorUse(0, 4, "input", 0)}


def test_only_conflicting_rules_are_named() -> None:
    """A loop passes stored integers to its next iteration, so a LOGISTIC output cannot be read as values up to 50."""
    builder = ModelBuilder()
    main, condition, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    x, y = main.tensor("x", (1, 8), "float32"), main.tensor("y", (1, 8), "float32")
    main.add("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
    main.inputs(x)
    main.outputs(y)
    given, never = (
        condition.tensor("given", (1, 8), "float32"),
        condition.constant("never", np.array([False])),
    )
    condition.inputs(given)
    condition.outputs(never)
    given, made = body.tensor("given", (1, 8), "float32"), body.tensor("made", (1, 8), "float32")
    body.add("LOGISTIC", [given], [made])
    body.inputs(given)
    body.outputs(made)
    ranges = {(0, x): (-50.0, 50.0), (0, y): (-50.0, 50.0), (2, given): (-50.0, 50.0), (2, made): (0.0, 1.0)}
    done = convert(builder.finish(), Request(), ranges)
    assert done.conforms  # the body requantizes its output
    one = groups.ScaleGroup(
        frozenset((TensorUse(0, 0, "output", 0),)), _storage("LOGISTIC"), {(0, 1): (0.0, 1.0)}
    )
    other = groups.ScaleGroup(
        frozenset((TensorUse(0, 1, "output", 0),)), _storage("TANH"), {(0, 2): (-1.0, 1.0)}
    )
    partition = groups.Partition()
    partition.add(one)
    partition.add(other)
    with pytest.raises(ConfigError) as error:
        partition.join(TensorUse(0, 0, "output", 0), TensorUse(0, 1, "output", 0), "a test")
    message = str(error.value)
    assert "LOGISTIC/output/scale (rules/litert-int8.yaml:" in message
    assert "TANH/output/scale (rules/litert-int8.yaml:" in message
    assert message.count("(rules/") == 2


def _storage(opcode: str) -> QuantSpec:
    rule = load_profile("litert-runtime").operators[opcode]
    found = quant_spec_of((r for r in rule.requirements if r.role == "output"), "int8")
    assert found is not None
    return found


def mask_computed() -> Model:
    """Return (1 - keep) * -1e9, reshaped and added to logits before a SOFTMAX, as attention masks positions."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, keep = main.tensor("x", (1, 8), "float32"), main.tensor("keep", (8,), "float32")
    left, far = main.tensor("left", (8,), "float32"), main.tensor("far", (8,), "float32")
    main.add("RELU_0_TO_1", [keep], [left])
    main.add("MUL", [left, main.constant("infinity", np.full((1,), -1e9, np.float32))], [far])
    flat, row = main.constant("row", np.array([1, 8], np.int32)), main.tensor("far row", (1, 8), "float32")
    main.add("RESHAPE", [far, flat], [row])
    logits = dense(main, x, "logits", (8, 8), 7)
    hidden, shares = main.tensor("hidden", (1, 8), "float32"), main.tensor("shares", (1, 8), "float32")
    main.add("ADD", [logits, row], [hidden])
    main.add("SOFTMAX", [hidden], [shares], beta=1.0)
    main.inputs(x, keep)
    main.outputs(shares)
    return builder.finish()


@pytest.mark.parametrize("to", ["int8", "int16x8"])
def test_computed_masks_are_clipped(to: str) -> None:
    done = calibrated(mask_computed(), to)
    assert done.conforms
    assert [note for note in done.plan.notes if note.startswith("tensor 'far row'")]
    assert decibels(done)[0] > 25


def test_sums_of_large_values_without_a_softmax_are_not_clipped() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), "float32")
    low, small = main.tensor("low", (1, 8), "float32"), dense(main, x, "small", (8, 8), 7)
    positive = main.tensor("positive", (1, 8), "float32")
    main.add("RELU", [x], [positive])
    main.add("MUL", [positive, main.constant("factor", np.full((1,), -1e6, np.float32))], [low])
    y = main.tensor("y", (1, 8), "float32")
    main.add("ADD", [low, small], [y])
    main.inputs(x)
    main.outputs(y)
    done = calibrated(builder.finish())
    assert not done.plan.notes
    assert decibels(done)[0] > 25


def test_constants_that_float16_cannot_serve_stay() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "float32") for name in "xy")
    fine = main.constant("fine", reals(1, 1, 4, reach=1e-7))
    given = main.constant("given out", reals(2, 1, 4))
    weights = main.constant("weights", reals(3, 4, 4))
    z = main.tensor("z", (1, 4), "float32")
    main.add("FULLY_CONNECTED", [x, weights, -1], [y])
    main.add("MUL", [y, fine], [z])
    main.inputs(x)
    main.outputs(z, given)
    done = convert(builder.finish(), Request(to="float16"))
    kept = {t.name for t in done.model.subgraphs[0].tensors if t.is_constant and t.dtype == "float32"}
    assert kept == {"fine", "given out"}
    assert [d.operator for d in done.plan.operators if "'fine' is finer than float16" in d.because] == [1]
    assert [d.becomes for d in done.plan.operators] == ["float16", "float32"]
    assert min(decibels(done)) > 50


def test_a_range_beyond_float32_keeps_an_operator_real() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "float32") for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    done = convert(builder.finish(), Request(), {(0, 0): (-3e38, 3e38), (0, 1): (0.0, 3e38)})
    assert [d.because for d in done.plan.operators] == [
        "its input ranges from -3e+38 to 3e+38, further than float32 says"
    ]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_weights_stay(value: float) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, weights = main.tensor("x", (1, 4), "float32"), np.eye(4, dtype=np.float32)
    weights[2, 1] = value
    middle, y = main.tensor("middle", (1, 4), "float32"), main.tensor("y", (1, 4), "float32")
    main.add("RELU6", [x], [middle])
    main.add("FULLY_CONNECTED", [middle, main.constant("weights", weights), -1], [y])
    main.inputs(x)
    main.outputs(y)
    done = convert(builder.finish(), Request(), dict.fromkeys([(0, n) for n in range(4)], (0.0, 6.0)))
    assert [d.because for d in done.plan.operators] == [
        "",
        "its weight holds an infinity, which no scale reaches",
    ]
    assert done.conforms


def test_a_plan_nested_beyond_sense_is_refused() -> None:
    with pytest.raises(ConfigError, match="not JSON"):
        read_plan("[" * 100_000, "plan.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda plan: plan["operators"][0].update(becomes="float32"), "its tensors' forms decide"),
        (lambda plan: plan["operators"][0].update(becomes="zz"), "becomes is 'zz', not one of"),
        (lambda plan: plan["operators"][0].update(version=1 << 40), "there is no version"),
        (lambda plan: plan["tensors"].append(plan["tensors"][0]), "stands there twice"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(zero_point=[1.5]), "a whole number"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(zero_point=[1 << 70]), "a whole number"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(scale=[1e39]), "scales above 0"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(scale=[], zero_point=[]), "needs a scale"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(zero_point=[True]), "a whole number"),
        (lambda plan: plan["tensors"][0]["forms"][0].update(range=[-math.inf, 1]), "finite number"),
        (
            lambda plan: plan["tensors"][0]["forms"][0].update(scale=[1] * 7, zero_point=[0] * 7, axis=-3),
            "not as many channels as scales",
        ),
        *(
            (
                lambda plan, place=place: plan["operators"][0].update(
                    added=[{"place": place, "dtype": "int32", "scale": [1], "zero_point": [0]}]
                ),
                f"at place {place}, where none is missing",
            )
            for place in (-5, 0, 1 << 40)
        ),
    ],
)  # fmt: skip
def test_plans_edited_badly_are_refused(change: Callable[[dict], None], words: str) -> None:
    done = calibrated(masked())
    values = json.loads(plan_json(done.plan))
    change(values)
    with pytest.raises(ConfigError, match=words):
        replay(done.source, read_plan(json.dumps(values), "plan.json"), done.request)
