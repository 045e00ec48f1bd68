"""Table of the check ``granularity``: number of scales, their dimension, and inconsistent lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fixtures.broken import changed, single_scale, zeros
from fixtures.models import concat, conv, softmax
from litecheck.checks.validate import validate
from litecheck.model.types import Model
from litecheck.quantization import Blockwise, Details, MultiAxis
from tests.checks.table import FindingRow, findings_of, profile

RULES = """\
kinds:
  activation: {dtype: int8, granularity: per-tensor, because: an activation has one scale, see: page 1}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: int8, granularity: per-axis, axis: 0, because: each output channel has a scale, see: page 2}
      bias: {granularity: {same_as: weight}, axis: 0, because: the bias follows the weights}
      output: {kind: activation, granularity: [per-tensor, none], because: the output is moved}
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors:
      values: activation
      output: {kind: activation, granularity: none, because: the result counts}
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors:
      input: {kind: activation, granularity: [blockwise, multi-axis], because: this one is odd}
      output: {kind: activation, granularity: any, because: anything well-formed goes}
  TENSOR:
    inputs: [tensor]
    outputs: []
    tensors:
      tensor: {granularity: any, because: the reader refuses others, see: builder.cc:524}
effects:
  "*/*/granularity": wrong results
  TENSOR/tensor/granularity: fails to load
levels:
  CONV_2D/weight/granularity: note
  CONV_2D/output/granularity: warning
"""
FIT = "the reader refuses others"
NOTHING = np.empty(0, np.float32)


def filtered(**fields: Any) -> Model:
    return changed(conv(), "weight", **fields)


def scales(number: int) -> dict[str, Any]:
    """Return this number of scales and zero points."""
    return {"scale": np.full(number, 0.05, np.float32), "zero_point": np.zeros(number, np.int64)}


def elsewhere(model: Model, tensor: str, details: Details) -> Model:
    """Return a model with the parameters in another tensor."""
    return changed(model, tensor, details=details, **scales(0))


def weight(found: str, required: str = "per-axis quantization of weight", **fields: Any) -> FindingRow:
    fields = {"effect": "wrong results", "level": "note", **fields}
    because = "each output channel has a scale"
    return FindingRow(
        "CONV_2D/weight/granularity", "weight 'weight'", found, required, because, see="page 2", **fields
    )


def misfit(found: str, required: str) -> tuple[FindingRow, ...]:
    """Return the finding of malformed parameters: a violation at every level, with its own reason and impact."""
    return (
        FindingRow(
            "CONV_2D/weight/granularity",
            "weight 'weight'",
            found,
            required,
            FIT,
            "fails to load",
            see="page 2",
        ),
    )


def output(found: str, level: Any) -> FindingRow:
    return FindingRow(
        "CONV_2D/output/granularity", "output 'conv_2d_0'", found, "per-tensor quantization or no quantization of output",
        "the output is moved", "wrong results", level,
    )  # fmt: skip


def bias(found: str, level: Any = "violation") -> FindingRow:
    return FindingRow(
        "CONV_2D/bias/granularity", "bias 'bias'", found, "as many scales of bias as weight has",
        "the bias follows the weights", "wrong results", level,
    )  # fmt: skip


RESULT = FindingRow(
    "CONCATENATION/output/granularity", "output 'concatenation_0'", "it has one scale for the whole tensor",
    "no quantization of output", "the result counts", "wrong results",
)  # fmt: skip
ODD = FindingRow(
    "SOFTMAX/input/granularity", "input 'input'", "it has one scale for the whole tensor",
    "blockwise quantization or multi-axis quantization of input", "this one is odd", "wrong results",
)  # fmt: skip


def malformed_output(found: str, required: str) -> FindingRow:
    path, operand = "SOFTMAX/output/granularity", "output 'softmax_0'"
    return FindingRow(path, operand, found, required, FIT, "fails to load")


BLOCKS = Blockwise(0, -1, 32)
ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "none, however mild the level": (
        filtered(**scales(0)),
        (weight("it has no quantization", level="violation"),),
    ),
    "one for the whole tensor": (
        filtered(**scales(1)),
        (weight("it has one scale for the whole tensor"), bias("it has 4 scales, weight has 1")),
    ),
    "several for an activation": (
        changed(concat(), "other", axis=1, **scales(4)),
        (
            FindingRow(
                "CONCATENATION/values/granularity",
                "values[1] 'other'",
                "it has 4 scales",
                "per-tensor quantization of values",
                "an activation has one scale",
                "wrong results",
                see="page 1",
            ),
            RESULT,
        ),
    ),
    "some where none may be stated": (concat(), (RESULT,)),
    "several, where one or none will do": (
        changed(conv(), "conv_2d_0", axis=3, **scales(4)),
        (output("it has 4 scales", "warning"),),
    ),
    "none, where that will do": (changed(conv(), "conv_2d_0", **scales(0)), ()),
    "of another type nothing follows": (
        filtered(dtype="uint8", **scales(1)),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 of weight",
                "each output channel has a scale",
                see="page 2",
            ),
        ),
    ),
    "no scale for a bias": (changed(conv(), "bias", **scales(0)), (bias("it has no scale, weight has 4"),)),
    "one scale for a bias": (changed(conv(), "bias", **scales(1)), (bias("it has 1 scale, weight has 4"),)),
    "a scale and no zero point": (
        filtered(scale=single_scale(0.1), zero_point=zeros()),
        misfit("it has 1 scale and no zero point", "as many zero points as scales"),
    ),
    "a zero point and no scale, which is no quantization": (
        filtered(scale=NOTHING, zero_point=zeros(0)),
        (weight("it has no scale and 1 zero point", level="violation"),),
    ),
    "zero points and no scale": (
        filtered(scale=NOTHING, zero_point=zeros(0, 0, 0, 0)),
        (weight("it has no scale and 4 zero points", level="violation"),),
    ),
    "fewer zero points": (
        filtered(zero_point=zeros(0, 0)),
        misfit("it has 4 scales and 2 zero points", "as many zero points as scales"),
    ),
    "a dimension beyond the shape": (
        filtered(axis=4),
        misfit("its quantized dimension is 4 and its shape is [4, 3, 3, 4]", "a quantized dimension in 0..3"),
    ),
    "a negative dimension": (
        filtered(axis=-1),
        misfit(
            "its quantized dimension is -1 and its shape is [4, 3, 3, 4]", "a quantized dimension in 0..3"
        ),
    ),
    "a bias with the filter's dimension": (
        changed(conv(), "bias", axis=3),
        (
            FindingRow(
                "CONV_2D/bias/granularity",
                "bias 'bias'",
                "its quantized dimension is 3 and its shape is [4]",
                "a quantized dimension in 0..0",
                FIT,
                "fails to load",
            ),
        ),
    ),
    "a scalar with a dimension": (
        changed(softmax(), "softmax_0", shape=(), axis=1),
        (ODD,),  # LiteRT does not read the dimension of a single scale
    ),
    "three scales for four channels": (
        filtered(**scales(3)),
        misfit(
            "it has 3 scales along dimension 0, whose length is 4", "one scale, or 4 along that dimension"
        ),
    ),
    "as many as no dimension has, neither its own nor the right one": (
        filtered(axis=1, **scales(5)),
        (
            *misfit(
                "it has 5 scales along dimension 0, whose length is 4", "one scale, or 4 along that dimension"
            ),
            FindingRow(
                "CONV_2D/weight/axis",
                "weight 'weight'",
                "its quantized dimension is 1, of shape [4, 3, 3, 4]",
                "quantized dimension 0 of weight",
                "each output channel has a scale",
                see="page 2",
            ),
        ),
    ),
    "too many along a dimension of their own": (
        changed(softmax(), "softmax_0", axis=1, **scales(5)),
        (
            ODD,
            malformed_output(
                "it has 5 scales along dimension 1, whose length is 4", "one scale, or 4 along that dimension"
            ),
        ),
    ),
    "several scales of a scalar": (
        changed(softmax(), "softmax_0", shape=(), **scales(2)),
        (ODD,),
    ),
    "blockwise": (
        elsewhere(conv(), "weight", BLOCKS),
        (weight("it has blockwise quantization, its scales stand in another tensor", level="violation"),),
    ),
    "multi-axis": (
        elsewhere(conv(), "weight", MultiAxis(0, -1, 0, (0, 1))),
        (weight("it has multi-axis quantization, its scales stand in another tensor", level="violation"),),
    ),
    "blockwise, as it should be": (elsewhere(softmax(), "input", BLOCKS), ()),
    "multi-axis, as it should be": (elsewhere(softmax(), "input", MultiAxis(0, -1, 0, (0, 1))), ()),
    "anything well-formed": (
        changed(elsewhere(softmax(), "input", BLOCKS), "softmax_0", axis=1, **scales(4)),
        (),
    ),
    "none, where anything well-formed goes": (
        changed(elsewhere(softmax(), "input", BLOCKS), "softmax_0", **scales(0)),
        (),
    ),
    "blockwise, where anything goes": (
        changed(elsewhere(softmax(), "input", BLOCKS), "softmax_0", details=BLOCKS, **scales(0)),
        (),
    ),
    "each channel": (conv(), ()),
    "one scale along an axis of length 1, under the name of another": (
        changed(
            changed(
                filtered(shape=(1, 3, 3, 4), data=np.zeros(36, np.uint8), axis=3, **scales(1)),
                "bias",
                **scales(1),
            ),
            "bias",
            shape=(1,),
            data=np.zeros(4, np.uint8),
        ),
        (),
    ),
    "one scale along an axis of length 1": (
        changed(
            changed(
                filtered(shape=(1, 3, 3, 4), data=np.zeros(36, np.uint8), **scales(1)), "bias", **scales(1)
            ),
            "bias",
            shape=(1,),
            data=np.zeros(4, np.uint8),
        ),
        (),
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected


#: Lines between these positions state the runtime's behavior for every tensor.
SAID = (RULES.index("  TENSOR:"), RULES.index("effects:"))
SILENT = (RULES[: SAID[0]] + RULES[SAID[1] :]).replace("  TENSOR/tensor/granularity: fails to load\n", "")


def test_malformed_parameters_have_the_requirements_impact_if_the_runtime_is_undescribed() -> None:
    (row,) = findings_of(SILENT, filtered(zero_point=zeros(0, 0)))
    assert row == weight(
        "it has 4 scales and 2 zero points", "as many zero points as scales", level="violation"
    )


@pytest.mark.parametrize(("head", "kept"), [("", False), ("runtime: acme 1\n", True)])
def test_an_unused_dimension_is_accepted_for_an_undescribed_runtime(head: str, kept: bool) -> None:
    model = changed(elsewhere(softmax(), "input", BLOCKS), "softmax_0", axis=7)
    found = "its quantized dimension is 7 and its shape is [1, 4]"
    row = FindingRow(
        "SOFTMAX/output/granularity", "output 'softmax_0'", found, "a quantized dimension in 0..1",
        "anything well-formed goes", "wrong results",
    )  # fmt: skip
    assert findings_of(head + SILENT, model) == (() if kept else (row,))
    assert findings_of(head + RULES, model)[0].found == found, "a runtime with a rule for the dimension"


@pytest.mark.parametrize("number", [-3, -9, 9])
def test_a_single_scale_with_an_invalid_dimension_is_per_tensor(number: int) -> None:
    model = changed(softmax(), "input", axis=number)
    (row, *_) = findings_of("runtime: acme 1\n" + SILENT, model)
    assert (row.path, row.found) == ("SOFTMAX/input/granularity", "it has one scale for the whole tensor")


def test_a_malformed_tensor_without_a_covered_operator_is_found() -> None:
    """A tensor without a covered operator has a finding by its position. A finding of an operator is not
    repeated."""
    model = changed(conv(), "weight", zero_point=zeros(0, 0))
    only = RULES.replace("  CONV_2D:", "  CONV_3D:").replace("CONV_2D/", "CONV_3D/")
    (finding,) = validate(model, [profile(only)]).findings
    assert (str(finding.where), finding.where.role) == ("tensor 1 'weight'", "tensor")
    assert findings_of(only, model) == (
        FindingRow(
            "TENSOR/tensor/granularity", "", "it has 4 scales and 2 zero points", "as many zero points as scales",
            "the reader refuses others", "fails to load", see="builder.cc:524",
        ),
    )  # fmt: skip
    assert [row.path for row in findings_of(RULES, model)] == ["CONV_2D/weight/granularity"]
