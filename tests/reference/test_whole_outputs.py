"""Outputs of the reference by operator: every published arithmetic and every defect is unchanged in each version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.cases.probes.catalogue import probed_operators, probes
from litecheck.cases.probes.probe import Probe
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from tests.whole import summed

#: Maximum of elements of a probe's inputs: larger probes are slow.
SMALL = 1 << 14


def outputs(probe: Probe, arithmetic: Arithmetic) -> str:
    """Return the outputs of the first run as weighted sums, in which the order of elements counts."""
    (main, *_) = probe.model.subgraphs
    try:
        tensors = ReferenceInterpreter(probe.model, arithmetic).run(main, probe.runs[0])
    except RunError as error:
        return str(error)
    return " ".join(summed(np.asarray(tensors[i])) for i in main.outputs)


def lines(opcode: str) -> Iterator[str]:
    """Yield the outputs of an operator's small probes: arithmetics, then defects of the reference."""
    small = [p for p in probes(opcode) if sum(a.size for a in p.runs[0]) <= SMALL][:4]
    published = [load_arithmetic(name) for name in arithmetic_names()]
    reference = load_arithmetic("litert-reference")
    for probe in small:
        found = {a.name: outputs(probe, a) for a in published}
        yield f"{opcode} {probe.name}: {found}"
    for name in defects_of(opcode):
        own = {**reference.variants(opcode), "defect": name}
        wrong = replace(reference, stages={**reference.stages, opcode: own})
        yield f"{opcode} {name}: {[outputs(probe, wrong) for probe in small]}"


def test_whole_outputs(golden: Callable[[str, str], None]) -> None:
    golden("outputs.txt", "".join(f"{line}\n" for opcode in probed_operators() for line in lines(opcode)))
