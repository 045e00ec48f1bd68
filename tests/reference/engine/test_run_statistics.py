"""Statistics of a tensor for ``--statistics``."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.quantization import Quantization
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.run_statistics import Recorder, Statistics, statistics


def of(values: np.ndarray, dtype: str, quantization: Quantization | None = None) -> Statistics:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1,), dtype), main.tensor("y", values.shape, dtype, quantization)
    main.add("RELU", [x], [y])
    subgraph = builder.finish().subgraphs[0]
    (found,) = statistics(subgraph, subgraph.operators[0], (values,))
    return found


def test_an_int8_tensor() -> None:
    found = of(np.array([[-128, -128, 0, 127]], np.int8), "int8", qparams(0.5, -28))
    assert (found.low, found.high, found.real_low, found.real_high) == (-128, 127, -50.0, 77.5)
    assert (found.at_low, found.at_high, found.saturation) == (2, 1, (0.5, 0.25))
    assert (found.used, found.codes, found.unused) == (3, 256, 253)
    assert (found.operator, found.name, found.shape, found.size) == ("RELU #0", "y", (1, 4), 4)


def test_limits_of_int4_and_int16() -> None:
    narrow = of(np.array([-8, 7, 7], np.int8), "int4", qparams(1.0))
    assert (narrow.at_low, narrow.at_high, narrow.codes) == (1, 2, 16)
    wide = of(np.array([-32768, 5], np.int16), "int16", qparams(1.0))
    assert (wide.at_low, wide.at_high, wide.unused) == (1, 0, 65534)


def test_reals_and_wide_integers_have_no_limits() -> None:
    real = of(np.array([1.5, np.nan, np.inf, -2], np.float32), "float32")
    assert (real.low, real.high, real.not_finite, real.saturation, real.unused) == (-2.0, 1.5, 2, None, None)
    whole = of(np.array([3, 9], np.int32), "int32")
    assert (whole.low, whole.high, whole.real_low, whole.codes) == (3, 9, None, None)


def test_empty_tensors_have_no_statistics() -> None:
    assert of(np.empty((0, 3), np.int8), "int8", qparams(1.0)).low is None
    assert of(np.array([np.nan], np.float32), "float32").high is None
    assert of(np.array([True]), "bool").saturation is None


def test_a_recorder_counts_operators_and_reports_each() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y, z = (main.tensor(name, (2,), "int8", qparams(0.5)) for name in "xyz")
    main.add("RELU", [x], [y])
    main.add("RELU6", [y], [z])
    main.inputs(x)
    main.outputs(z)
    model = builder.finish()
    reported: list[str] = []
    recorders = Recorder(entry(model), True, reported.append), Recorder(entry(model))
    for operator in model.subgraphs[0].operators:
        for recorder in recorders:
            recorder(operator, (np.array([1, 2], np.int8),))
    assert [recorder.operators for recorder in recorders] == [2, 2]
    assert [[s.name for s in recorder.statistics] for recorder in recorders] == [["y", "z"], []]
    assert reported == ["RELU #0", "RELU6 #1"]
