"""Every probe of an operator of each family: its model and the sums of its inputs.

A seed gives the same probes on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.catalogue import probed, probes
from litecheck.cases.probes.probe import Probe
from litecheck.profile.operators import traits_of


def summed(array: Array) -> str:
    """Return type, shape and weighted sum of an array, in which the order of elements counts."""
    flat = np.asarray(array, np.float64).reshape(-1)
    total = float((flat * (np.arange(flat.size) % 7 + 1)).sum())
    return f"{array.dtype} {'x'.join(map(str, array.shape))} {total:.5g}"


def lines(probe: Probe) -> Iterator[str]:
    """Yield the lines of a probe."""
    (main, *_) = probe.model.subgraphs
    yield f"{probe.opcode} {probe.name}: order {probe.order} series {probe.series}"
    if probe.accumulators is not None:
        yield f"  accumulators {summed(probe.accumulators)}"
    yield from ("  run " + ", ".join(map(summed, run)) for run in probe.runs)
    for op in main.operators:
        fields = {} if op.options is None else op.options.fields
        yield f"  {op.opcode} {op.version} {op.inputs} -> {op.outputs} {dict(fields)}"
    for tensor in main.tensors:
        scales = " ".join(f"{scale:.4g}" for scale in tensor.quantization.scale[:3])
        held = "" if tensor.data is None else f" constant {int(np.sum(tensor.data, dtype=np.int64))}"
        yield f"  {tensor.dtype} {tensor.shape} ({scales}) {tensor.quantization.zero_point[:3].tolist()}{held}"


def test_whole_probes(golden: Callable[[str, str], None]) -> None:
    first = {traits_of(opcode).probes: opcode for opcode in reversed(probed())}
    found = (line for opcode in first.values() for probe in probes(opcode) for line in lines(probe))
    golden("probes.txt", "".join(f"{line}\n" for line in found))
