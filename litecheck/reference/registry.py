"""Registry of kernels by operator and types, filled by the kernel families and read by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import combinations, compress, product
from typing import Any

from numpy.typing import NDArray

from litecheck.model.types import Tensor

KernelFunction = Callable[..., Any]
#: Matches every type, and an absent operand.
ANY = "any"
Variants = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VariantSlot:
    """Step under the conditions that hold, in the step's order, and its variants, the default first."""

    step: str
    conditions: tuple[str, ...]
    variants: tuple[str, ...]
    parametric: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Path of the step. Examples: ``requantize``, ``requantize/declined+grouped``."""
        return path(self.step, self.conditions)

    def variant(self, stated: Variants) -> str:
        """Return the variant of this step in an arithmetic, by path, or the default variant.

        The path with all conditions is tried first. Conditions are then omitted from the last to the first, so the
        first condition has the highest priority.
        """
        for kept in product((True, False), repeat=len(self.conditions)):
            variant = stated.get(path(self.step, tuple(compress(self.conditions, kept))))
            if variant in self.variants or variant in self.parametric:
                return str(variant)
        return self.variants[0]

    def others(self, stated: Variants) -> tuple[str, ...]:
        """Return the variants that an arithmetic does not choose."""
        chosen = self.variant(stated)
        return tuple(variant for variant in self.variants if variant != chosen)


@dataclass(frozen=True, slots=True)
class KernelStep:
    """Variants of a step, the default first, and conditions under which an arithmetic may choose other variants.

    Conditions are tested in order; the test ends after a condition that holds and has an entry in ``own``.
    ``parametric`` are additional variants that no suite expects: an arithmetic file can state them, and ``diagnose``
    tries them if no variant fits.
    """

    variants: tuple[str, ...]
    conditions: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]
    parametric: tuple[str, ...] = ()

    def slot(self, name: str, held: Callable[[str], bool]) -> VariantSlot:
        """Return the slot of the step called ``name`` under the conditions for which ``held`` returns True."""
        holding: tuple[str, ...] = ()
        for condition in filter(held, self.conditions):
            holding += (condition,)
            if condition in self.own:
                return VariantSlot(name, holding, self.own[condition])
        return VariantSlot(name, holding, self.variants, self.parametric)

    def slots(self, name: str) -> Iterator[VariantSlot]:
        """Yield every possible slot, first the slot without conditions."""
        for count in range(len(self.conditions) + 1):
            for some in combinations(self.conditions, count):
                slot = self.slot(name, some.__contains__)
                if slot.conditions == some:
                    yield slot


def path(name: str, conditions: tuple[str, ...]) -> str:
    """Return the path of a step under conditions, its name in arithmetics and reports."""
    return f"{name}/{'+'.join(conditions)}" if conditions else name


def step(
    variants: tuple[str, ...], *conditions: str, parametric: Iterable[str] = (), **own: tuple[str, ...]
) -> KernelStep:
    """Return a step with conditions. ``own`` has the variants of conditions with separate variants."""
    return KernelStep(variants, conditions, own, tuple(parametric))


@dataclass(frozen=True, slots=True)
class Kernel:
    """Kernel of an operator.

    ``types`` are the types of the deciding tensor (see ``type_role``), ``steps`` the computations that differ between
    devices. ``in_vectors`` is True if a step applies only to full vectors, so that the position of an element matters.
    ``workspace`` is the number of bytes of intermediate arrays per element, if it is larger than the default.
    """

    opcode: str
    types: tuple[str, ...]
    function: KernelFunction
    steps: Mapping[str, KernelStep]
    type_role: str | None = None
    in_vectors: bool = False
    workspace: int = 0

    def slots(self) -> Iterator[VariantSlot]:
        """Yield every slot of every step."""
        for name, one in self.steps.items():
            yield from one.slots(name)


#: Modules of litecheck.reference.kernels with kernels, by family.
FAMILIES = (
    "movement", "indexing", "resize", "binary", "division", "comparisons", "elementwise", "pool", "reduce", "reduce_minmax",
    "transcendental", "activation", "softmax", "unary", "quantize", "fake_quant", "sparse", "conv", "depthwise",
    "fully_connected", "matmul", "transpose_conv", "lstm", "recurrent", "stablehlo", "stablehlo_regions", "control",
    "detection",
)  # fmt: skip

_KERNELS: dict[str, list[Kernel]] = {}
#: Function from a sparse constant to its dense values, None for unsupported types.
Densify = Callable[[Tensor], NDArray[Any] | None]
_DENSIFIERS: dict[str, Densify] = {}


def kernel(
    opcode: str,
    *types: str,
    type_role: str | None = None,
    in_vectors: bool = False,
    workspace: int = 0,
    **steps: KernelStep | tuple[str, ...],
) -> Callable[[KernelFunction], KernelFunction]:
    """Register a function as the kernel of an operator for these types of its deciding input.

    ``type_role`` names the role with the type that selects the kernel, by default the first input; ``ANY`` matches every
    type. ``in_vectors`` and ``workspace``: see :class:`Kernel`. A step without conditions is the tuple of its variants.
    """
    found = {name: one if isinstance(one, KernelStep) else step(one) for name, one in steps.items()}

    def register(function: KernelFunction) -> KernelFunction:
        _KERNELS.setdefault(opcode, []).append(
            Kernel(opcode, types, function, found, type_role, in_vectors, workspace)
        )
        return function

    return register


def densifies(opcode: str) -> Callable[[Densify], Densify]:
    """Register a function that makes dense values of the sparse constants of an operator."""

    def register(function: Densify) -> Densify:
        _DENSIFIERS[opcode] = function
        return function

    return register


def densifier(opcode: str) -> Densify | None:
    """Return the function that makes sparse constants dense; None if the operator's kernels read sparse constants."""
    kernels()
    return _DENSIFIERS.get(opcode)


@cache
def kernels() -> Mapping[str, tuple[Kernel, ...]]:
    """Return all kernels by operator."""
    for family in FAMILIES:
        import_module(f"litecheck.reference.kernels.{family}")
    return {opcode: tuple(found) for opcode, found in sorted(_KERNELS.items())}


def all_kernels() -> Iterator[Kernel]:
    """Yield all kernels in the order of operator names."""
    for found in kernels().values():
        yield from found
