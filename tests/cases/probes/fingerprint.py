"""A short hash of drawn models and inputs, because the same options must give the same bytes.

A stored suite, a stored stream and the outputs of a device belong to the drawn data of one seed. A recorded
hash changes only together with these data, and the change is recorded in CHANGELOG.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from litecheck.cases.probes.catalogue import FAMILIES
from litecheck.cases.probes.probe import Probe


def fingerprint(probes: Iterable[Probe]) -> str:
    """Return a hash of models, inputs and order; names are left out, scales count with 5 digits."""
    digest = hashlib.sha256()
    for each in probes:
        for tensor in each.subgraph.tensors:
            q = tensor.quantization
            scales = " ".join(f"{s:.5g}" for s in q.scale)
            digest.update(
                f"{tensor.dtype} {tensor.shape} {scales} {q.zero_point.tolist()} {q.axis};".encode()
            )
            if tensor.data is not None:
                digest.update(bytes(tensor.data))
        for operator in each.subgraph.operators:
            options = {} if operator.options is None else dict(operator.options.fields)
            digest.update(f"{operator.opcode} {operator.inputs} {sorted(options.items())};".encode())
        for run in (*each.runs, *(() if each.accumulators is None else ((each.accumulators,),))):
            for values in run:
                digest.update(f"{values.dtype} {values.shape};".encode() + values.tobytes())
        digest.update(f"{each.run_order} {each.series}".encode())
    return digest.hexdigest()[:12]


def of_family(name: str, opcode: str) -> tuple[Probe, ...]:
    """Return the probes of a family, drawn from seed 1."""
    return tuple(FAMILIES[name](np.random.default_rng(1), opcode))
