"""Known faults of runtimes that decide a conversion: operators that a runtime computes wrongly for all inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from litecheck.conversion.conversion_plan import ConversionPlan
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.profile.known_faults import known_faults
from litecheck.spelling import did_you_mean

#: Runtimes: the kernel sets of LiteRT, and LiteRT for Microcontrollers.
RUNTIMES = ("reference", "optimized", "xnnpack", "tflm")


def parse_runtimes(text: str) -> tuple[str, ...]:
    """Return the runtimes of ``reference,xnnpack``. Raises ConfigError for an unknown runtime."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in found:
        if name not in RUNTIMES:
            hint = did_you_mean(name, RUNTIMES) or f"; available: {', '.join(RUNTIMES)}"
            raise ConfigError(f"--for {text}: unknown runtime {name!r}{hint}")
    return found


def runtime_fault(opcode: str, dtype: str, runtimes: Collection[str]) -> str:
    """Return the known fault of one of the runtimes, or "" if it computes the operator in a type.

    Example: SUM in int8 for reference gives ``wrong on reference (ai-edge-litert 2.3.0): SUM reads ...``.
    """
    for one in known_faults():
        there = [name for name in one.resolvers if name in runtimes]
        if one.always and opcode in one.operators and dtype in one.types and there:
            return f"wrong on {' and '.join(there)} ({one.versions}): {opcode} {one.does}"
    return ""


def fault_warnings(plan: ConversionPlan, runtimes: Collection[str] = ()) -> Iterator[str]:
    """Yield a warning for each quantized operator that a runtime computes wrongly, with the option that avoids it.

    If ``runtimes`` are chosen, other runtimes do not matter.
    """
    for one in plan.operators if not runtimes else ():
        found = [name for name in RUNTIMES if runtime_fault(one.opcode, one.becomes, (name,))]
        if found and one.becomes != REAL:
            words = runtime_fault(one.opcode, one.becomes, found)
            yield f"{one.opcode} #{one.operator} in {one.becomes}: {words}; --for {','.join(found)} keeps it float32"
