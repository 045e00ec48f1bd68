"""The page of integer arithmetic, generated from docstrings: kernels of operators that suites cover, and their steps."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dis import get_instructions
from types import CodeType, FunctionType, ModuleType
from typing import Any

from litecheck.reference.registry import Kernel, kernels
from litecheck.suite.case_templates import templates_of

_HEAD = """\
# Integer arithmetic of operators

This page states the exact computation of every quantized operator that a [suite](suite.md) covers: formula, integer
steps, rounding and tables. It is generated from the kernels by `python docs/generate.py`. Use it to build hardware or a
simulator such as [examples/npu.c](../examples/npu.c).

- q is a stored integer, z a zero point, s a scale. A real value is s * (q - z).
- *Steps* are the functions below that an operator uses, in no order.
- A *variant* is one way to compute a step. [Operators](operators.md#variants-of-the-arithmetics) lists the variants of
  each arithmetic, and [Streams](stream.md#flags) describes the variants of `requantize`.
- Without a remark, sums are int32 and wrap, and a right shift of a negative number rounds toward minus infinity.

## Operators
"""
_STEPS = """
## Steps

Functions that several operators use. `x` is an integer, `m` a multiplier as `quantize_multiplier` returns it.
"""
_QUANTIZED = frozenset(("int8", "uint8", "int16"))
_PACKAGE = "litecheck.reference."
#: Modules whose functions only read shapes, types and options.
_PLUMBING = (
    "engine.",
    "registry",
    "runtime_tensors",
    "compute_limits",
    "backends",
    "numerics.numba_loops",
    "numerics.integer_matmul",
)


def page() -> str:
    """Return the whole page."""
    found: dict[str, FunctionType] = {}
    parts = [_HEAD]
    for opcode, made in sorted(kernels().items()):
        quantized = [kernel for kernel in made if _QUANTIZED & {*kernel.types}]
        if quantized and templates_of(opcode).forms:
            parts += _operator(opcode, quantized, found)
    parts.append(_STEPS)
    parts += (f"\n### {name}\n\n{_text(function)}\n" for name, function in sorted(found.items()))
    return "".join(parts)


def _operator(opcode: str, made: list[Kernel], found: dict[str, FunctionType]) -> Iterator[str]:
    yield f"\n### {opcode}\n"
    for kernel in sorted(made, key=lambda kernel: kernel.types):
        steps = _named(_steps(kernel.function), found)
        yield f"\nTypes: {', '.join(kernel.types)}.\n\n{_text(kernel.function)}\n"
        if steps:
            yield f"\nSteps: {', '.join(map(_link, sorted(steps)))}.\n"


def _link(name: str) -> str:
    return f"[{name}](#{name.replace(' ', '-')})"


def _named(steps: list[FunctionType], found: dict[str, FunctionType]) -> dict[str, FunctionType]:
    """Return steps by name, and add them to those of earlier kernels. A second function of the same name has its module
    in its name: ``padded of windows``."""
    names: dict[str, FunctionType] = {}
    for step in steps:
        name = step.__name__.lstrip("_")
        if found.get(name, step) is not step:
            name = f"{name} of {step.__module__.rpartition('.')[2]}"
        found[name] = names[name] = step
    return names


def _steps(function: Callable[..., Any]) -> list[FunctionType]:
    """Return the documented functions that a function calls, directly or through further functions."""
    found: dict[FunctionType, None] = {}
    open_ = [function]
    while open_:
        one = inspect.unwrap(open_.pop())
        for name, attribute in _names(one.__code__):
            called = one.__globals__.get(name)
            called = getattr(called, attribute, None) if isinstance(called, ModuleType) else called
            called = inspect.unwrap(called) if hasattr(called, "__wrapped__") else called
            if isinstance(called, FunctionType) and called not in found and _is_step(called):
                found[called] = None
                open_.append(called)
    return [called for called in found if called.__doc__]


def _names(code: CodeType) -> Iterator[tuple[str, str]]:
    """Yield the global names in a function's code, each with the next attribute: ``gemmlowp.multiply``, or empty."""
    instructions = [*get_instructions(code)]
    for one, following in zip(instructions, [*instructions[1:], None], strict=True):
        if one.opname == "LOAD_GLOBAL":
            attribute = following is not None and following.opname in ("LOAD_ATTR", "LOAD_METHOD")
            yield one.argval, following.argval if attribute and following is not None else ""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_step(function: FunctionType) -> bool:
    module = function.__module__
    return module.startswith(_PACKAGE) and not module.removeprefix(_PACKAGE).startswith(_PLUMBING)


def _text(function: Callable[..., Any]) -> str:
    """Return a docstring as Markdown: code between single backticks, references without their paths."""
    text = inspect.getdoc(inspect.unwrap(function)) or ""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text.replace("``", "`"))
    return re.sub(r"(?<![`\\])\*(?=\w)|(?<=\w)\*(?![`*])", r"\\*", text)
