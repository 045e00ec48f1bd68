"""What a verification is of: the model's bytes and operators, the device's build, all that decides the result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from litecheck.devices.port import Device
from litecheck.devices.registry import fingerprint
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model, Subgraph
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verify.outcome import Operation
from litecheck.verify.settings import Settings
from litecheck.version import __version__


def about(model: Model, device: Device, settings: Settings) -> dict[str, object]:
    """What tells one verification from another, as JSON."""
    stages = [
        sorted((op, sorted(variants.items())) for op, variants in load_arithmetic(a).stages.items())
        for a in settings.arithmetics
    ]
    return {
        "litecheck": __version__,
        "model": digest_of(model),
        "device": device.name,
        "described": device.described,
        "program": fingerprint(device.name),
        "stages": hashlib.sha256(repr(stages).encode()).hexdigest(),
        **settings.about(),
    }


def operations(model: Model, subgraphs: tuple[Subgraph, ...]) -> Iterator[Operation]:
    """The operators of some subgraphs, as a graph shows them."""
    for subgraph in subgraphs:
        keys = (s.key for s in model.signatures if s.subgraph == subgraph.index)
        graph = subgraph.name or next(keys, "")
        for op in subgraph.operators:
            inputs, outputs = (tuple(i for i in ends if i >= 0) for ends in (op.inputs, op.outputs))
            names = tuple(subgraph.tensors[i].name for i in outputs)
            kind, called = op.custom_code or op.opcode, name_of(subgraph, op)
            yield Operation(subgraph.index, op.index, kind, called, inputs, outputs, names, graph)


def digest_of(model: Model) -> str:
    """The file's SHA-256, or that of the model written out where it came from no file of its own."""
    if not model.file or model.member or not Path(model.file).is_file():
        return hashlib.sha256(model_bytes(model, drop_unknown=True)).hexdigest()
    digest = hashlib.sha256()
    with open(model.file, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
