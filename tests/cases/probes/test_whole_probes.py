"""Every probe of an operator of each family: its model and the sums of its inputs.

A seed gives the same probes on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litecheck.cases.probes.catalogue import probed_operators, probes
from litecheck.cases.probes.probe import Probe
from litecheck.profile.operators import traits_of
from tests.whole import subgraph_lines, summed, summed_runs


def lines(probe: Probe) -> Iterator[str]:
    """Yield the lines of a probe."""
    (main, *_) = probe.model.subgraphs
    yield f"{probe.opcode} {probe.name}: order {probe.order} series {probe.series}"
    if probe.accumulators is not None:
        yield f"  accumulators {summed(probe.accumulators)}"
    yield f"  {summed_runs(probe.runs)}, the first {', '.join(map(summed, probe.runs[0]))}"
    yield from (f"  {line}" for line in subgraph_lines(main))


def test_whole_probes(golden: Callable[[str, str], None]) -> None:
    first = {traits_of(opcode).probes: opcode for opcode in reversed(probed_operators())}
    found = (line for opcode in first.values() for probe in probes(opcode) for line in lines(probe))
    golden("probes.txt", "".join(f"{line}\n" for line in found))
