"""Arrays made to fit inputs: axes of samples and sequences, types, keys of inputs, and chains of samples."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.calibration.samples import (
    Fitting,
    Sample,
    fitting,
    input_names,
    input_values,
    make_chain,
    sample_of,
)
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.reference.engine.entry_point import entry


def model(*shapes: tuple[int, ...], dtype: str = "float32", signed: bool = False) -> Model:
    """Return a model with inputs ``x``, ``y`` ... of these shapes; -1 is an open dimension."""
    builder = ModelBuilder()
    main = builder.subgraph()
    inputs = [
        main.tensor(
            name, tuple(max(1, n) for n in shape), dtype, shape_signature=shape if -1 in shape else None
        )
        for name, shape in zip(("x", "y", "z"), shapes, strict=False)
    ]
    out = main.tensor("out", (1, 3), "float32")
    main.add("ADD", [inputs[0], inputs[-1]], [out])
    main.inputs(*inputs)
    main.outputs(out)
    if signed:
        builder.signature("serve", main, {"image": inputs[0], "mask": inputs[-1]}, {"scores": out})
    return builder.finish()


def fit(
    wanted: tuple[int, ...], given: tuple[int, ...], sequences: bool = False, single: bool = False
) -> tuple[int, bool]:
    found = fitting("f", entry(model(wanted), None), "x", given, sequences, single)
    return found.lead, found.batched


@pytest.mark.parametrize(
    ("wanted", "given", "sequences", "single", "expected"),
    [
        ((1, 3), (9, 1, 3), False, False, (1, False)),
        ((1, 3), (9, 3), False, False, (1, True)),
        ((1, 3), (1, 3), False, False, (1, True)),
        ((2, 3), (2, 3), False, False, (0, False)),
        ((2, 3), (9, 2, 3), False, False, (1, False)),
        ((-1, 3), (9, 3), False, False, (1, True)),
        ((1, -1), (9, 7), False, False, (1, True)),
        ((1, 3), (9, 5, 1, 3), True, False, (2, False)),
        ((1, 3), (9, 5, 3), True, False, (2, True)),
        ((1, 3), (1, 3), False, True, (0, False)),
        ((1, 3), (3,), False, True, (0, True)),
        ((), (9,), False, False, (1, False)),
    ],
)
def test_axes_before_a_sample(
    wanted: tuple[int, ...], given: tuple[int, ...], sequences: bool, single: bool, expected: tuple[int, bool]
) -> None:
    """The result is (samples, own shape). A first dimension of 1 may be omitted. Sequences have a further axis, a
    single sample none."""
    assert fit(wanted, given, sequences, single) == expected


@pytest.mark.parametrize(
    ("wanted", "given", "sequences", "single", "message"),
    [
        (
            (1, 3),
            (9, 4),
            False,
            False,
            r"got shape \(9, 4\), expected \(N, 3\)$",
        ),
        ((1, 3), (9, 5, 3), False, False, r"expected \(N, 3\)\. For sequences of samples, add --sequences"),
        ((2, 3), (9, 5, 2, 3), False, False, r"\(N, 2, 3\)\. For sequences of samples, add --sequences"),
        ((1, 3), (9, 3), True, False, r"got shape \(9, 3\), expected \(SEQUENCES, N, 3\)$"),
        ((1, 3), (4,), False, True, r"got shape \(4,\), expected \(1, 3\)$"),
        ((2, 3), (9, 3), False, False, r"got shape \(9, 3\), expected \(N, 2, 3\)$"),
    ],
)
def test_arrays_that_do_not_fit(
    wanted: tuple[int, ...], given: tuple[int, ...], sequences: bool, single: bool, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        fit(wanted, given, sequences, single)


def tensor(dtype: str):  # type: ignore[no-untyped-def]
    return model((2,), dtype=dtype).subgraphs[0].tensors[0]


def test_values_in_the_type_of_an_input() -> None:
    assert input_values("f", "x", tensor("float32"), np.array([1, 2])).dtype == np.float32
    scaled = input_values("f", "x", tensor("float32"), np.array([0, 255], np.uint8), (2 / 255, -1.0))
    assert (scaled.tolist(), scaled.dtype) == ([-1, 1], np.float32)
    ids = input_values("f", "x", tensor("int32"), np.array([1.0, 2.0]))
    assert (ids.tolist(), ids.dtype) == ([1, 2], np.int32)
    assert input_values("f", "x", tensor("float32"), np.array(1.5)).shape == ()
    for dtype, values, message in (
        ("int8", np.array([300]), "is int8, which does not hold int64 as given"),
        ("int32", np.array([0.5]), "is int32, which does not hold float64 as given"),
        ("int32", np.array([np.nan]), "does not hold"),
        (
            "float32",
            np.array([1], np.uint8),
            "got uint8, expected float32. State the scale: --preprocessing 1/255:0",
        ),
        ("float32", np.array(["a"]), "is float32, got <U1"),
        ("string", np.array([1]), "is string, for which there are no samples"),
    ):
        with pytest.raises(ConfigError, match=message):
            input_values("f", "x", tensor(dtype), values)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["x", "y"], {None: {"x": "x", "y": "y"}}),
        (["0", "arr_1"], {None: {"0": "x", "arr_1": "y"}}),
        (["y", "0"], {None: {"y": "y", "0": "x"}}),
    ],
)
def test_keys_of_inputs(keys: list[str], expected: dict[str | None, dict[str, str]]) -> None:
    assert input_names("f", model((1, 3), (1, 3)), None, keys) == expected


def test_keys_of_a_signature() -> None:
    signed = model((1, 3), (1, 3), signed=True)
    assert input_names("f", signed, "serve", ["image", "y"]) == {"serve": {"image": "image", "y": "mask"}}
    assert input_names("f", signed, None, ["serve/image", "mask"]) == {
        None: {"serve/image": "x", "mask": "y"}
    }


def test_one_input_may_be_called_x() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    a, b = main.tensor("a", (1, 3), "float32"), main.tensor("b", (1, 3), "float32")
    main.add("RELU", [a], [b])
    main.inputs(a)
    main.outputs(b)
    assert input_names("f", builder.finish(), None, ["x"]) == {None: {"x": "a"}}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["x"], "f: has nothing for input 'y'; it has x"),
        (["x", "y", "0"], "f: has the same input twice, among x, y, 0"),
        (["2", "x"], "f: there is no input '2'; there are x, y"),
        (["arr_9", "x"], "f: there is no input 'arr_9'"),
    ],
)
def test_keys_that_do_not_fit(keys: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        input_names("f", model((1, 3), (1, 3)), None, keys)


def test_a_chain_is_one_sample_or_a_sequence() -> None:
    one = tensor("float32")
    plain, steps = Fitting("x", one, 1, True), Fitting("x", one, 2, True)
    (sample,) = make_chain([plain], "f", [np.array([1.0, 2.0])], "serve")
    assert sample.inputs["x"].tolist() == [[1.0, 2.0]]
    assert sample.signature == "serve"
    row = make_chain([steps], "f", [np.array([[1.0], [2.0], [3.0]])], None)
    assert [s.inputs["x"].tolist() for s in row] == [[[1.0]], [[2.0]], [[3.0]]]
    with pytest.raises(ConfigError, match="f: inputs have sequences of 2 and 3 samples"):
        make_chain([steps, steps], "f", [np.zeros((2, 1)), np.zeros((3, 1))], None)


def test_one_sample_of_arrays() -> None:
    whole = model((1, 3), (1, 3))
    (sample,) = sample_of("f", whole, None, {"x": np.array([1, 2, 3]), "1": np.array([[4, 5, 6]])})
    assert {name: a.tolist() for name, a in sample.inputs.items()} == {"x": [[1, 2, 3]], "y": [[4, 5, 6]]}
    assert Sample({"x": sample.inputs["x"], "y": sample.inputs["y"]}).arrange(whole)[0] == 0
    with pytest.raises(ConfigError):
        Sample({}).arrange(whole)


def two_signatures() -> Model:
    """Return a model with the signatures ``a`` of the input ``x``, and ``b`` of the inputs ``p`` and ``q``."""
    builder = ModelBuilder()
    for key, names in (("a", ("x", "x")), ("b", ("p", "q"))):
        graph = builder.subgraph(key)
        inputs = {name: graph.tensor(f"{key} {name}", (1, 3), "float32") for name in names}
        out = graph.tensor("out", (1, 3), "float32")
        graph.add("ADD", [inputs[name] for name in names], [out])
        graph.inputs(*inputs.values())
        graph.outputs(out)
        builder.signature(key, graph, inputs, {"out": out})
    return builder.finish()


@pytest.mark.parametrize(
    ("signature", "keys", "expected"),
    [
        (None, ["a/x", "b/p", "b/q"], {None: {"a/x": "a x"}, "b": {"b/p": "p", "b/q": "q"}}),
        ("a", ["a/x", "b/p", "b/q"], {"a": {"a/x": "x"}}),
        ("b", ["a/x", "b/p", "b/q"], {"b": {"b/p": "p", "b/q": "q"}}),
        ("b", ["a/x", "p", "b/1"], {"b": {"p": "p", "b/1": "q"}}),
    ],
)
def test_a_given_signature_ignores_arrays_of_others(
    signature: str | None, keys: list[str], expected: dict[str | None, dict[str, str]]
) -> None:
    assert input_names("f", two_signatures(), signature, keys) == expected


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["b/p", "b/q"], "has nothing for input 'x'; it has b/p, b/q"),
        (["a/x", "x"], "has the same input twice, among a/x, x"),
        (["a/x", "b/r"], "there is no input 'b/r'"),
        (["a/x", "c/x"], "there is no input 'c/x'"),
    ],
)
def test_arrays_that_no_signature_explains_are_errors(keys: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        input_names("f", two_signatures(), "a", keys)
