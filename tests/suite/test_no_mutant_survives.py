"""No mutant survives a suite, for a few operators of each profile; ``python docs/mutation_coverage.py`` tests all."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.suite.manifest import read_suite
from litecheck.suite.mutation_coverage import MutationCoverage, prove
from litecheck.suite.suite_writer import Scope, make

pytestmark = pytest.mark.slow

#: Profile, expected arithmetic, operators.
OPERATORS = (
    ("litert-runtime", "litert-reference", ("ABS", "RSQRT", "RELU_0_TO_1", "RELU_N1_TO_1")),
    ("litert-runtime", "litert-reference", ("LEAKY_RELU", "GELU", "PRELU", "LOG_SOFTMAX")),
    ("litert-int8", "litert-reference", ("MAX_POOL_2D", "RESIZE_BILINEAR", "L2_NORMALIZATION", "EQUAL")),
    ("litert-uint8", "litert-reference", ("LOGISTIC", "RELU", "AVERAGE_POOL_2D", "RESIZE_BILINEAR")),
    ("litert-uint8", "litert-reference", ("FULLY_CONNECTED", "GREATER_EQUAL")),
    ("litert-int16x8", "litert-reference", ("LOGISTIC", "TANH", "SOFTMAX", "RELU6")),
    ("litert-hybrid", "litert-reference", ("FULLY_CONNECTED", "BATCH_MATMUL", "CONV_2D", "DEPTHWISE_CONV_2D")),
    ("tflm", "tflm", ("RELU6", "LOGISTIC", "TANH", "UNIDIRECTIONAL_SEQUENCE_LSTM")),
)  # fmt: skip


def proved(folder: Path, profile: str, arithmetic: str, *opcodes: str) -> MutationCoverage:
    """Return the mutation coverage of operators of a profile, at level ``standard``."""
    select = tuple(f"{opcode}/*/{start}" for opcode in opcodes for start in ("[!r]*", "r[!e]*"))
    make(Scope(profile, select=select, flags=False), folder)
    return prove(read_suite(folder), arithmetic)


@pytest.mark.parametrize("opcode", ["LOGISTIC", "TANH", "SOFTMAX", "AVERAGE_POOL_2D"])
def test_no_mutant_survives_at_standard(opcode: str, tmp_path: Path) -> None:
    table = proved(tmp_path / "suite", "litert-int8", "litert-reference", opcode)
    assert table.non_equivalent
    assert [row.mistake for row in table.survivors()] == []


@pytest.mark.parametrize(("profile", "arithmetic", "opcodes"), OPERATORS)
def test_no_mutant_of_these_operators_survives(
    profile: str, arithmetic: str, opcodes: tuple[str, ...], tmp_path: Path
) -> None:
    table = proved(tmp_path / "suite", profile, arithmetic, *opcodes)
    assert {row.opcode for row in table.rows} == set(opcodes)
    assert [(row.opcode, row.mistake) for row in table.survivors()] == []
