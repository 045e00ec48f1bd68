"""Properties that a diagnosis reports as not exercised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases.probes.probe import Probe
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Failure, Job
from litecheck.diagnosis.identification import diagnose
from litecheck.diagnosis.probe_sets import prepare_probes
from litecheck.diagnosis.properties import (
    Property,
    general,
    probed_ranges,
    properties,
    untried_operators,
    untried_properties,
)
from litecheck.diagnosis.result import ProbedRange, UntestedProperty
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.reference.registry import kernels
from litecheck.rendering.wording.property_coverage import probed_values, untested_sentence
from tests.verification.inprocess import InProcess
from tests.verification.planted import of


def test_properties_of_no_probe_are_reported() -> None:
    like = [
        {"different strides": False, "activation": "RELU", "batch": 1, "channels": 8},
        {"different strides": False, "activation": "NONE", "batch": 1, "channels": 4099},
    ]
    assert tuple(map(untested_sentence, untried_properties("CONV_2D", ["int8", "int16"], like))) == (
        "types other than int16 and int8: float32, uint8",
        "different strides",
        "activation RELU6 and RELU_N1_TO_1",
        "values other than batch 1",
        "channels above 4,099",
    )
    assert tuple((had.property, probed_values(had)) for had in probed_ranges(like)) == (
        ("different strides", "0 of 2 probes"),
        ("activation", "NONE, RELU"),
        ("batch", "1"),
        ("channels", "8 to 4,099"),
    )


def test_designed_probes_have_the_properties_of_typical_defects() -> None:
    """Earlier versions of the probes exercised none of these properties."""
    (ordinary, _) = of(InProcess(), "CONV_2D").operators
    had = {one.property: one for one in ordinary.tried}
    for peculiarity in ("different strides", "different dilations", "a window that is not square"):
        assert had[peculiarity].having
    assert had["batch"].most == 5
    assert (had["output elements"].most or 0) > 1 << 16
    missing = {name for one in ordinary.untried if one.kind == "peculiarity" for name in one.names}
    assert not {"different strides", "different dilations", "dilation"} & missing
    assert {"weights given at run time", "no bias"} <= missing


def test_sums_that_count_reach_beyond_32_channels_and_256_products() -> None:
    for group in prepare_probes(
        (), ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"], repeats=0
    ):
        like = [properties(probe) for probe in group.probes]
        fed = [one for one in like if one["inputs beside their zero points"]]
        assert max(int(one["channels of the output"]) for one in fed) > 33
        assert max(int(one["products in a sum"]) for one in fed) > 256


def test_properties_of_failed_probes_are_not_exercised() -> None:
    def instead(job: Job) -> Failure | None:
        options = job.model.subgraphs[0].operators[0].options
        different = options is not None and options.get("stride_h") != options.get("stride_w")
        return Failure(Outcome.REFUSED, "no such strides") if different else None

    (ordinary, _) = of(InProcess(instead=instead), "CONV_2D").operators
    assert sum(not one.probe.startswith("in shape") for one in ordinary.unanswered) == 3
    assert UntestedProperty("peculiarity", ("different strides",)) in ordinary.untried
    assert ordinary.conclusion == "identified"


@pytest.mark.parametrize(
    ("repeats", "message"), [(600, "fewer than 1 of 200 inferences"), (0, "again and again")]
)
def test_the_number_of_repeated_inputs_is_reported(repeats: int, message: str) -> None:
    assert any(message in untested_sentence(one) for one in general(repeats))
    found = diagnose(InProcess(), prepare_probes((), ["RELU"], repeats=repeats and 9))
    assert any(("1 of 3 " if repeats else message) in untested_sentence(one) for one in found.untried)


def convolution(weight: tuple[int, ...] = (6, 3, 2, 2), bias: str = "constant", **options: Option) -> Probe:
    """Return a CONV_2D of an input (2, 8, 8, 4) with two runs."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (2, 8, 8, 4), "int8", qparams(0.5, 3))
    w = graph.constant("w", np.zeros(weight, np.int8), qparams([0.25] * 6))
    inputs = [x, w]
    if bias == "constant":
        inputs.append(graph.constant("b", np.zeros(6, np.int32), qparams([0.125] * 6)))
    y = graph.tensor("y", (2, 8, 8, 6), "int8", qparams(1.5, 0))
    graph.add("CONV_2D", inputs, [y], **{"stride_h": 1, "stride_w": 1, **options})
    graph.inputs(x)
    graph.outputs(y)
    runs = ((np.full((2, 8, 8, 4), 3, np.int8),),) * 2
    return Probe("p", "CONV_2D", builder.finish(), runs)


def test_properties_of_a_convolution() -> None:
    assert dict(properties(convolution())) == {
        "different strides": False,
        "a window that is not square": True,
        "uneven vertical padding": False,
        "uneven horizontal padding": True,
        "different dilations": False,
        "dilation": False,
        "weights given at run time": False,
        "one weight scale for all channels": False,
        "no bias": False,
        "a bias given at run time": False,
        "scales that are powers of two": False,
        "inputs beside their zero points": False,
        "several inferences": False,
        "activation": "NONE",
        "padding": "SAME",
        "window height": 3,
        "window width": 2,
        "vertical stride": 1,
        "horizontal stride": 1,
        "products in a sum": 12,
        "vertical dilation": 1,
        "horizontal dilation": 1,
        "output elements": 768,
        "input elements": 512,
        "channels of the output": 6,
        "batch": 2,
        "rows of the output": 8,
        "columns of the output": 8,
        "channels of the input": 4,
        "groups": 2,
    }


@pytest.mark.parametrize(
    ("probe", "changed"),
    [
        (convolution(stride_w=2), {"different strides": True, "horizontal stride": 2, "uneven horizontal padding": False}),
        (convolution((6, 3, 3, 4)),
         {"a window that is not square": False, "window width": 3, "products in a sum": 36, "groups": 1,
          "uneven horizontal padding": False}),
        (convolution((6, 3, 2, 8)), {"products in a sum": 48, "groups": 1}),
        (convolution(dilation_h_factor=2, dilation_w_factor=3),
         {"different dilations": True, "dilation": True, "vertical dilation": 2, "horizontal dilation": 3}),
        (convolution(dilation_h_factor=2, dilation_w_factor=2),
         {"dilation": True, "vertical dilation": 2, "horizontal dilation": 2, "uneven horizontal padding": False}),
        (convolution(bias="absent"), {"no bias": True}),
        (convolution(padding="VALID", fused_activation_function="RELU6"),
         {"activation": "RELU6", "padding": "VALID", "uneven horizontal padding": False}),
        (replace(convolution(), order=(0, 1, 0)), {"several inferences": True}),
        (replace(convolution(), runs=((np.full((2, 8, 8, 4), 4, np.int8),),)), {"inputs beside their zero points": True}),
    ],
)  # fmt: skip
def test_properties_that_change(probe: Probe, changed: dict[str, Property]) -> None:
    usual, found = properties(convolution()), properties(probe)
    assert {name: value for name, value in found.items() if value != usual[name]} == changed


def sum_of_two(
    left: tuple[int, ...], right: tuple[int, ...], scale: float = 0.5, variable: bool = False
) -> Probe:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", left, "int8", qparams(scale, 3))
    y = graph.tensor("y", right, "int8", qparams(0.25, 0), is_variable=variable)
    z = graph.tensor("z", left, "int8", qparams(0.125, 0))
    graph.add("ADD", [x, y], [z])
    graph.inputs(*([x] if variable else [x, y]))
    graph.outputs(z)
    runs = ((np.full(left, 3, np.int8), *([] if variable else [np.zeros(right, np.int8)])),)
    return Probe("p", "ADD", builder.finish(), runs, series=variable)


def test_properties_of_a_sum() -> None:
    assert dict(properties(sum_of_two((2, 6), (6,)))) == {
        "operands of different shapes": True,
        "scales that are powers of two": True,
        "inputs beside their zero points": False,
        "several inferences": False,
        "activation": "NONE",
        "output elements": 12,
        "input elements": 12,
        "channels of the output": 6,
        "batch": 2,
    }
    same = properties(sum_of_two((6,), (6,), 0.3))
    assert (same["operands of different shapes"], same["scales that are powers of two"]) == (False, False)
    assert "batch" not in same
    kept = properties(sum_of_two((2, 6), (2, 6), variable=True))
    assert kept["state kept between inferences"] is True
    assert "operands of different shapes" not in kept


@pytest.mark.parametrize(("axes", "count"), [([1, 2], 289), ([3], 2), ([0, 1, 2, 3], 1156)])
def test_values_per_output_of_a_reduction(axes: list[int], count: int) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (2, 17, 17, 2), "int8", qparams(0.125))
    shape = tuple(1 if n in axes else size for n, size in enumerate((2, 17, 17, 2)))
    y = graph.tensor("y", shape, "int8", qparams(0.125))
    graph.add("MEAN", [x, graph.constant("axis", np.array(axes, np.int32))], [y], keep_dims=True)
    graph.inputs(x)
    graph.outputs(y)
    probe = Probe("p", "MEAN", builder.finish(), ((np.zeros((2, 17, 17, 2), np.int8),),))
    assert properties(probe)["values per output"] == count


def test_ranges_of_properties() -> None:
    found = probed_ranges(
        [{"a": True, "w": "x", "n": 3}, {"a": False, "n": 7}, {"a": True, "w": "b", "n": 5}, {"w": "x"}]
    )
    assert found == (
        ProbedRange("a", 3, having=2),
        ProbedRange("w", 3, words=("b", "x")),
        ProbedRange("n", 3, 3, 7),
    )


@pytest.mark.parametrize(
    ("probes", "missing"),
    [
        ([{"dilation": False}], [UntestedProperty("peculiarity", ("dilation",))]),
        ([{"dilation": False}, {"dilation": True}], []),
        ([{"several inferences": False, "inputs beside their zero points": False}], []),
        ([{"padding": "SAME"}], [UntestedProperty("words", ("VALID",), of="padding")]),
        ([{"padding": "SAME"}, {"padding": "VALID"}], []),
        ([{"padding": "7"}], []),
        ([{"batch": 2, "groups": 1}, {"batch": 2, "groups": 4}, {"batch": 2, "groups": 3}],
         [UntestedProperty("one value", ("batch",), (2,)), UntestedProperty("larger", ("groups",), (4,))]),
        ([], []),
    ],
)  # fmt: skip
def test_values_that_no_probe_had(probes: list[dict[str, Property]], missing: list[UntestedProperty]) -> None:
    known = {t for kernel in kernels()["CONV_2D"] for t in kernel.types if isinstance(t, str)}
    assert list(untried_properties("CONV_2D", known, probes)) == missing


def test_types_that_no_probe_had() -> None:
    assert untried_properties("NOTHING", ["int8"], []) == ()
    (types,) = untried_properties("ABS", ["int8"], [])
    assert (types.kind, types.beside) == ("types", ("int8",))
    assert "int8" not in types.names
    assert list(types.names) == sorted(types.names)


@pytest.mark.parametrize(
    ("repeats", "last"),
    [
        (0, UntestedProperty("repetition")),
        (1, UntestedProperty("rarer", numbers=(1,))),
        (5, UntestedProperty("rarer", numbers=(1,))),
        (6, UntestedProperty("rarer", numbers=(2,))),
        (600, UntestedProperty("rarer", numbers=(200,))),
    ],
)
def test_limits_of_every_diagnosis(repeats: int, last: UntestedProperty) -> None:
    """n inferences without a fault leave a chance of 5 % for a rate of 3 in n."""
    assert list(general(repeats)) == [
        UntestedProperty("graphs"),
        UntestedProperty("threads"),
        UntestedProperty("shapes"),
        last,
    ]


def test_operators_that_were_left_out() -> None:
    assert list(untried_operators("m", [])) == []
    assert list(untried_operators("m", ["RELU", "ADD", "RELU"])) == [
        UntestedProperty("operators", ("ADD", "RELU"), (1, 2), of="m")
    ]


def test_inputs_and_axis_of_a_concatenation_and_the_depth_multiplier() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = [graph.tensor(f"x{n}", (1, 2, 3), "int8", qparams(0.125)) for n in range(5)]
    y = graph.tensor("y", (1, 2, 15), "int8", qparams(0.125))
    graph.add("CONCATENATION", given, [y], axis=-1)
    graph.inputs(*given)
    graph.outputs(y)
    runs = (tuple(np.zeros((1, 2, 3), np.int8) for _ in given),)
    found = properties(Probe("p", "CONCATENATION", builder.finish(), runs))
    assert (found["inputs"], found["an axis below 0"]) == (5, True)
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 4, 4, 3), "int8", qparams(0.125))
    w = graph.constant("w", np.ones((1, 1, 1, 6), np.int8), qparams([0.5] * 6, axis=3))
    y = graph.tensor("y", (1, 4, 4, 6), "int8", qparams(0.125))
    graph.add("DEPTHWISE_CONV_2D", [x, w], [y], stride_h=1, stride_w=1, depth_multiplier=2)
    graph.inputs(x)
    graph.outputs(y)
    found = properties(
        Probe("p", "DEPTHWISE_CONV_2D", builder.finish(), ((np.zeros((1, 4, 4, 3), np.int8),),))
    )
    assert found["depth multiplier"] == 2
