"""Several inferences computed as a batch, compared with separate computations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.inputs import draw_stimuli
from litecheck.cases.merged_inferences import outputs_of, together
from litecheck.cases.model_parts import Case
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.operators import operator_names, traits_of
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import slots_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.registry import kernels
from litecheck.reference.runtime_tensors import RunError
from tests.delegate.specimens import specimen

REFERENCE = load_arithmetic("litert-reference")
ELEMENTWISE = [name for name in operator_names() if traits_of(name).elementwise and name in kernels()]
#: Inferences of these shapes are computed as a batch; 16 elements fill the longest vectors.
WHOLE, BROKEN = (2, 1, 24), (1, 21)


def case_of(opcode: str, dtype: str, shape: tuple[int, ...], times: float = 0.0) -> Case:
    """Return an operator with all its inputs; zero points of 8-bit types differ from 0.

    With ``times``, scales are powers of two, and the output scale is ``times`` the scale of the first input.
    """
    facts, builder = traits_of(opcode), ModelBuilder()
    main = builder.subgraph()
    scales = (0.125, 0.25) if times else (0.031, 0.047) if dtype != "int16" else (2**-11, 2**-12)
    inputs = [
        main.tensor(f"x{n}", shape, dtype, qparams(scale, 0 if dtype == "int16" else 3))
        for n, scale in zip(range(len(facts.inputs)), scales, strict=False)
    ]
    output = main.tensor(
        "y", shape, dtype, qparams(scales[0] * (times or 1.7), 0 if dtype == "int16" else -5)
    )
    main.add(opcode, inputs, [output], version=facts.version)
    main.inputs(*inputs)
    main.outputs(output)
    model = builder.finish()
    return next(model_parts.operators(model, model.subgraphs[0]))


def variants(case: Case) -> Iterator[Arithmetic]:
    """Yield the reference arithmetic, and its copies with another variant in a step of the operator."""
    main, opcode = case.submodel.model.subgraphs[0], case.operators[0].opcode
    own = REFERENCE.variants(opcode)
    yield REFERENCE
    for cell in slots_of(main, main.operators[0]):
        for variant in cell.others(own):
            yield replace(REFERENCE, stages={**REFERENCE.stages, opcode: {**own, cell.path: variant}})


@pytest.mark.parametrize("shape", [WHOLE, BROKEN], ids=["whole vectors", "some elements left"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("opcode", ELEMENTWISE)
def test_a_batch_equals_separate_inferences_under_each_variant(
    opcode: str, dtype: str, shape: tuple[int, ...]
) -> None:
    gives_the_same(case_of(opcode, dtype, shape), 9)
    if shape == BROKEN:
        gives_the_same(case_of(opcode, dtype, shape, 4.0), 12)  # ties
        gives_the_same(case_of(opcode, dtype, shape, 2.0**-12), 2)  # beyond 16 bits


def gives_the_same(case: Case, count: int) -> None:
    main = case.submodel.model.subgraphs[0]
    several = [stimulus.arrays for stimulus in draw_stimuli(case, {}, 0, count)]
    try:
        every = list(variants(case))
    except RunError:
        every = []  # no kernel for the type
    for arithmetic in every:
        one = ReferenceInterpreter(case.submodel.model, arithmetic)
        try:
            apart = [one.run(main, arrays)[main.outputs[0]] for arrays in several]
        except RunError:
            continue
        joined = list(outputs_of(ReferenceInterpreter(case.submodel.model, arithmetic), several))
        for (made,), wanted in zip(joined, apart, strict=True):
            assert made.dtype == wanted.dtype
            np.testing.assert_array_equal(made, wanted)


def test_inferences_are_joined_if_vectors_are_full_or_positions_do_not_matter() -> None:
    assert together(case_of("LEAKY_RELU", "int8", BROKEN).submodel.model) > 1000
    assert together(case_of("ADD", "int8", WHOLE).submodel.model) > 1000
    assert together(case_of("ADD", "int16", BROKEN).submodel.model) == 1
    assert together(case_of("ADD", "int8", (1 << 16,)).submodel.model) == 1


def test_two_operands_of_equal_shape_are_joined() -> None:
    assert together(case_of("ADD", "int8", BROKEN).submodel.model) > 1000


#: (shape of the first operand, shape of the second operand, is the second constant).
BROADCAST = [
    ((2, 3, 5), (5,), False),
    ((1, 3, 5), (7, 1, 1), False),
    ((2, 1, 4, 1), (2, 3, 1, 20), False),
    ((), (4, 9), False),
    ((2, 21), (2, 21), True),
    ((2, 3, 16), (16,), True),
]


def on_shapes(opcode: str, dtype: str, lhs: tuple[int, ...], rhs: tuple[int, ...], constant: bool) -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", lhs, dtype, qparams(0.031, 3))
    if constant:
        values = np.arange(int(np.prod(rhs))).astype(dtype).reshape(rhs)
        y = main.constant("y", values, qparams(0.047, 3))
    else:
        y = main.tensor("y", rhs, dtype, qparams(0.047, 3))
    result = "bool" if opcode == "LESS" else dtype
    z = main.tensor(
        "z", np.broadcast_shapes(lhs, rhs), result, None if result == "bool" else qparams(0.06, -5)
    )
    main.add(opcode, [x, y], [z], version=traits_of(opcode).version)
    main.inputs(*([x] if constant else [x, y]))
    main.outputs(z)
    model = builder.finish()
    return next(model_parts.operators(model, model.subgraphs[0]))


@pytest.mark.parametrize(("lhs", "rhs", "constant"), BROADCAST)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL", "LESS", "MAXIMUM", "PRELU"])
def test_broadcast_operands_equal_separate_inferences(
    opcode: str, dtype: str, lhs: tuple[int, ...], rhs: tuple[int, ...], constant: bool
) -> None:
    gives_the_same(on_shapes(opcode, dtype, lhs, rhs, constant), 9)


def test_broadcast_operands_are_joined_unless_vectors_change() -> None:
    assert all(together(on_shapes("ADD", "int8", *shapes).submodel.model) > 1 for shapes in BROADCAST)
    assert together(on_shapes("ADD", "int16", (2, 21), (2, 21), True).submodel.model) == 1


SUMS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
IMAGES = (*SUMS, "AVERAGE_POOL_2D", "SOFTMAX")


def image_model(opcode: str) -> Model:
    """Return a model with an operator that processes a batch of images."""
    if opcode != "SOFTMAX":
        return specimen(opcode)
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (3, 11), "int8", qparams(0.1, 3))
    y = main.tensor("y", (3, 11), "int8", qparams(1 / 256, -128))
    main.add(opcode, [x], [y], version=2, beta=1.0)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("opcode", IMAGES)
def test_a_batch_of_images_equals_separate_images(opcode: str) -> None:
    """The outputs are equal under each variant and each defect, such as padding, narrow registers or a
    neighbor's bias."""
    model = image_model(opcode)
    main, own = model.subgraphs[0], REFERENCE.variants(opcode)
    (case,) = model_parts.operators(model, main)
    several = [stimulus.arrays for stimulus in draw_stimuli(case, {}, 0, 5)]
    defects = [
        replace(REFERENCE, stages={**REFERENCE.stages, opcode: {**own, "defect": name}})
        for name in defects_of(opcode)
    ]
    assert len(defects) > 20 or opcode not in SUMS
    for arithmetic in (*variants(case), *defects):
        one = ReferenceInterpreter(case.submodel.model, arithmetic)
        apart = [one.run(case.submodel.model.subgraphs[0], arrays) for arrays in several]
        joined = list(outputs_of(ReferenceInterpreter(case.submodel.model, arithmetic), several))
        for (made,), wanted in zip(joined, apart, strict=True):
            np.testing.assert_array_equal(made, wanted[case.submodel.model.subgraphs[0].outputs[0]])


@pytest.mark.parametrize("opcode", IMAGES)
def test_images_are_joined(opcode: str) -> None:
    assert together(image_model(opcode)) > 1


def test_computed_weights_stay_with_their_image() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, w, y = (main.tensor(name, (4, 4), "int8", qparams(0.1)) for name in "xwy")
    main.add("FULLY_CONNECTED", [x, w, -1], [y], version=4)
    main.inputs(x, w)
    main.outputs(y)
    assert together(builder.finish()) == 1


def test_an_incomplete_vector_changes_outputs() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (
        main.tensor(name, BROKEN, "int8", qparams(scale, 0)) for name, scale in (("x", 0.125), ("y", 0.5))
    )
    main.add("QUANTIZE", [x], [y], version=2)
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    stages = {**REFERENCE.stages, "QUANTIZE": {"requantize": "half-up-body"}}
    interpreter = ReferenceInterpreter(model, replace(REFERENCE, stages=stages))
    several = [np.full(BROKEN, -6, np.int8)] * 2
    apart = np.stack([interpreter.run(model.subgraphs[0], (x,))[y] for x in several])
    joined = interpreter.run(model.subgraphs[0], (np.stack(several),))[y]
    assert (apart != joined).any()


def test_an_output_that_the_operator_does_not_make_is_run_alone() -> None:
    """A constant output of a model has no batch dimension that could be split."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 16), "int8", qparams(0.1)) for name in "xy")
    main.add("ABS", [x], [y])
    main.inputs(x)
    main.outputs(y, main.constant("held", np.zeros(3, np.int8), qparams(0.1)))
    assert together(builder.finish()) == 1
