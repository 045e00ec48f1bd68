"""Values that are not finite: the first sample and the first tensor are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.conversion.calibration.finite_values import check_finite, execution_order, first_not_finite
from litecheck.conversion.calibration.statistics import (
    CalibrationError,
    CalibrationStatistics,
    NotFinite,
    statistics_of,
)
from litecheck.model.edit import SubgraphEditor
from tests.conversion.calibration import networks


def test_the_first_sample_counts_then_the_first_operator() -> None:
    model = networks.layered()
    late, early = (statistics_of(np.float32([np.nan]), sample) for sample in (4, 1))
    fine = statistics_of(np.float32([1]))
    # Tensor 3 is conv, 4 squared, 6 moved.
    statistics = CalibrationStatistics({(0, 3): late, (0, 6): early, (0, 4): early, (0, 0): fine}, 5, "", "")
    assert first_not_finite(statistics, model) == ((0, 4), NotFinite(1, "nan"))
    with pytest.raises(CalibrationError, match="sample 1 makes tensor 4 'squared' hold a NaN"):
        check_finite(statistics, model)
    with pytest.raises(CalibrationError, match=r"^file 1\.png makes"):
        check_finite(statistics, model, "file {}.png".format)
    check_finite(CalibrationStatistics({(0, 0): fine}, 5, "", ""), model)


def test_a_nan_takes_precedence_over_an_earlier_infinity() -> None:
    infinite, spoiled = (statistics_of(np.float32([value]), n) for n, value in ((0, np.inf), (3, np.nan)))
    assert infinite.merge(spoiled).not_finite == spoiled.merge(infinite).not_finite == NotFinite(3, "nan")
    statistics = CalibrationStatistics({(0, 3): infinite, (0, 4): spoiled}, 5, "", "")
    assert first_not_finite(statistics, networks.layered()) == ((0, 4), NotFinite(3, "nan"))


def test_an_infinite_input_is_named_before_the_nan_that_it_causes() -> None:
    model = networks.layered()
    infinite, spoiled = (statistics_of(np.float32([value]), 3) for value in (np.inf, np.nan))
    (given,) = model.subgraphs[0].inputs
    name = model.subgraphs[0].tensors[given].name
    statistics = CalibrationStatistics({(0, given): infinite, (0, 4): spoiled}, 5, "", "")
    with pytest.raises(
        CalibrationError, match=f"^sample 3: input '{name}' holds an infinity, and tensor 4 a NaN$"
    ):
        check_finite(statistics, model)


def test_tensors_of_a_body_are_ordered_at_its_call() -> None:
    order = execution_order(networks.looping())
    main = [order.index((0, index)) for index in range(5)]
    body = [order.index((2, index)) for index in range(5)]
    assert main[1] < min(body) < max(body) < main[2]
    assert body == sorted(body)


@pytest.mark.parametrize(("value", "held"), [(np.inf, "an infinity"), (np.nan, "a NaN")])
def test_a_constant_is_named_before_the_samples(value: float, held: str) -> None:
    model = networks.layered()
    main = model.subgraphs[0]
    (bias,) = (t.index for t in main.tensors if t.name == "bias")
    editor = SubgraphEditor(main)
    editor.set_tensor(bias, data=np.float32([0, value, 0, 0]).view(np.uint8))
    model = replace(model, subgraphs=(editor.finish()[0],))
    statistics = CalibrationStatistics({(0, 3): statistics_of(np.float32([np.nan]), 2)}, 5, "", "")
    words = f"^constant 'bias' of CONV_2D #0 holds {held}, and in sample 2 tensor 3 holds a NaN$"
    with pytest.raises(CalibrationError, match=words):
        check_finite(statistics, model)
