"""Intended differences between shape functions and a resolver of LiteRT: name and condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.differential.shapes import Finding

Accounts = Callable[["Finding"], bool]
_REFUSED, _ACCEPTED = (
    "LiteRT rejects, the shape function accepts",
    "the shape function rejects, LiteRT accepts",
)


def _only(resolver: str, kind: str, opcodes: str = "", word: str = "", law: str = "") -> Accounts:
    """Return a condition: a difference of this kind on a single resolver, with these operators and words on both sides."""

    def accounts(finding: Finding) -> bool:
        return (
            finding.resolver in resolver.split()
            and finding.kind == kind
            and (not opcodes or finding.draw.opcode in opcodes.split())
            and word in finding.litert
            and law in finding.law
        )

    return accounts


_ALL = "reference optimized xnnpack"

REASONS: dict[str, Accounts] = {
    "the reference resolver has no such kernel": _only(
        "reference", _REFUSED, word="Didn't find op for builtin"
    ),
    "only SLICE compares an output with its stated shape": _only(
        _ALL, _REFUSED, "SLICE", "output_shape_vector"
    ),
    "XNNPACK accepts operands that LiteRT's kernel rejects": _only(
        "xnnpack", _ACCEPTED, "PRELU RESHAPE TRANSPOSE SLICE BATCH_MATMUL MAX_POOL_2D AVERAGE_POOL_2D"
    ),
    "XNNPACK pools by a window that does not fit": _only(
        "xnnpack", "other shapes", "MAX_POOL_2D AVERAGE_POOL_2D", law=" 0, "
    ),
    "XNNPACK rejects empty and scalar tensors": _only("xnnpack", _REFUSED, word="XNNPack delegate failed"),
    "ATAN2 and shifts read the second operand unchecked": _only(
        _ALL, _ACCEPTED, "ATAN2 STABLEHLO_SHIFT_LEFT", law="the lhs"
    ),
    "a length beyond the sequence is read beyond the end of the input": _only(
        _ALL, _ACCEPTED, "REVERSE_SEQUENCE", law="is beyond"
    ),
    "paddings of a different rank are read beyond their end": _only(
        _ALL, _ACCEPTED, "STABLEHLO_PAD", law="dimensions"
    ),
    "XNNPACK accepts a node of too many dimensions and then fails to delegate it": _only(
        "xnnpack", _REFUSED, word="failed to delegate"
    ),
    "lengths of 1 broadcast in more than eight dimensions, larger lengths end the process": _only(
        _ALL, _ACCEPTED, law="more than 8"
    ),
    "a list for a different rank is read beyond its end": _only(
        _ALL, _ACCEPTED, "REDUCE_WINDOW", law="values for"
    ),
    "recurrent forget weights are read unchecked": _only(
        _ALL, _ACCEPTED, "UNIDIRECTIONAL_SEQUENCE_LSTM", law="recurrent to forget weights"
    ),
    "a diagonal is read unchecked": _only(_ALL, _ACCEPTED, "MATRIX_SET_DIAG", law="the diagonal is"),
    "the optimized kernel ends the process on rows of length 0": _only(
        "optimized xnnpack", _REFUSED, "LOG_SOFTMAX", "process ended", " 0)"
    ),
    "XNNPACK does not set the shape of an empty output": _only("xnnpack", "other shapes", law="(0,"),
    "a stride below 1 gives an empty output": _only(
        _ALL, _ACCEPTED, "REDUCE_WINDOW", law="at least 1 wanted"
    ),
    "a dilation below 1 has no effect along a single element, or ends the process": _only(
        _ALL, _ACCEPTED, "DILATE", law="at least 1 wanted"
    ),
    "the kernel accepts rows of length 0": _only(_ALL, _ACCEPTED, "FULLY_CONNECTED", law="rows of length 0"),
    "recurrent weights are read unchecked": _only(
        _ALL, _ACCEPTED, "BIDIRECTIONAL_SEQUENCE_RNN", law="recurrent weights"
    ),
    "bytes are divided wrongly in more than five dimensions": _only(
        _ALL, _ACCEPTED, "DIV", law="more than 5"
    ),
    "the kernel accepts a repeated axis in perm": _only(_ALL, _ACCEPTED, "TRANSPOSE", law="no permutation"),
    "fewer values than a row give an empty output": _only(_ALL, _ACCEPTED, "FULLY_CONNECTED", "(0,"),
    "the reference kernel accepts a negative radius": _only(
        "reference", _ACCEPTED, "LOCAL_RESPONSE_NORMALIZATION", law="radius"
    ),
}

__all__ = ["REASONS"]
