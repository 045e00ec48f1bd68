"""Shares of the outputs' error: a faulty operator has nearly all, and the shares of a valid pair add up to 1."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.pipeline import convert_model
from litecheck.model.build import ModelBuilder
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.bench import Bench
from litecheck.tracing.error_shares import ErrorShares, output_error
from litecheck.tracing.recorded_runs import RecordedRuns
from litecheck.tracing.trace_result import Cause, Culprit
from litecheck.tracing.trace_session import trace
from tests.differential.faults import Pair, by_tensorflow, drawn
from tests.differential.planted_faults import FAULTS


@pytest.fixture(scope="module")
def residual() -> Pair:
    return by_tensorflow("residual")


def measured(pair: Pair, model: Model) -> tuple[Bench, ErrorShares]:
    found = match(pair.real, model)
    bench, runs = (
        Bench(found, found.subgraphs[0], None, "litert-reference"),
        RecordedRuns(found, "litert-reference"),
    )
    samples = []
    for (sample,) in pair.data:
        number, arrays = sample.arrange(pair.real)
        for _, real, stored in runs.run(number, arrays):
            bench.measure(real, stored)
            samples.append((real, stored))
    return bench, ErrorShares(found, bench, samples)


def shares_of(pair: Pair, model: Model) -> dict[int, float]:
    bench, shares = measured(pair, model)
    return {fed.other: shares.operator_share(fed.other) or 0.0 for fed in bench.operators}


def test_output_error() -> None:
    """Errors of 0.5 and 0 at outputs (3, 4) and (6, 8) are 0.25 of 125."""
    main = (builder := ModelBuilder()).subgraph()
    main.add("RELU", [x := main.tensor("x", (2,))], [y := main.tensor("y", (2,))])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    pairs = [
        ({y: np.array(real)}, {y: np.array(got)})
        for real, got in (((3.0, 4.0), (3.0, 4.5)), ((6.0, 8.0),) * 2)
    ]
    assert output_error(match(model, model).subgraphs[0], pairs) == pytest.approx(0.25 / 125)


@pytest.mark.parametrize("name", ["residual", "separable", "transpose_conv"])
def test_shares_of_a_sound_pair_add_up(name: str) -> None:
    """Errors that are not independent add up to a little more or less: 0.75 to 1.44 here."""
    pair = by_tensorflow(name)
    found = shares_of(pair, pair.quantized)
    assert sum(found.values()) == pytest.approx(1, abs=0.5)
    assert max(found.values()) < 0.6


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_the_faulty_operator_has_nearly_all(number: int, residual: Pair) -> None:
    main = residual.quantized.subgraphs[0]
    planted = FAULTS["weight_scales"](residual.quantized, main.operators[number], np.random.default_rng(1))
    assert planted is not None
    found = shares_of(residual, planted.model)
    assert found[number] > 0.8
    assert all(share < 0.3 for other, share in found.items() if other != number)


def culprit(operator: int, cause: Cause = "weight_scale", tensor: int = -1) -> Culprit:
    return Culprit(0, operator, "", "", cause, 9.0, "", tensor=tensor)


def test_two_faults_have_the_whole_error_together(residual: Pair) -> None:
    """Each of two faults has more than half of the error, and both at once have all of it rather than the sum."""
    model = residual.quantized
    for number in (2, 4):
        planted = FAULTS["weight_scales"](
            model, model.subgraphs[0].operators[number], np.random.default_rng(1)
        )
        assert planted is not None
        model = planted.model
    _, shares = measured(residual, model)
    alone = [shares.joint_share([culprit(number)]) or 0.0 for number in (2, 4)]
    together = shares.joint_share([culprit(2), culprit(4)]) or 0.0
    assert max(alone) < together <= 1
    assert together > 0.85
    assert together != pytest.approx(sum(alone), abs=0.01)
    assert shares.joint_share([culprit(2)]) == shares.operator_share(2)


def test_the_error_of_an_input_is_that_of_its_storage(residual: Pair) -> None:
    """An input with a range of -100..100 for values of about 1 has nearly all of the error."""
    main = residual.real.subgraphs[0]
    wide = f"{main.tensors[main.inputs[0]].name}=-100:100"
    made = convert_model(residual.real, data=(residual.data,), ranges=(wide,), inputs="int8", agreement=False)
    model = made.conversion.model
    _, shares = measured(residual, model)
    given = model.subgraphs[0].inputs[0]
    assert (shares.joint_share([culprit(0, "input_range", given)]) or 0.0) > 0.9
    assert (shares.operator_share(0) or 0.0) < 0.1


def joined(read_scores: bool) -> tuple[Model, CalibrationData]:
    """Return a model that joins 4 scores with 4 boxes that are 64 times as large; without ``read_scores``, it continues
    with a layer that nearly ignores the scores."""
    main = (builder := ModelBuilder()).subgraph()
    x = main.tensor("x", (1, 4), "float32")
    parts = []
    for name, factor in (("scores", 1.0), ("boxes", 64.0)):
        weights = main.constant(f"{name} weights", np.eye(4, dtype=np.float32) * np.float32(factor))
        parts.append(main.tensor(name, (1, 4), "float32"))
        main.add("FULLY_CONNECTED", [x, weights], [parts[-1]])
    main.add("CONCATENATION", parts, [y := main.tensor("y", (1, 8), "float32")], axis=1)
    if not read_scores:
        mixed = np.random.default_rng(2).normal(0, 1, (4, 8)).astype(np.float32)
        mixed[:, :4] *= 0.01
        main.add(
            "FULLY_CONNECTED",
            [y, main.constant("mixed", mixed)],
            [z := main.tensor("z", (1, 4), "float32")],
        )
    main.inputs(x)
    main.outputs(y if read_scores else z)
    model = builder.finish()
    return model, drawn(model, 3)


@pytest.mark.parametrize("read_scores", [True, False])
def test_a_shared_range_is_a_culprit_where_scores_reach_the_outputs(read_scores: bool) -> None:
    """Scores lose 6 bits beside boxes: nearly all of their error, and a note where hardly an output depends on them."""
    real, data = joined(read_scores)
    model = convert_model(real, data=(data,), agreement=False).conversion.model
    number = next(op.index for op in model.subgraphs[0].operators if op.opcode == "CONCATENATION")
    share = measured(Pair("joined", real, model, data), model)[1].channel_share(
        culprit(number, "shared_range")
    )
    found = trace(real, model, data=(data,), fix=False, runtime="litecheck")
    assert share is not None
    noted = [note for note in found.notes if note.startswith(f"CONCATENATION #{number}: 'scores' shares")]
    if read_scores:
        assert share > 0.9
        assert [(one.cause, one.share) for one in found.culprits] == [("shared_range", share)]
        assert noted == []
        assert found.exit_code == 1
    else:
        assert share < 0.5
        assert found.culprits == ()
        assert len(noted) == 1
        assert found.exit_code == 0
