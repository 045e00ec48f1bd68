"""Which kernel computes which operator on which types: filled by the families, read by the interpreter.

A kernel is a function whose parameters are the operator's roles in the rules, inputs first, then outputs, then
``options`` (the builtin options table or None) and ``variants`` (the variant its arithmetic chose for each step)::

    @kernel("CONV_2D", "int8", requantize=step(("double", "double-half-up"), "declined"))
    def conv_2d(
        input: Operand, weight: Operand, bias: Operand | None, output: OutputSpec, options: Table | None,
        variants: Variants,
    ):
        ...

An absent optional operand is None; a repeated role is a tuple. It returns the stored values of its output as an
array, a tuple of arrays where there are several outputs. A kernel with a memory returns an ``operands.Computed``.

A kernel may ask for more by name: ``operator`` (the operator itself), ``intermediates`` (the quantized tensors an LSTM
lists beside its operands, as a tuple of OutputSpec), ``machine`` (the running model, for control flow and resources),
``taken`` (who takes the operator, see litecheck.reference.takers; everyone where nothing is said).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.reference.kernel_types import ANY as ANY
from litecheck.reference.kernel_types import Kernel, KernelFunction, KernelStep
from litecheck.reference.kernel_types import Variants as Variants
from litecheck.reference.kernel_types import step as step

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

_KERNELS: dict[str, list[Kernel]] = {}
#: A sparse constant -> its values with their zeros, None for types that are not held.
Unfold = Callable[[Tensor], NDArray[Any] | None]
_UNFOLDING: dict[str, Unfold] = {}


def kernel(
    opcode: str, *types: str, deciding: str | None = None, **steps: KernelStep | tuple[str, ...]
) -> Callable[[KernelFunction], KernelFunction]:
    """Register a function as the kernel of an operator for these types of its deciding operand.

    ``deciding`` names the role whose type chooses the kernel, by default the first input; ``ANY`` takes every type.
    A step without conditions is given as the tuple of its variants.
    """
    found = {name: one if isinstance(one, KernelStep) else step(one) for name, one in steps.items()}

    def register(function: KernelFunction) -> KernelFunction:
        _KERNELS.setdefault(opcode, []).append(Kernel(opcode, types, function, found, deciding))
        return function

    return register


def unfolds(opcode: str) -> Callable[[Unfold], Unfold]:
    """Register a function that unfolds the sparse constants an operator reads."""

    def register(function: Unfold) -> Unfold:
        _UNFOLDING[opcode] = function
        return function

    return register


def unfolding(opcode: str) -> Unfold | None:
    """What unfolds the sparse constants of an operator; None where its kernels, if any, read them as they are."""
    kernels()
    return _UNFOLDING.get(opcode)


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
