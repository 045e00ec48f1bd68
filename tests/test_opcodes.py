"""Operators are data: Python names an operator only to register its kernel, or for a reason listed here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecheck.flatbuffer.schema import load_schema

PACKAGE = Path(__file__).resolve().parent.parent / "litecheck"
#: Kernels are registered for the operators they compute.
KERNELS = PACKAGE / "reference" / "kernels"
#: Entries of BuiltinOperator without a computation of their own.
PLACEHOLDERS = {"CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"}
#: Operators that a file must name, with the reason.
REASONS: dict[str, tuple[set[str], str]] = {
    "model/links.py": (
        {"VAR_HANDLE", "ASSIGN_VARIABLE", "READ_VARIABLE"},
        "handles stand for variables: wiring, below all rules",
    ),
    "quantizer/litert_resolvers.py": (
        {"QUANTIZE", "DEQUANTIZE"},
        "the quantizer registers its own two kernels; conversion puts them between forms",
    ),
    "model/node_signatures.py": (
        {"QUANTIZE", "DEQUANTIZE", "FAKE_QUANT"},
        "converters insert them between types: the tensors on both sides mean the same, below all rules",
    ),
    "conversion/rule_choice.py": (
        {"CONV_2D", "DEPTHWISE_CONV_2D"},
        "TensorFlow's old converter has scales per channel for the weights of these alone",
    ),
    "conversion/ai_edge_recipe.py": ({"TRANSPOSE_CONV"}, "ai-edge-quantizer has another name for it"),
    # A measurement states operators that it measures differently. Validation does not load the traits file,
    # which would slow each start.
    "profile/measurements/accumulators.py": (
        {"DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"},
        "counts the products of a sum",
    ),
    "profile/measurements/windows.py": ({"DEPTHWISE_CONV_2D"}, "counts the products of a sum"),
    "profile/measurements/estimates.py": ({"ADD", "MUL", "SUB"}, "bounds a result by its operands"),
    "profile/measurements/scales.py": (
        {"ADD", "BATCH_MATMUL", "REDUCE_PROD", "SUB", "SUM"},
        "bounds an int32 sum",
    ),
    "profile/measurements/loops.py": (
        {"ADD", "SUB", "EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"},
        "follows the counter of a loop",
    ),
    "targets/ethos_u/domain.py": ({"MUL", "SUB"}, "public models compute indices as int32 with these alone"),
    "profile/assemble.py": (
        {"CALL_ONCE", "CONCATENATION", "SLICE"},
        "what makes a called subgraph come back to its caller; what cuts an operand out of a larger tensor, or makes a "
        "result part of one",
    ),
}


def builtin() -> frozenset[str]:
    """Return the names of builtin operators, without those that are also names of fused activations."""
    enums = load_schema().enums
    return frozenset(enums["BuiltinOperator"]) - set(enums["ActivationFunctionType"]) - PLACEHOLDERS


def named(source: str) -> Iterator[str]:
    """Yield operator names from string constants that consist of operator names only. Prose does not count."""
    known = builtin()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.replace(",", " ").split()
            if words and set(words) <= known:
                yield from words


@pytest.mark.parametrize(
    "path", [p for p in sorted(PACKAGE.rglob("*.py")) if KERNELS not in p.parents], ids=lambda p: p.name
)
def test_no_module_lists_operators(path: Path) -> None:
    allowed, _ = REASONS.get(path.relative_to(PACKAGE).as_posix(), (set(), ""))
    assert set(named(path.read_text())) == allowed


def test_exceptions_are_few_and_have_reasons() -> None:
    assert sum(len(opcodes) for opcodes, _ in REASONS.values()) <= 34
    assert all(reason for _, reason in REASONS.values())


def test_a_list_of_operators_is_seen() -> None:
    lists = 'A = ("CONV_2D",)\nB = "ADD SUB".split()\nC = {"MUL, DIV": 1}\n'
    assert set(named(lists)) == {"CONV_2D", "ADD", "SUB", "MUL", "DIV"}
    assert not set(named('"""ADD and SUB."""\nA = "RELU6"\nB = f"{A}: a CONV_2D"\n'))
