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

What devices do differently is a *step*. An arithmetic chooses a variant of it, and others where a *condition* of the
dispatch table (rules/arithmetic/takers.yaml) holds: ``requantize: {default: float32, declined: double}``. A step under
the conditions that hold for one operator is a *cell*; its path is ``requantize/declined+grouped``, or ``requantize``
where none holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import combinations, compress, product
from typing import Any

from numpy.typing import NDArray

from litecheck.model.types import Tensor

KernelFunction = Callable[..., Any]
#: Stands for every type, and for no operand at all.
ANY = "any"
Variants = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A step under all the conditions that hold, in the step's order, and its variants there, the first its default."""

    step: str
    conditions: tuple[str, ...]
    variants: tuple[str, ...]

    @property
    def path(self) -> str:
        """``requantize``, or ``requantize/declined+grouped``."""
        return path(self.step, self.conditions)

    def variant(self, stated: Variants) -> str:
        """What an arithmetic states, by path: under the most that holds here, of which the first condition counts most.

        The default where nothing is stated, or nothing that there is.
        """
        for kept in product((True, False), repeat=len(self.conditions)):
            variant = stated.get(path(self.step, tuple(compress(self.conditions, kept))))
            if variant in self.variants:
                return variant
        return self.variants[0]

    def others(self, stated: Variants) -> tuple[str, ...]:
        """The variants that an arithmetic does not choose."""
        chosen = self.variant(stated)
        return tuple(variant for variant in self.variants if variant != chosen)


@dataclass(frozen=True, slots=True)
class KernelStep:
    """The variants of a step, the first its default, and the conditions under which an arithmetic may choose others.

    Conditions are in the order in which they count; behind one that holds and has variants of its ``own`` none is asked.
    """

    variants: tuple[str, ...]
    conditions: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]

    def cell(self, name: str, held: Callable[[str], bool]) -> Cell:
        """The cell of the step called ``name`` where these conditions hold."""
        holding: tuple[str, ...] = ()
        for condition in filter(held, self.conditions):
            holding += (condition,)
            if condition in self.own:
                return Cell(name, holding, self.own[condition])
        return Cell(name, holding, self.variants)

    def cells(self, name: str) -> Iterator[Cell]:
        """Every cell there can be, that without conditions first."""
        for count in range(len(self.conditions) + 1):
            for some in combinations(self.conditions, count):
                cell = self.cell(name, some.__contains__)
                if cell.conditions == some:
                    yield cell


def path(name: str, conditions: tuple[str, ...]) -> str:
    """The path of a step under conditions, by which arithmetics and reports name it."""
    return f"{name}/{'+'.join(conditions)}" if conditions else name


def step(variants: tuple[str, ...], *conditions: str, **own: tuple[str, ...]) -> KernelStep:
    """A step with conditions, those of them that have variants of their own with these."""
    return KernelStep(variants, conditions, own)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with what it can be asked: ``types`` are those of the operand that decides (see ``deciding``),
    ``steps`` what devices do differently. ``in_vectors``: where some of that is done to what fills vectors alone, so
    that an element's place counts. ``working``: bytes of intermediate arrays for an element of the operands, where they
    are more than usual."""

    opcode: str
    types: tuple[str, ...]
    function: KernelFunction
    steps: Mapping[str, KernelStep]
    deciding: str | None = None
    in_vectors: bool = False
    working: int = 0

    def cells(self) -> Iterator[Cell]:
        """Every cell of every step."""
        for name, one in self.steps.items():
            yield from one.cells(name)


#: The modules of litecheck.reference.kernels that hold kernels, by family.
FAMILIES = (
    "movement", "indexing", "resize", "binary", "division", "comparison", "pool", "reduce", "reduce_minmax",
    "transcendental", "activation", "softmax", "unary", "quantize", "fake_quant", "sparse", "conv", "depthwise",
    "fully_connected", "matmul", "transpose_conv", "lstm", "recurrent", "stablehlo", "stablehlo_regions", "control",
    "detection",
)  # fmt: skip

_KERNELS: dict[str, list[Kernel]] = {}
#: A sparse constant -> its values with their zeros, None for types that are not held.
Unfold = Callable[[Tensor], NDArray[Any] | None]
_UNFOLDING: dict[str, Unfold] = {}


def kernel(
    opcode: str,
    *types: str,
    deciding: str | None = None,
    in_vectors: bool = False,
    working: int = 0,
    **steps: KernelStep | tuple[str, ...],
) -> Callable[[KernelFunction], KernelFunction]:
    """Register a function as the kernel of an operator for these types of its deciding operand.

    ``deciding`` names the role whose type chooses the kernel, by default the first input; ``ANY`` takes every type.
    ``in_vectors`` and ``working``: see :class:`Kernel`. A step without conditions is given as the tuple of its variants.
    """
    found = {name: one if isinstance(one, KernelStep) else step(one) for name, one in steps.items()}

    def register(function: KernelFunction) -> KernelFunction:
        _KERNELS.setdefault(opcode, []).append(
            Kernel(opcode, types, function, found, deciding, in_vectors, working)
        )
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
