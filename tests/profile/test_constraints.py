"""Values that a check does not support are errors when a rule file is read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.profile.constraints import narrower, number
from litecheck.profile.load import load_profile
from litecheck.profile.types import Constraint, Exactly, MultipleOf, OneOf, Profile, Range
from litecheck.profile.yaml_reader import ScalarNode

PROFILE = """\
profile: tiny
activations: int8
kinds:
  activation: {dtype: int8}
ops:
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors:
      lhs: {kind: activation, %s}
    limits: {lhs.rank: %s}
"""


def loaded(folder: Path, demand: str, limit: str = "1") -> Profile:
    file = folder / "tiny.yaml"
    file.write_text(PROFILE % (demand, limit))
    return load_profile(file)


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        ("zero_point: {same_as: rhs}", "zero_point takes a whole number, a range such as"),
        ("zero_point: {multiple_of: 2}", "zero_point takes"),
        ("zero_point: zero", "zero_point takes a whole number, .*, or a list of these, not 'zero'"),
        ("zero_point: 1/2", "zero_point takes a whole number, .* not '1/2'"),
        ("zero_point: {equals: 3, tolerated: 1/2}", "only a scale can be tolerated to be off"),
        ("axis: [0, 1]", "axis takes one whole number"),
        ("axis: 0..1", "axis takes one whole number, not '0..1'"),
        ("axis: last", "axis takes one whole number, not 'last'"),
        ("range: [0, 1]", "range takes one whole number or a range"),
        ("range: 0..1/2", "range takes .* not '0..1/2'"),
        ("dtype: {power_of: 2}", "dtype takes a type such as int8, a list of types or {same_as: role}"),
        ("dtype: i8", "dtype takes a type .*, not 'i8'; did you mean 'int8'"),
        ("dtype: INT8", "not 'INT8'; did you mean 'int8'"),
        ("dtype: 8", "dtype takes .* not '8'"),
        ("dtype: {equals: 8}", "dtype takes .* not '8'"),
        ("dtype: [int8, in16]", "not 'in16'; did you mean 'int16'"),
        ("dtype: [int8..int16]", "'int8' is not a number"),
        ("dtype: 1..3", "dtype takes .* not '1..3'"),
        ("granularity: {power_of: 2}", "granularity takes per-tensor, .* a list of these or {same_as: role}"),
        ("granularity: per-channel", "granularity takes per-tensor, .*, not 'per-channel'"),
        ("granularity: 3", "granularity takes .* not '3'"),
        ("granularity: [1..3]", "granularity takes .* not '1..3'"),
        ("scale: tiny", "scale takes a number such as 1/256, .* positive, normal, .*, not 'tiny'"),
        ("scale: norml", "did you mean 'normal'"),
        ("scale: 0", "scale 0: it is above 0 always"),
        ("scale: -1..0", "scale -1..0: it is above 0 always"),
        ("scale: {multiple_of: 0}", "multiple_of takes a number above 0, not '0'"),
        ("scale: {power_of: 1}", "power_of takes a whole number of at least 2, not '1'"),
        ("scale: {power_of: 5/2}", "power_of takes a whole number of at least 2"),
        ("scale: {product_of: [rhs], ulps: 1/2}", "ulps takes a whole number of at least 0, not '1/2'"),
        ("scale: {product_of: [rhs], tolerated: -1}", "tolerated takes a number of at least 0"),
        ("scale: [1/256, {power_of: 2}]", "scale: a list holds single values and ranges; a mapping"),
        ("zero_point: [0, [1]]", "zero_point: a list holds single values and ranges"),
    ],
)
def test_a_value_that_a_check_does_not_support_is_an_error_with_its_line(
    tmp_path: Path, demand: str, message: str
) -> None:
    with pytest.raises(ProfileError, match=message) as refused:
        loaded(tmp_path, demand)
    assert refused.value.line == 10


@pytest.mark.parametrize("limit", ["{power_of: 2}", "{product_of: [1, 2]}", "{same_as: lhs}"])
def test_a_limit_supports_only_measurable_values(tmp_path: Path, limit: str) -> None:
    with pytest.raises(ProfileError) as refused:
        loaded(tmp_path, "zero_point: 0", limit)
    assert refused.value.line == 11


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (
            "stride_h: even",
            "stride_h takes a number, a range such as 1..3, a list of these, or .* not 'even'",
        ),
        ("stride_h: [1, any]", "stride_h takes a number, .* not 'any'"),
        ("stride_h: [1, 3, {multiple_of: 8}]", "stride_h: a list holds single values and ranges; a mapping"),
        ("stride_h: {value: odd, because: it is so}", "stride_h takes .* not 'odd'"),
        ("fused_activation: RELU7", "an activation function: NONE, RELU, .*not 'RELU7'; did you mean 'RELU"),
        ("fused_activation: relu6", "not 'relu6'"),
        ("fused_activation: 3", "fused_activation takes .* not '3'"),
        ("fused_activation: 1..3", "fused_activation takes .* not '1..3'"),
        ("fused_activation: {multiple_of: 2}", "fused_activation takes an activation function"),
        ("padding: [SAME, VALD]", "padding takes a padding: SAME, VALID, .*not 'VALD'; did you mean 'VALID'"),
        ("mirror_mode: SAME", "mirror_mode takes a mode: REFLECT, SYMMETRIC, or a list of these, not 'SAME'"),
        (
            "input_dtype: {value: int9}",
            "input_dtype takes a type, or a list of these, not 'int9'; did you",
        ),
        ("input_dtype: INT8", "input_dtype takes a type"),
        ("result_type: int32", "result_type takes a type of the schema, .* not 'int32'"),
        ("lhs.constant: true", "lhs.constant takes yes or no, or a list of these, not 'true'"),
        ("rhs.rank: yes", "rhs.rank takes a number"),
        ("conversion: int8_to_int9", "conversion takes two types, .* did you mean 'int8_to_int"),
        (
            "transpose_conv_stride_class: triple",
            "transpose_conv_stride_class takes a class of strides: plain, .* not 'triple'",
        ),
        ("options_table: Conv2dOptions", "did you mean 'Conv2DOptions'"),
        ("block_scale_type: missing", "block_scale_type takes a type or absent"),
    ],
)
def test_a_word_or_number_that_a_measurement_never_gives_is_refused(
    tmp_path: Path, limit: str, message: str
) -> None:
    with pytest.raises(ProfileError, match=message) as refused:
        loaded(tmp_path, "zero_point: 0", f"1, {limit}")
    assert refused.value.line == 11


@pytest.mark.parametrize(
    "limit",
    [
        "fused_activation: [NONE, RELU6]",
        "fused_activation: any",
        "stride_h: any",
        "transpose_conv_stride_class: [plain, w3h1]",
        "block_scale_type: absent",
        "conversion: int8_to_int16",
        "weights_format: SHUFFLED4x16INT8",
    ],
)
def test_values_of_a_measurement_may_be_required(tmp_path: Path, limit: str) -> None:
    profile = loaded(tmp_path, "zero_point: 0", f"1, {limit}")
    name, _, value = limit.partition(": ")
    demanded = any(r.path.endswith(f"/limits/{name}") for r in profile.requirements())
    assert demanded == (value != "any")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("activations: int8", "activations: int8x", 2, "no type 'int8x'; did you mean 'int8'"),
        ("activations: int8", "activations:\n  - int8\n  - anny", 4, "no type 'anny'; did you mean 'any'"),
        ("activations: int8", "activations: INT8", 2, "no type 'INT8'"),
        ("activations: int8", "activations: []", 2, "an empty list names no type"),
        ("activations: int8", "activations: [any, int8]", 2, "activations: any stands alone"),
        ("    tensors:", "    scope: []\n    tensors:", 9, "scope names the operands whose type decides"),
        (
            "    tensors:",
            "    except: [{lhs: [], because: no}]\n    tensors:",
            9,
            "an empty list names no type",
        ),
        ("    tensors:", "    except: [{lhs: int61, because: no}]\n    tensors:", 9, "no type 'int61'"),
    ],
)
def test_types_are_those_of_the_schema(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    file = tmp_path / "tiny.yaml"
    file.write_text((PROFILE % ("zero_point: 0", "1")).replace(old, new, 1))
    with pytest.raises(ProfileError, match=message) as refused:
        load_profile(file)
    assert refused.value.line == line


def test_relaxed_values_are_parsed_strictly(tmp_path: Path) -> None:
    loaded(tmp_path, "zero_point: 0")
    child = tmp_path / "child.yaml"
    for path, value in (("ADD/lhs/zero_point", "none"), ("ADD/limits/lhs.rank", "flat")):
        child.write_text(
            f"profile: child\nextends: tiny.yaml\nrelaxes:\n  {path}: {{value: {value}, because: so}}\n"
        )
        with pytest.raises(ProfileError, match=f"not '{value}'") as refused:
            load_profile(child)
        assert refused.value.line == 4


@pytest.mark.parametrize("demand", ["scale: {multiple_of: 1/256}", "zero_point: [0, 3..5]", "range: 0..1"])
def test_a_value_that_the_check_supports_is_parsed(tmp_path: Path, demand: str) -> None:
    verb, stated = demand.split(": ", 1)
    (requirement,) = (r for r in loaded(tmp_path, demand).requirements() if r.path == f"ADD/lhs/{verb}")
    assert str(requirement.value) == {"scale": "a multiple of 1/256", "zero_point": "0 or 3..5"}.get(
        verb, stated
    )


@pytest.mark.parametrize("limit", ['"1,3,5"', "multiple_of 16", "1-3", '">=1"', "[1, 3 5]", "1..x"])
def test_a_limit_that_no_measured_value_can_equal_is_an_error(tmp_path: Path, limit: str) -> None:
    with pytest.raises(
        ProfileError, match=r"lhs\.rank takes a number, a range such as|is not a number such as"
    ) as refused:
        loaded(tmp_path, "zero_point: 0", limit)
    assert refused.value.line == 11


def test_a_misplaced_reason_is_an_error_with_the_correct_form(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"\{value: \.\.\., because: \.\.\.\}"):
        loaded(tmp_path, "zero_point: 0", "{multiple_of: 16, because: the array has 16 rows}")
    loaded(tmp_path, "zero_point: 0", "{value: {multiple_of: 16}, because: the array has 16 rows}")


@pytest.mark.parametrize("word", ["9" * 400, "0.." + "9" * 400, "1/" + "9" * 400, "9" * 5000])
def test_a_number_too_long_for_a_float_is_an_error(word: str) -> None:
    with pytest.raises(ProfileError, match=r"rules\.yaml:7: a number is too long"):
        number(word.removeprefix("0.."), ScalarNode(word, 7, "rules.yaml"))


HALF, QUARTER = Exactly(Fraction(1, 2)), Exactly(Fraction(1, 4))


@pytest.mark.parametrize(
    ("child", "parent", "expected"),
    [
        (HALF, Exactly("any"), True),
        (HALF, HALF, True),
        (HALF, QUARTER, False),
        (HALF, Exactly("positive"), True),
        (Exactly("normal"), Exactly("positive"), True),
        (Exactly("positive"), Exactly("normal"), False),
        (Exactly("per-axis"), Exactly("per-tensor"), False),
        (Range(Fraction(1), Fraction(2)), Exactly("positive"), True),
        (Range(Fraction(1), Fraction(2)), Exactly("per-tensor"), False),
        (Range(Fraction(1), Fraction(2)), Range(Fraction(0), Fraction(2)), True),
        (Range(Fraction(1), Fraction(3)), Range(Fraction(0), Fraction(2)), False),
        (Range(Fraction(-1), Fraction(2)), Range(Fraction(0), Fraction(2)), False),
        (HALF, Range(Fraction(0), Fraction(2)), True),
        (HALF, Range(Fraction(1), Fraction(2)), False),
        (Exactly("normal"), Range(Fraction(0), Fraction(2)), False),
        (OneOf((HALF, QUARTER)), Range(Fraction(0), Fraction(2)), True),
        (OneOf((HALF, Exactly(Fraction(3)))), Range(Fraction(0), Fraction(2)), False),
        (QUARTER, OneOf((HALF, QUARTER)), True),
        (Exactly(Fraction(3)), OneOf((HALF, QUARTER)), False),
        (MultipleOf(Fraction(6)), MultipleOf(Fraction(3)), True),
        (MultipleOf(Fraction(3)), MultipleOf(Fraction(6)), False),
        (Exactly(Fraction(12)), MultipleOf(Fraction(6)), True),
        (Exactly("normal"), MultipleOf(Fraction(6)), False),
    ],
)
def test_a_narrower_constraint_allows_no_further_value(
    child: Constraint, parent: Constraint, expected: bool
) -> None:
    assert narrower(child, parent) is expected
