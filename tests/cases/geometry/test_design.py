"""Designs of the rule file: each names operators that forms exist for, and covers every possible pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from math import prod

import pytest

from litecheck.cases.geometry.covering_array import Row, covering, parts
from litecheck.cases.geometry.design import STRENGTHS, Design, _designs, design_of, rows_of
from litecheck.profile.load import load_profile
from litecheck.suite.case_templates import templates_of

DESIGNS = _designs()
PAGE = 4096


@pytest.mark.parametrize("opcode", DESIGNS)
def test_every_possible_pair_occurs_and_every_row_is_affordable(opcode: str) -> None:
    design = DESIGNS[opcode]
    rows, names = rows_of(opcode, 2), list(design.factors)
    found = {tuple(part) for row in rows for part in combinations(enumerate(row.values()), 2)}
    usual = {name: values[0] for name, values in design.factors.items()}
    lacking = [part for part in parts(design.factors, 2) if part not in found]
    assert all(design.layout_of({**usual, **{names[n]: v for n, v in part}}) is None for part in lacking)
    assert design.layout_of(usual) is not None
    assert templates_of(opcode).forms


@pytest.mark.parametrize(
    ("profile", "without"),
    [
        ("litert-int8", {"SHAPE"}),
        (
            "litert-runtime",
            {"SHAPE", "RANK", "IF", "UNIQUE", "WHERE", "ONE_HOT", "SPARSE_TO_DENSE", "STABLEHLO_GATHER", "REDUCE_WINDOW",
             "EMBEDDING_LOOKUP", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", "WHILE"},
        ),
    ],
)  # fmt: skip
def test_operators_have_a_design(profile: str, without: set[str]) -> None:
    rules = load_profile(profile).operators
    assert {name for name in rules if templates_of(name).forms and design_of(name) is None} == without


@pytest.mark.parametrize("strength", STRENGTHS.values())
@pytest.mark.parametrize("opcode", DESIGNS)
def test_every_row_has_a_layout(opcode: str, strength: int) -> None:
    assert all(DESIGNS[opcode].layout_of(row) is not None for row in rows_of(opcode, strength))


def test_an_extreme_is_one_row_beside_usual_values_and_without_the_limit() -> None:
    design = design_of("CONV_2D")
    assert design is not None
    rows = [row for row in rows_of("CONV_2D", 2) if row["outputs"] == "260"]
    assert rows == [{**design.usual, "outputs": "260"}]
    assert ("outputs", "260") in set(design.values())
    costs = [made.cost for row in rows_of("CONV_2D", 2) if (made := design.layout_of(row)) is not None]
    assert max(costs) > design.most
    small = replace(design, extremes=())
    assert small.layout_of({**design.usual, "channels": "260", "outputs": "33"}) is None


def test_a_design_counts_its_pairs() -> None:
    made = Design(("ADD",), "rows", 9, {"a": ("1", "2"), "b": ("1", "2", "3"), "c": ("1",)})
    assert made.combinations() == 2 * 3 + 2 + 3


def test_only_operators_with_a_fused_activation_have_the_factor() -> None:
    fused, plain = design_of("ADD"), design_of("MAXIMUM")
    assert fused is not None
    assert plain is not None
    assert fused.layout == plain.layout
    assert "activation" in fused.factors
    assert "activation" not in plain.factors
    made = [fused.layout_of({**fused.usual, "activation": name}) for name in ("NONE", "RELU6")]
    assert [layout.options for layout in made if layout] == [
        {"fused_activation_function": "NONE"},
        {"fused_activation_function": "RELU6"},
    ]
    without = plain.layout_of(plain.usual)
    assert without is not None
    assert not without.options


#: Operators whose suites have whole blocks, and remainders that are even and above half of a block of 16 and 32.
IN_BLOCKS = sorted({*load_profile("litert-int8").operators} & {*DESIGNS})


@pytest.mark.parametrize("opcode", IN_BLOCKS)
def test_sizes_are_whole_blocks_and_have_even_remainders(opcode: str) -> None:
    name = next(n for n in ("channels", "depth", "inner", "elements") if n in DESIGNS[opcode].factors)
    sizes = {int(row[name]) for row in rows_of(opcode, 2)}
    assert any(size % 64 == 0 for size in sizes)
    assert any(size % 4 == 2 and size % 16 > 8 and size % 32 > 16 for size in sizes)


@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_windows_have_usual_layers_and_lines_of_256_bytes(opcode: str) -> None:
    rows = rows_of(opcode, 2)
    several = [row for row in rows if row["stride_h"] == row["stride_w"] == "2" and row["kernel"] == "3 3"]
    assert any(int(row["width"]) % 2 == 0 for row in several)
    assert {row["padding"] for row in several} == {"SAME", "VALID"}
    assert any(int(row["width"]) * int(row["channels"]) == 256 for row in rows)
    assert any(int(row["batch"]) > 1 and _image(row) > 1 << 15 for row in rows)


def test_rows_before_the_extremes_repeat_no_pair_of_them() -> None:
    design = design_of("CONV_2D")
    assert design is not None
    count = len(rows_of("CONV_2D", 2)) - len(design.all_extremes)
    alone = replace(design, extremes=(), suite_extremes=())
    everything = covering(alone.factors, 2, lambda row: alone.layout_of(row) is not None)
    assert count < len(list(everything))


def test_an_extreme_of_another_rank_covers_no_pair_of_the_array() -> None:
    rows = [row for row in rows_of("MINIMUM", 2) if row["rank"] == "4"]
    pairs = {pair for row in rows for pair in combinations(row.items(), 2)}
    design = DESIGNS["MINIMUM"]
    listed = [(name, value) for name, values in design.factors.items() for value in values]
    assert {pair for pair in combinations(listed, 2) if pair[0][0] != pair[1][0]} <= pairs


@pytest.mark.parametrize("opcode", [name for name, design in DESIGNS.items() if design.layout == "binary"])
def test_binary_operators_have_an_odd_number_of_rows_in_every_rank(opcode: str) -> None:
    shapes = _shapes(opcode, "lhs")
    assert {len(shape) for shape in shapes if prod(shape) % 2} >= {2, 3, 4}
    assert any(len(shape) == 3 and shape[0] > 1 < shape[1] and shape[1] % 2 for shape in shapes)
    assert any(len(shape) == 5 and prod(shape) % 4 for shape in shapes)


@pytest.mark.parametrize("rank", [3, 4])
def test_permutations_within_several_images_that_are_no_multiple_of_4(rank: int) -> None:
    design = DESIGNS["TRANSPOSE"]
    made = [design.layout_of(row) for row in rows_of("TRANSPOSE", 2)]
    found = set()
    for operands in (layout.operands for layout in made if layout):
        shape, order = operands["input"][0].shape, operands["perm"][0].values
        if len(shape) == rank and shape[0] > 1 and prod(shape[1:]) % 4 and len({*shape[1:]}) == rank - 1:
            assert order is not None
            found.add(tuple(map(int, order)))
    assert {(0, *rest) for rest in permutations(range(1, rank))} - {tuple(range(rank))} <= found


@pytest.mark.parametrize("axis", [0, 1])
def test_picked_rows_cross_a_page_of_4096_bytes(axis: int) -> None:
    crossing = set()
    for row in (row for row in rows_of("GATHER", 2) if int(row["axis"]) == axis):
        layout = DESIGNS["GATHER"].layout_of(row)
        assert layout is not None
        picked = layout.operands["indices"][0].values
        assert picked is not None
        size = prod(layout.operands["input"][0].shape[axis + 1 :])
        crossing |= {size for n in picked.ravel() if n * size % PAGE + size > PAGE}
    assert any(size < PAGE for size in crossing)
    assert any(size > PAGE for size in crossing)


@pytest.mark.parametrize(
    "opcode",
    [
        "CONCATENATION",
        "PAD",
        "PADV2",
        "MIRROR_PAD",
        "SPLIT",
        "SPLIT_V",
        "SLICE",
        "TILE",
        "TRANSPOSE",
        "GATHER_ND",
    ],
)
def test_moved_rows_of_260_bytes_pass_a_page(opcode: str) -> None:
    shapes = _shapes(opcode, "values" if opcode == "CONCATENATION" else "input")
    assert any(shape[-1] >= 260 and prod(shape) > PAGE for shape in shapes)


def _shapes(opcode: str, role: str) -> set[tuple[int, ...]]:
    """Return the shapes of a role in the rows of pairs."""
    made = [DESIGNS[opcode].layout_of(row) for row in rows_of(opcode, 2)]
    return {layout.operands[role][0].shape for layout in made if layout}


def _image(row: Row) -> int:
    return int(row["height"]) * int(row["width"]) * int(row["channels"])
