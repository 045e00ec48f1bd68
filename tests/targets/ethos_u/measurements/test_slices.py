"""SQUARED_DIFFERENCE of a part of a tensor with further readers: rejections by Vela 5.2.0."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.targets.ethos_u.placement import place_model

TARGETS = [load_profile(name) for name in ("ethos-u55", "ethos-u85")]
#: Opcodes by a letter. CEIL stays on the CPU.
_KINDS = {"s": "SQUARED_DIFFERENCE", "+": "ADD", "t": "TANH", "c": "CEIL"}


def parts(told: str) -> Model:
    """Return operators in order, each as its letter, its inputs and its output; ``p`` is the part, ``z`` another
    tensor."""
    builder = ModelBuilder()
    main = builder.subgraph()
    q, shape = qparams(0.5), (1, 2, 4, 4)
    x, part, other = (
        main.tensor(n, s, "int8", q) for n, s in (("x", (1, 2, 4, 8)), ("p", shape), ("z", shape))
    )
    begin, size = (
        main.constant(n, np.array(v, np.int32)) for n, v in (("begin", (0, 0, 0, 0)), ("size", shape))
    )
    main.add("SLICE", [x, begin, size], [part])
    tensors, read = {"p": part, "z": other}, set[str]()
    for one in told.split():
        kind, *operands, result = one
        tensors[result] = main.tensor(result, shape, "int8", q)
        main.add(_KINDS[kind], [tensors[name] for name in operands], [tensors[result]])
        read.update(operands)
    main.inputs(x, other)
    main.outputs(*(index for name, index in tensors.items() if name not in read))
    return builder.finish()


REFUSED_PARTS = ("sppa", "spza tpb", "+ppa spab", "tpa szab spac", "tpa spab tbc")
TAKEN_PARTS = (
    "spza",
    "szpa",
    "spza cpb",
    "sppa cpb",
    "sppa cpb szpd tze spbf",
    "+zpa cab +zzc spcd +pde",
    "tza spab",
)
SHARED = {told: parts(told) for told in (*REFUSED_PARTS, *TAKEN_PARTS)}


@pytest.mark.parametrize("words", SHARED)
@pytest.mark.parametrize("profile", TARGETS, ids=lambda profile: profile.name)
def test_a_slice_with_further_readers_is_rejected(words: str, profile: Profile) -> None:
    report, found = place_model(SHARED[words], profile)
    refused = [op.opcode for op in report.operators if op.place == "refused"]
    assert bool(refused) == (words in REFUSED_PARTS)
    assert set(refused) <= {"SQUARED_DIFFERENCE"}
    assert any(f.path.endswith("/shared_slice_inputs") for f in found) == bool(refused)
