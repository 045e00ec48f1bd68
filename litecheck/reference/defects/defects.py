"""All defects by operator: wrong computations of a kernel that the variants of the operator do not cover.

An arithmetic names a defect, or two defects, under ``defect``, beside the operator's steps::

    CONV_2D: {requantize: single, defect: no-activation}
    ADD: {defect: no-activation+wraps}
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from litecheck.profile.operators import traits_of
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.registry import Kernel

#: Modules of defects in the order in which they are tried: frequent defects before rare defects.
FAMILIES = ("output_defects", "operand_defects", "narrow_accumulators", "narrow_sums")
for _family in FAMILIES:
    import_module(f"litecheck.reference.defects.{_family}")

#: Value of the step ``defect`` without a defect.
NONE = "none"


@cache
def defects_of(opcode: str) -> tuple[str, ...]:
    """Return the names of the defects that an operator can have."""
    facts = traits_of(opcode)
    return tuple(name for name, defect in DEFECTS.items() if defect.concerns(facts))


def with_defect(kernel: Kernel, name: str) -> Kernel:
    """Return the kernel with a defect, by name; in ``one+other`` the first wraps the second."""
    if name == NONE:
        return kernel
    name, _, inner = name.partition("+")
    kernel = with_defect(kernel, inner or NONE)
    change = partial(DEFECTS[name].change, kernel)
    return replace(kernel, function=lambda **given: change(given))
