"""Properties of no operator of a model are reported by kind; a property of a single operator is not missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from litecheck.cases.variable_state import TriedSeries
from litecheck.data import rules_dir
from litecheck.devices.outcome import Outcome
from litecheck.errors import ProfileError
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.operators import traits_of
from litecheck.reference.registry import kernels
from litecheck.verification import coverage_gaps as module
from litecheck.verification.coverage_gaps import MEASURES, coverage_gaps, parameters
from litecheck.verification.result import Verdict

Q = qparams(0.05, 3)


def conv(
    graph: SubgraphBuilder, batch: int = 1, window: tuple[int, int] = (3, 3), stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1), depth: int = 8, channels: int = 8, padding: str = "SAME", bias: bool = True,
    groups: int = 1, side: int = 12, scales: int = 1,
) -> None:  # fmt: skip
    x = graph.tensor("x", (batch, side, 12, depth), "int8", Q)
    kernel = np.ones((channels, *window, depth // groups), np.int8)
    scale = np.full(channels, 0.01, np.float32) if scales > 1 else 0.01
    operands = [x, graph.constant("w", kernel, qparams(scale))]
    if bias:
        operands.append(graph.constant("b", np.zeros(channels, np.int32), qparams(scale)))
    size = [-(-n // s) for n, s in zip((side, 12), stride, strict=True)]
    y = graph.tensor("y", (batch, *size, channels), "int8", Q)
    graph.add(
        "CONV_2D", operands, [y], version=3, padding=padding, stride_h=stride[0], stride_w=stride[1],
        dilation_h_factor=dilation[0], dilation_w_factor=dilation[1],
    )  # fmt: skip


def model(*several: dict) -> Model:
    builder = ModelBuilder()
    graph = builder.subgraph()
    for more in several:
        conv(graph, **more)
    return builder.finish()


def missing(made: Model, outcome: Outcome = Outcome.EXACT) -> tuple[str, ...]:
    verdicts = [
        Verdict(f"{op.index:04d}", 0, (op.index,), (op.opcode,), "y", outcome)
        for op in made.subgraphs[0].operators
    ]
    return next((kind.parameters for kind in coverage_gaps(made, verdicts)), ())


#: Properties of a second convolution that the first, plain convolution lacks, and the words that disappear with them.
CHANGES = {
    "batch above 1": {"batch": 2},
    "non-square inputs": {"side": 9},
    "1x1 windows": {"window": (1, 1)},
    "non-square windows": {"window": (1, 3)},
    "equal strides above 1": {"stride": (2, 2)},
    "unequal strides": {"stride": (1, 2)},
    "dilation": {"dilation": (2, 2)},
    "unequal dilation": {"dilation": (1, 2)},
    "VALID": {"padding": "VALID"},
    "groups": {"groups": 2},
    "no bias": {"bias": False},
    "per-channel weight scales": {"scales": 8},
    "sums of more than 256 products": {"depth": 32},
    "more than 32 channels": {"channels": 33},
    "more than 65,536 outputs": {"channels": 8, "side": 700},
}


@pytest.mark.parametrize("words", CHANGES)
def test_a_property_of_one_operator_is_not_missing(words: str) -> None:
    before = missing(model({}))
    assert words in before
    after = missing(model({}, CHANGES[words]))
    gone = set(before) - set(after)
    assert words in gone
    assert set(after) <= set(before)
    also = {"non-square inputs"} if "side" in CHANGES[words] else set()
    assert gone - {words} <= also


def test_a_side_of_length_1_is_not_dilated() -> None:
    assert "unequal dilation" in missing(model({"window": (1, 1), "dilation": (1, 2)}))
    assert "dilation" in missing(model({"window": (1, 1), "dilation": (2, 2)}))


def test_only_properties_of_delegated_operators_count() -> None:
    assert "batch above 1" not in missing(model({"batch": 2}))
    assert missing(model({"batch": 2}), Outcome.NOT_DELEGATED) == ()
    assert missing(model({"batch": 2}), Outcome.NO_REFERENCE) == ()


def test_state_not_exercised_is_in_the_verdict() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y = (graph.tensor(name, (1, 4), "int8", Q) for name in "xy")
    graph.add("SVDF", [x, -1, -1, -1, -1], [y], rank=1)
    made = builder.finish()
    verdict = Verdict("0000", 0, (0,), ("SVDF",), "y", Outcome.INITIAL_ONLY)

    def words(memory: TriedSeries | None) -> tuple[str, ...]:
        return coverage_gaps(made, [replace(verdict, memory=memory)])[0].parameters

    assert words(None)[-2:] == (
        "state passed between inferences",
        "states initialized to the limits of their type",
    )
    assert words(TriedSeries(3, 4))[-1:] == ("states initialized to the limits of their type",)
    assert "states initialized to the limits of their type" not in words(TriedSeries(3, 4, begun=True))


def test_every_parameter_is_measured_and_every_measure_named_once() -> None:
    assert [p.name for p in parameters()] == list(dict.fromkeys(p.name for p in parameters()))
    assert {p.name for p in parameters()} == {*MEASURES, "memory"}
    known = set(kernels())
    assert {opcode for p in parameters() for opcode in p.operators} <= known


def test_a_parameter_without_a_measurement_is_an_error(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (rules_dir() / "verify" / "parameters.yaml").read_text()
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "parameters.yaml").write_text(text.replace("  batch:", "  butch:"))
    monkeypatch.setattr(module, "rules_dir", lambda: tmp_path)
    parameters.cache_clear()
    with pytest.raises(ProfileError, match="butch"):
        parameters()
    parameters.cache_clear()


@pytest.mark.parametrize(
    ("measure", "opcode", "shapes", "options", "words"),
    [
        ("corners", "RESIZE_BILINEAR", [(1, 4, 4, 1)], {}, ["plain"]),
        ("corners", "RESIZE_BILINEAR", [(1, 4, 4, 1)], {"align_corners": True}, ["aligned"]),
        ("corners", "RESIZE_BILINEAR", [(1, 4, 4, 1)], {"half_pixel_centers": True}, ["half"]),
        ("shapes", "ADD", [(2, 3), (2, 3)], {}, ["alike"]),
        ("shapes", "ADD", [(2, 3), (1, 1)], {}, ["one"]),
        ("shapes", "ADD", [(2, 3), (3,)], {}, ["other"]),
        ("shapes", "RELU", [(2, 3)], {}, []),
        ("batch", "RELU", [(1, 3)], {}, ["one"]),
        ("batch", "RELU", [(3,)], {}, []),
        ("image", "RELU", [(1, 1, 1, 3)], {}, ["one"]),
        ("image", "RELU", [(1, 2, 2, 3)], {}, ["equal"]),
        ("image", "RELU", [(1, 2, 1, 3)], {}, ["unequal"]),
        ("image", "RELU", [(2, 2)], {}, []),
        ("constant_operand", "ADD", [(2, 3), (2, 3)], {}, ["no"]),
        ("zero_point", "RELU", [(2, 3)], {}, ["other"]),
        ("axis", "CONCATENATION", [(2, 3)], {"axis": -1}, ["negative"]),
        ("axis", "PACK", [(2, 3)], {"values_count": 1, "axis": 0}, ["other"]),
        ("axis", "SQUEEZE", [(1, 3, 1)], {"squeeze_dims": [0, -1]}, ["negative", "other"]),
        ("masks", "STRIDED_SLICE", [(2, 3)], {"end_mask": 2, "shrink_axis_mask": 1}, ["end", "shrink_axis"]),
        ("sides", "SELECT_V2", [(2, 3), (3,), (2, 3)], {}, ["on_true"]),
        ("padding", "MAX_POOL_2D", [(1, 4, 4, 1)], {"padding": "VALID"}, ["VALID"]),
    ],
)
def test_words_of_a_measure(
    measure: str, opcode: str, shapes: list[tuple[int, ...]], options: dict[str, Any], words: list[str]
) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    inputs = [graph.tensor(f"x{n}", shape, "int8", Q) for n, shape in enumerate(shapes)]
    graph.add(opcode, inputs, [graph.tensor("y", shapes[0], "int8", Q)], **options)
    made = builder.finish()
    main, operator = made.subgraphs[0], made.subgraphs[0].operators[0]
    roles = {role: (main.tensors[i],) for role, i in traits_of(operator.kind).tensors(operator).items()}
    operands = Operands(operator, roles, main, made)
    assert MEASURES[measure](operands) == words


@pytest.mark.parametrize(
    ("measure", "begin", "strides", "words"),
    [
        ("steps", [0, 2], [1, -2], ["backward", "one"]),
        ("steps", [0, 0], [3, 2], ["more"]),
        ("indices", [0, -1], [1, 1], ["negative"]),
        ("indices", [0, 1], [1, 1], ["other"]),
    ],
)
def test_words_of_constants(measure: str, begin: list[int], strides: list[int], words: list[str]) -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    values = {"begin": begin, "end": [2, 3], "strides": strides}
    constants = [graph.constant(name, np.array(value, np.int32)) for name, value in values.items()]
    graph.add(
        "STRIDED_SLICE",
        [graph.tensor("x", (2, 3), "int8", Q), *constants],
        [graph.tensor("y", (2, 3), "int8", Q)],
    )
    made = builder.finish()
    main, operator = made.subgraphs[0], made.subgraphs[0].operators[0]
    roles = {role: (main.tensors[i],) for role, i in traits_of(operator.kind).tensors(operator).items()}
    assert MEASURES[measure](Operands(operator, roles, main, made)) == words
