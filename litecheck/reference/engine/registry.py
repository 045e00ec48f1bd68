"""Which kernel computes which operator on which types: filled by the families, read by the interpreter.

A kernel is a function whose parameters are the operator's roles in the rules, inputs first, then outputs, then
``options`` (the builtin options table or None) and ``how`` (the variants its arithmetic chose, by stage)::

    @kernel("CONV_2D", "int8", requantize=("double", "double-half-up"))
    def conv_2d(input: Value, weight: Value, bias: Value | None, output: Result, options: Table | None, how: How):
        ...

An absent optional operand is None; a repeated role is a tuple. It returns the stored values of its output as an
array, a tuple of arrays where there are several outputs. A kernel with a memory returns a ``dispatch.Computed``.

A kernel may ask for more by name: ``operator`` (the operator itself), ``intermediates`` (the quantized tensors an LSTM
lists beside its operands, as a tuple of Result), ``machine`` (the running model, for control flow and resources),
``taken`` (who takes the operator, see litecheck.reference.engine.takers; everyone where nothing is said).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

#: The modules of litecheck.reference.kernels that hold kernels, by family.
FAMILIES: tuple[str, ...] = (
    "movement",
    "indexing",
    "resize",
    "binary",
    "division",
    "comparison",
    "select",
    "pool",
    "reduce",
    "reduce_window",
    "reduce_minmax",
    "transcendental",
    "activation",
    "softmax",
    "unary",
    "quantize",
    "cast",
    "sparse",
    "conv",
    "depthwise",
    "fully_connected",
    "matmul",
    "transpose_conv",
    "lstm",
    "svdf",
    "recurrent_float",
    "stablehlo",
    "stablehlo_regions",
    "control",
    "detection",
)

KernelFunction = Callable[..., Any]
#: Stands for every type, and for no operand at all.
ANY = "any"
How = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with what it can be asked: ``types`` are those of the operand that decides (see ``deciding``),
    ``stages`` the variants it knows for each stage, the first of them its default."""

    opcode: str
    types: tuple[str, ...]
    function: KernelFunction
    stages: Mapping[str, tuple[str, ...]]
    deciding: str | None = None


_KERNELS: dict[str, list[Kernel]] = {}


def kernel(
    opcode: str, *types: str, deciding: str | None = None, **stages: tuple[str, ...]
) -> Callable[[KernelFunction], KernelFunction]:
    """Register a function as the kernel of an operator for these types of its deciding operand.

    ``deciding`` names the role whose type chooses the kernel, by default the first input; ``ANY`` takes every type.
    """

    def register(function: KernelFunction) -> KernelFunction:
        _KERNELS.setdefault(opcode, []).append(Kernel(opcode, types, function, stages, deciding))
        return function

    return register


@cache
def kernels() -> Mapping[str, tuple[Kernel, ...]]:
    """Every kernel, by operator."""
    for family in FAMILIES:
        import_module(f"litecheck.reference.kernels.{family}")
    return {opcode: tuple(found) for opcode, found in sorted(_KERNELS.items())}


def all_kernels() -> Iterator[Kernel]:
    """Every kernel in the order of operator names."""
    for found in kernels().values():
        yield from found
