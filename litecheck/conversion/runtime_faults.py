"""Known faults of runtimes that decide a conversion: operators that a runtime computes wrongly for all inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from litecheck.conversion.conversion_plan import ConversionPlan
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.profile.known_faults import KnownFault, bind_operands, faults_of, known_faults
from litecheck.spelling import suggestion

#: Runtimes: the kernel sets of LiteRT, and LiteRT for Microcontrollers.
RUNTIMES = ("reference", "optimized", "xnnpack", "tflm")


def parse_runtimes(text: str) -> tuple[str, ...]:
    """Return the runtimes of ``reference,xnnpack``. Raises ConfigError for an unknown runtime."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in found:
        if name not in RUNTIMES:
            hint = suggestion(name, RUNTIMES)
            raise ConfigError(f"--for {text}: unknown runtime {name!r}{hint}")
    return found


def runtime_fault(opcode: str, dtype: str, runtimes: Collection[str]) -> str:
    """Return the known fault of one of the runtimes, or "" if it computes the operator in a type.

    Example: SUM in int8 for reference gives ``known fault of reference (ai-edge-litert 2.3.0): SUM reads ...``.
    """
    for one in _certain_faults().get(opcode, ()):
        affected = [name for name in one.resolvers if name in runtimes]
        if dtype in one.types and affected:
            return _fault_text(one, affected, opcode)
    return ""


@cache
def _certain_faults() -> Mapping[str, tuple[KnownFault, ...]]:
    """Return the faults for all inputs, by operator."""
    found = defaultdict[str, tuple[KnownFault, ...]](tuple)
    for one in known_faults():
        for opcode in one.operators if one.always else ():
            found[opcode] += (one,)
    return found


def _fault_text(fault: KnownFault, runtimes: Sequence[str], opcode: str) -> str:
    return f"known fault of {' and '.join(runtimes)} ({fault.versions}): {opcode} {fault.description}"


def faulty_operators(model: Model, origins: Sequence[int], runtimes: Collection[str]) -> dict[int, str]:
    """Return the source operators of the first subgraph whose parameters or shapes meet a known fault, with the reason.

    ``origins`` has the source operator of each operator, -1 for an added operator. Example: SOFTMAX of 600 channels on TFLM.
    """
    found: dict[int, str] = {}
    main = model.subgraphs[0]
    for operator, origin in zip(main.operators, origins, strict=True):
        for one in faults_of(bind_operands(model, main, operator)) if origin >= 0 and runtimes else ():
            affected = [name for name in one.resolvers if name in runtimes]
            if affected and one.when and not one.on_values:
                found[origin] = _fault_text(one, affected, operator.opcode)
    return found


def fault_warnings(plan: ConversionPlan, runtimes: Collection[str] = ()) -> Iterator[str]:
    """Yield a warning for each quantized operator that a runtime computes wrongly, with the option that avoids it.

    If ``runtimes`` are chosen, other runtimes do not matter.
    """
    if runtimes:
        return
    for one in plan.operators:
        found = [name for name in RUNTIMES if runtime_fault(one.opcode, one.becomes, (name,))]
        if found and one.becomes != REAL:
            words = runtime_fault(one.opcode, one.becomes, found)
            yield f"{one.opcode} #{one.operator} in {one.becomes}: {words}; --for {','.join(found)} keeps it float32"
