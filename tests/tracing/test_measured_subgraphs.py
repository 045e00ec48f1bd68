"""Subgraphs: bodies of IF and WHILE and second signatures are measured, or the trace states the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import litecheck
from litecheck.conversion.calibration.calibration_data import spread_samples
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.pipeline import convert_model
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.tracing.error_shares import output_error
from litecheck.tracing.measured_subgraphs import measure_subgraphs
from litecheck.tracing.recorded_runs import RecordedRuns
from litecheck.tracing.trace_result import Trace
from tests.conversion.samples import samples
from tests.differential.faults import by_tensorflow

CONVERT = Path(__file__).resolve().parents[2] / "fixtures" / "convert"


def _traced(real: Model, quantized: Model, data: CalibrationData) -> Trace:
    return litecheck.trace(real, quantized, data=(data,), fix=False, runtime="litecheck")


@pytest.fixture(scope="module")
def loop() -> tuple[Model, Model, CalibrationData]:
    real = load_model(CONVERT / "lstm_while.tflite")
    (alias, index), *_ = real.signatures[0].inputs
    name = real.subgraphs[0].tensors[index].name
    chains = [(Sample({name: sample[alias]}),) for sample in samples("lstm_while")[:4]]
    data = CalibrationData(lambda: iter(chains), "samples", 4)
    return real, convert_model(real, data=(data,), agreement=False).conversion.model, data


def test_the_samples_with_the_largest_errors_are_kept() -> None:
    pair = by_tensorflow("residual")
    found = match(pair.real, pair.quantized)
    both = RecordedRuns(found, "litert-reference")
    runs = [sample.arrange(pair.real) for chain in pair.data for sample in chain]
    errors = [output_error(found.subgraphs[0], [call[1:]]) for run in runs for call in both.run(*run)]
    made = measure_subgraphs(
        found, None, both, runs, (errors.index(max(errors)),), len(runs), lambda done: None
    )
    kept = [output_error(found.subgraphs[0], [one]) for one in made.worst[0]]
    assert kept == sorted(errors, reverse=True)[1:5]


def test_the_body_of_a_loop_is_measured(loop: tuple[Model, Model, CalibrationData]) -> None:
    found = _traced(*loop)
    body = [row for row in found.operators if row.subgraph == 2]
    assert {row.opcode for row in body} >= {"FULLY_CONNECTED", "LOGISTIC", "TANH"}
    assert all((row.accumulated_snr or 0) > 20 and (row.alone_snr or 0) > 30 for row in body)
    assert (found.culprits, found.notes) == ((), ())


def test_a_fault_in_the_body_is_named(loop: tuple[Model, Model, CalibrationData]) -> None:
    real, quantized, data = loop
    body = quantized.subgraphs[2]
    number = next(op.index for op in body.operators if op.opcode == "FULLY_CONNECTED")
    editor, weight = SubgraphEditor(body), body.tensors[body.operators[number].inputs[1]]
    q = weight.quantization
    editor.set_tensor(weight.index, quantization=Quantization(q.scale * np.float32(3), q.zero_point, q.axis))
    graphs = [editor.finish()[0] if s.index == 2 else s for s in quantized.subgraphs]
    first = _traced(real, with_subgraphs(quantized, graphs), data).culprits[0]
    assert (first.subgraph, first.operator, first.cause) == (2, number, "weight_scale")
    assert first.share is None


def test_a_branch_that_no_sample_takes(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, signal=np.ones((2, 1, 8), np.float32))
    found = litecheck.trace(
        CONVERT / "branches.tflite", CONVERT / "branches_int8.tflite", data=(str(path),), fix=False
    )
    run = {row.subgraph for row in found.operators}
    told = [note for note in found.notes if note.endswith("is not measured: none of the samples runs it")]
    assert 0 in run
    assert len(told) == 1


def two_entries() -> Model:
    builder = ModelBuilder()
    for name in ("first", "second"):
        graph = builder.subgraph(name)
        x, y = (graph.tensor(f"{name}_{end}", (1, 4), "float32") for end in "xy")
        weight = graph.constant("weight", np.arange(16, dtype=np.float32).reshape(4, 4) / 9)
        graph.add("FULLY_CONNECTED", [x, weight, -1], [y])
        graph.inputs(x)
        graph.outputs(y)
        builder.signature(name, graph, {"x": x}, {"y": y})
    return builder.finish()


@pytest.mark.parametrize(
    ("names", "measured", "notes"),
    [
        (
            ("first",),
            [0],
            ("subgraph 1 is not measured: no samples of signature 'second': name the arrays second/INPUT",),
        ),
        (("first", "second"), [0, 1], ()),
    ],
)
def test_signatures(
    names: tuple[str, ...], measured: list[int], notes: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "x.npz"
    arrays = np.random.default_rng(0).uniform(-1, 1, (3, 1, 4)).astype(np.float32)
    np.savez(path, **{f"{name}/x": arrays for name in names})
    model = two_entries()
    every = tmp_path / "every.npz"
    np.savez(every, **{"first/x": arrays, "second/x": arrays})
    quantized = convert_model(model, data=(str(every),), agreement=False).conversion.model
    found = litecheck.trace(model, quantized, data=(str(path),), fix=False)
    assert [row.subgraph for row in found.operators] == measured
    assert len(found.outputs) == len(measured)
    assert found.notes == notes


@pytest.mark.parametrize(
    ("total", "left_out", "most", "numbers"),
    [
        (64, (), 4, {0, 16, 32, 48}),
        (64, {16}, 4, {0, 15, 32, 48}),
        (3, {1}, 4, {0, 2}),
        (None, (), 4, {0, 1, 2, 3}),
        (None, {2}, 4, {0, 1, 3, 4}),
    ],
)
def test_kept_samples_are_spread(total: int | None, left_out: set[int], most: int, numbers: set[int]) -> None:
    assert spread_samples(total, left_out, most) == numbers
