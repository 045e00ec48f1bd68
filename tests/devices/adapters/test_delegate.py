"""Operators on a delegate, derived from the runtime's list. Tests with a real delegate:
tests/verification/test_delegate.py."""

from __future__ import annotations

import ctypes.util
from typing import Any

import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.devices.adapters.delegate import Delegate, _describe_undelegated
from litecheck.devices.registry import DeviceNameError, open_device


def ops(*described: tuple[str, list[int], list[int]]) -> list[dict[str, Any]]:
    return [{"op_name": name, "inputs": given, "outputs": made} for name, given, made in described]


SAID = "operators were left to the reference kernels"
#: 0 -> conv -> 2 -> relu -> 3 -> add(3, 2) -> 4; 1 are weights.
OWN = ops(("CONV_2D", [0, 1], [2]), ("RELU", [2], [3]), ("ADD", [3, 2], [4]))


@pytest.mark.parametrize(
    ("nodes", "left"),
    [
        ([("DELEGATE", [0, 1], [4])], ""),
        ([("DELEGATE", [2], [4])], f"1 of 3 {SAID}: CONV_2D #0"),
        ([("DELEGATE", [0, 1], [2])], f"2 of 3 {SAID}: RELU #1, ADD #2"),
        ([("DELEGATE", [0, 1], [2]), ("DELEGATE", [3, 2], [4])], f"1 of 3 {SAID}: RELU #1"),
        ([("OTHER", [0, 1], [4])], f"3 of 3 {SAID}: CONV_2D #0, RELU #1, ADD #2"),
    ],
)  # fmt: skip
def test_operators_before_a_delegated_output_may_be_left(nodes: list[Any], left: str) -> None:
    assert _describe_undelegated(OWN + ops(*nodes), len(OWN)) == left


def test_many_are_shortened() -> None:
    many = ops(*((f"OP{n}", [n], [n + 1]) for n in range(9)))
    assert _describe_undelegated(many, 9).endswith("OP0 #0, OP1 #1, OP2 #2, OP3 #3, OP4 #4, ...")


def test_a_library_that_is_not_a_delegate_is_an_error() -> None:
    library = ctypes.util.find_library("m")
    if not library:
        pytest.skip("no shared library is known by name")
    with pytest.raises(OSError, match="is not a delegate, it does not export tflite_plugin_create_delegate"):
        Delegate({"": library})


def test_a_program_is_no_library() -> None:
    with pytest.raises(DeviceNameError, match=r"no such file: .*; a program is 'command:./board \{model\}'"):
        open_device("./board {model}")
