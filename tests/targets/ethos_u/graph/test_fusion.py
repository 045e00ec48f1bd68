"""Operators that a target's compiler fuses, and conversions at a model's inputs and outputs. Outcomes as observed in
Vela 5.2.0."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")
ONE, THREE = ["npu", "npu", "npu"], ["cpu", "npu", "cpu"]


def dilated(
    block: tuple[int, int] = (2, 2), *, computed: bool = False, activation: str = "NONE", beside: str = "",
    stride: int = 1, scale: float = 0.5,
) -> Model:  # fmt: skip
    """Return a dilated convolution as SPACE_TO_BATCH_ND, CONV_2D and BATCH_TO_SPACE_ND; a further operator may read
    its input."""
    height, width = block
    batches = height * width
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8 * height, 8 * width, 4), "int8", qparams(scale))
    s = main.tensor("s", (batches, 8, 8, 4), "int8", qparams(0.5))
    side, kernel = 8 // stride, 3 if stride == 1 else 1
    y = main.tensor("y", (batches, side, side, 4), "int8", qparams(0.75))
    z = main.tensor("z", (1, side * height, side * width, 4), "int8", qparams(0.75))
    sides = main.tensor("b", (2,), "int32") if computed else main.constant("b", np.array(block, np.int32))
    none = main.constant("p", np.zeros((2, 2), np.int32))
    w = main.constant("w", np.ones((4, kernel, kernel, 4), np.int8), qparams(0.25))
    padding = "SAME" if stride == 1 else "VALID"
    options = {
        "padding": padding,
        "stride_w": stride,
        "stride_h": stride,
        "fused_activation_function": activation,
    }
    main.add("SPACE_TO_BATCH_ND", [x, sides, none], [s])
    main.add("CONV_2D", [s, w, -1], [y], version=3, **options)
    main.add("BATCH_TO_SPACE_ND", [y, sides, none], [z])
    outputs = [z]
    if beside:
        other = main.tensor("o", (batches, 8, 8, 4), "int8", qparams(0.5))
        main.add("ABS", [s], [other])
        outputs += [other] if beside == "needed" else []
    main.inputs(x, *([sides] if computed else []))
    main.outputs(*outputs)
    return builder.finish()


#: Models by their special property, and the placement of their operators.
DILATED: dict[str, tuple[Model, list[str]]] = {
    "one": (dilated(), ONE),
    "a side": (dilated((1, 3)), ONE),
    "another scale outside": (dilated(scale=0.25), ONE),
    "an activation": (dilated(activation="RELU6"), THREE),
    "another reader": (dilated(beside="needed"), [*THREE, "npu"]),
    "a reader that nothing needs": (dilated(beside="idle"), [*ONE, "npu"]),
    "computed": (dilated(computed=True), ["npu", "crashes", "npu"]),
    "computed, with an activation": (dilated(computed=True, activation="RELU6"), THREE),
}
#: Not fused, because the fused convolution would stay on the CPU: the U55 has no long strides with dilation.
STRIDDEN = dilated(stride=4)


@pytest.mark.parametrize("profile", [U55, U85], ids=["u55", "u85"])
@pytest.mark.parametrize("name", DILATED)
def test_three_operators_are_fused_like_in_the_compiler(profile: Profile, name: str) -> None:
    model, expected = DILATED[name]
    assert [op.place for op in place_model(model, profile)[0].operators] == expected


def rows(
    before: tuple[str, ...] = ("EXPAND_DIMS",), after: tuple[str, ...] = ("SQUEEZE",), place: int = 1,
    beside: str = "", activation: str = "NONE", kernel: int = 3,
) -> Model:  # fmt: skip
    """Return a dilated convolution of a sequence, with a dimension added before and removed after it."""
    builder = ModelBuilder()
    main = builder.subgraph()

    def spread(*shape: int) -> tuple[int, ...]:
        return (*shape[:place], 1, *shape[place:])

    def tensor(name: str, shape: tuple[int, ...], scale: float = 0.5) -> int:
        return main.tensor(name, shape, "int8", qparams(scale))

    x, parts = tensor("x", (1, 120, 4)), tensor("s", (2, 60, 4))
    block, none = main.constant("b", np.array([2], np.int32)), main.constant("p", np.zeros((1, 2), np.int32))
    main.add("SPACE_TO_BATCH_ND", [x, block, none], [parts])
    operand, shape = parts, spread(2, 60, 4)
    for opcode in before:
        steering = [place] if opcode == "EXPAND_DIMS" else shape
        made = tensor("e", shape)
        main.add(opcode, [operand, main.constant("c", np.array(steering, np.int32))], [made])
        operand = made
    sides = spread(3, kernel, 4)
    w = main.constant("w", np.ones(sides, np.int8), qparams(0.25))
    y, left = tensor("y", spread(2, 61 - kernel, 3), 0.75), 61 - kernel
    main.add(
        "CONV_2D",
        [operand, w, -1],
        [y],
        padding="VALID",
        stride_w=1,
        stride_h=1,
        fused_activation_function=activation,
    )
    last = y
    for n, _ in enumerate(after):
        whole = n == len(after) - 1
        made = tensor("f", (2, left, 3) if whole else spread(2, left, 3), 0.75)
        steering = main.constant("c", np.array((2, left, 3) if whole else spread(2, left, 3), np.int32))
        main.add("RESHAPE", [last, steering], [made])
        last = made
    z = tensor("z", (1, 2 * left, 3), 0.75)
    main.add("BATCH_TO_SPACE_ND", [last, block, none], [z])
    outputs = [z]
    if beside:
        read = {"parts": parts, "spread": operand, "made": y}[beside]
        shapes = {"parts": (2, 60, 4), "spread": shape, "made": spread(2, left, 3)}
        outputs.append(tensor("o", shapes[beside]))
        main.add("TANH", [read], [outputs[-1]])
    main.inputs(x)
    main.outputs(*outputs)
    return builder.finish()


@pytest.mark.parametrize("profile", [U55, U85], ids=["u55", "u85"])
@pytest.mark.parametrize(
    ("model", "place"),
    [
        (rows(), "npu"),
        (rows(place=2), "npu"),
        (rows(("RESHAPE",)), "npu"),
        (rows(kernel=40), "npu"),
        (rows(("EXPAND_DIMS", "RESHAPE")), "cpu"),
        (rows(after=("RESHAPE", "RESHAPE")), "cpu"),
        (rows(activation="RELU"), "cpu"),
        (rows(beside="parts"), "cpu"),
        (rows(beside="spread"), "cpu"),
        (rows(beside="made"), "cpu"),
    ],
)
def test_one_reshape_between_them_does_not_prevent_the_fusion(
    profile: Profile, model: Model, place: str
) -> None:
    operators = place_model(model, profile)[0].operators
    ends = [op.place for op in operators if op.opcode.endswith("_ND")]
    assert ends == [place, place]
    assert {op.place for op in operators if not op.opcode.endswith("_ND")} == {"npu"}


def test_three_operators_are_not_fused_if_the_fused_operator_stays_on_the_cpu() -> None:
    assert [op.place for op in place_model(STRIDDEN, U55)[0].operators] == THREE
    assert [op.place for op in place_model(STRIDDEN, U85)[0].operators] == ONE


def test_findings_of_a_fused_operator_are_not_repeated() -> None:
    _, found = place_model(dilated(), U55)
    assert found == []
    _, found = place_model(dilated(computed=True), U55)
    assert [(f.path, f.where.operator) for f in found] == [("SPACE_TO_BATCH_ND/unsupported", 0)]


def moved(steps: str, computed: str = "", opened: str = "", also: str = "") -> Model:
    """Return a dilated row of an image; each of the ``steps`` moves a dimension of length 1, which changes no data.

    Shapes in ``computed`` are computed, tensors in ``opened`` have open dimensions, tensors in ``also`` are outputs
    too.
    """
    builder = ModelBuilder()
    main = builder.subgraph()
    block, none = (
        main.constant("b", np.array([1, 2], np.int32)),
        main.constant("p", np.zeros((2, 2), np.int32)),
    )
    tensors, given = dict[str, int](), list[int]()

    def tensor(name: str, *shape: int) -> int:
        signature = tuple(-1 if n and d == 12 else d for n, d in enumerate(shape)) if name in opened else None
        q = qparams(0.5 if shape[-1] == 4 else 0.75)
        tensors[name] = main.tensor(name, shape, "int8", q, shape_signature=signature)
        return tensors[name]

    def step(name: str, source: int, *shape: int) -> int:
        if name not in steps:
            return source
        values = np.array(shape, np.int32)
        if name in computed:
            given.append(main.tensor(f"{name}/shape", (len(shape),), "int32"))
        sizes = given[-1] if name in computed else main.constant(f"{name}/shape", values)
        made = tensor(name, *shape)
        main.add("RESHAPE", [source, sizes], [made])
        return made

    x, s = tensor("x", 1, 1, 24, 4), tensor("s", 2, 1, 12, 4)
    main.add("SPACE_TO_BATCH_ND", [x, block, none], [s])
    image = step("i", s, 2, 12, 1, 4)
    w = main.constant("w", np.ones((8, 1, 1, 4), np.int8), qparams(0.25))
    y = tensor("y", *((2, 12, 1, 8) if "i" in steps else (2, 1, 12, 8)))
    options = {"padding": "VALID", "stride_w": 1, "stride_h": 1}
    main.add("CONV_2D", [image, w, -1], [y], version=3, **options)
    row, z = step("r", y, 2, 1, 12, 8), tensor("z", 1, 1, 24, 8)
    main.add("BATCH_TO_SPACE_ND", [row, block, none], [z])
    main.inputs(x, *given)
    main.outputs(z, *(tensors[name] for name in also))
    return builder.finish()


MOVED: dict[str, tuple[Model, bool]] = {
    "to and fro": (moved("ir"), True),
    "to": (moved("i"), True),
    "by a shape that is computed": (moved("ir", computed="ir"), True),
    "an output between": (moved("ir", also="i"), True),
    "an open length on both sides": (moved("ir", opened="si"), True),
    "an open length on one": (moved("ir", opened="s"), False),
}


@pytest.mark.parametrize("profile", [U55, U85], ids=["u55", "u85"])
@pytest.mark.parametrize("name", MOVED)
def test_a_reshape_between_may_move_dimensions_of_one(profile: Profile, name: str) -> None:
    model, whole = MOVED[name]
    operators = place_model(model, profile)[0].operators
    assert {op.place for op in operators if op.opcode.endswith("_ND")} == {"npu" if whole else "cpu"}


def truths(*opcodes: str) -> Model:
    """Return a chain of operators on bool."""
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(f"t{n}", (1, 4), "bool") for n in range(len(opcodes) + 1)]
    for opcode, a, b in zip(opcodes, tensors, tensors[1:], strict=False):
        main.add(opcode, [a], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


@pytest.mark.parametrize(
    ("opcodes", "count"),
    [
        (("LOG",), 2),
        (("LOG", "LOG"), 2),
        (("LOGICAL_NOT",), 1),
        (("LOGICAL_NOT", "LOG"), 2),
        (("LOG", "LOGICAL_NOT"), 2),
    ],
)
def test_truth_values_are_converted_at_the_ends_on_the_u85(opcodes: tuple[str, ...], count: int) -> None:
    model = truths(*opcodes)
    assert place_model(model, U85)[0].partitions == count
    assert place_model(model, U55)[0].partitions == 0
