"""Table of the verb ``unsupported``, and of operators that a profile forbids by not listing them."""

from __future__ import annotations

import pytest

from fixtures.models import concat, conv, dense, softmax
from litecheck.checks.validate import validate
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of, profile

RULES = """\
activations: int8
unlisted: violation
kinds: {activation: {dtype: int8}}
ops:
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    scope: [input, output]
    unsupported: the vector unit has no exponential
    see: guide 7
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
effects:
  SOFTMAX/unsupported: crashes
levels:
  SOFTMAX/unsupported: warning
"""
UNLISTED = FindingRow(
    "CONV_2D/unsupported", "", "it is not in the profile", "an operator of the profile",
    "the profile lists every operator that is supported",
)  # fmt: skip

ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "listed as unsupported": (
        softmax(),
        (
            FindingRow(
                "SOFTMAX/unsupported",
                "",
                "the model uses it",
                "another operator: this one is not supported",
                "the vector unit has no exponential",
                "crashes",
                "warning",
                see="guide 7",
            ),
        ),
    ),
    "not listed": (conv(), (UNLISTED,)),
    "listed": (concat(), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected


def test_the_finding_of_an_unlisted_operator_has_the_line_that_forbids_it() -> None:
    (finding,) = validate(conv(), [profile(RULES)]).findings
    assert (finding.demanded_by.profile, finding.demanded_by.line) == ("table", 3)


def test_unlisted_operators_of_another_type_are_not_covered() -> None:
    import numpy as np

    weight = np.ones((4, 6), np.float32)
    report = validate(dense("float32", weight, None, (None, None), np.zeros(4, np.float32)), [profile(RULES)])
    assert [(o.status, o.reason) for o in report.operators] == [("not covered", "float32 activations")]
    assert report.findings == ()
