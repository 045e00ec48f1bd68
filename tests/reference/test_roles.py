"""Kernels use the vocabulary of the rules: parameters are named after roles, and functions are short."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from litecheck.profile.load import load_profile
from litecheck.profile.types import OperatorRule
from litecheck.reference.engine.dispatch import signature
from litecheck.reference.registry import Kernel, all_kernels, kernels

LONGEST = 40
PROFILES = ("litert-runtime", "litert-int16x8")
KERNELS = list(all_kernels())


def rules_of(opcode: str) -> list[OperatorRule]:
    found = (load_profile(name).operators.get(opcode) for name in PROFILES)
    return [rule for rule in found if rule is not None and not rule.unsupported]


def named(kernel: Kernel) -> str:
    return f"{kernel.opcode}-{'-'.join(kernel.types)}"


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_parameters_are_the_roles_of_the_rule(kernel: Kernel) -> None:
    rules = rules_of(kernel.opcode)
    roles = signature(kernel.function)
    for rule in rules:
        assert roles.inputs == rule.inputs
        assert roles.outputs == rule.outputs
        assert roles.repeated == frozenset(rule.repeated)


def test_most_kernels_have_a_rule() -> None:
    without = {kernel.opcode for kernel in KERNELS if not rules_of(kernel.opcode)}
    assert len(without) < len({kernel.opcode for kernel in KERNELS}) / 3, without
    assert {"VAR_HANDLE", "CALL_ONCE"} <= without


def length(function: object) -> int:
    """Return the number of lines of a function's body without its docstring."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    (definition,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    body = definition.body[1:] if ast.get_docstring(definition) else definition.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_kernels_are_short_and_explained(kernel: Kernel) -> None:
    assert length(kernel.function) <= LONGEST
    assert (inspect.getdoc(kernel.function) or "").endswith(".")


def test_a_long_function_is_noticed() -> None:
    assert length(test_a_long_function_is_noticed) < length(length) + 3 < LONGEST


@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_each_type_has_a_single_kernel(kernel: Kernel) -> None:
    others = [k for k in kernels()[kernel.opcode] if k is not kernel and k.type_role == kernel.type_role]
    assert [k for k in others if set(k.types) & set(kernel.types)] == []
