"""LiteRT's answer to every silent fault, on three resolvers: the evidence of the rules' effects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.silent_faults import UNDEFINED, SilentFault, faults

FAULTS = tuple(fault for fault in faults() if fault.litert != UNDEFINED)
#: Tolerance of an output beside the value that the parameters state, in steps.
TOLERANCE = 2
#: The reference resolver does not list STABLEHLO_CASE.
WITHOUT_REFERENCE = "STABLEHLO_CASE"

Answer = np.ndarray | Refused


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(30) as oracle:
        yield oracle


def answers(oracle: Oracle, model: Model, inputs: tuple[np.ndarray, ...]) -> dict[str, Answer]:
    opcodes = {op.opcode for op in model.subgraphs[0].operators}
    resolvers = RESOLVERS[1:] if WITHOUT_REFERENCE in opcodes else RESOLVERS
    got = {r: oracle.run(model_bytes(model), inputs, r) for r in resolvers}
    return {r: g if isinstance(g, Refused) else g[0] for r, g in got.items()}


def off(got: np.ndarray, right: np.ndarray) -> int:
    if got.shape != right.shape:
        return 2**16
    return int(np.abs(got.astype(np.int64) - right.astype(np.int64)).max(initial=0))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_litert_shows_the_stated_effect(oracle: Oracle, fault: SilentFault) -> None:
    inputs = fault.inputs[-len(fault.good.subgraphs[0].inputs) :]
    good = answers(oracle, fault.good, _fitting(fault.good, inputs))
    assert not any(isinstance(g, Refused) for g in good.values()), good
    got = answers(oracle, fault.bad, inputs)
    refused = {r: g.message for r, g in got.items() if isinstance(g, Refused)}
    rights = {r: good[r] if fault.right is None else fault.right for r in got}
    wrong = [
        r for r in got if r not in refused and off(np.asarray(got[r]), np.asarray(rights[r])) > TOLERANCE
    ]
    ended = ["process ended" in message for message in refused.values()]
    if fault.litert in ("refused", "crashes", "refused or crashes"):
        assert refused.keys() == got.keys(), got
        assert fault.litert != "crashes" or all(ended), refused
        assert fault.litert != "refused" or not any(ended), refused
    elif fault.litert == "default only":
        assert refused.keys() == {"xnnpack"}, got
    elif fault.litert == "refused somewhere":
        assert refused
    elif fault.litert == "refused or wrong":
        assert len(wrong) + len(refused) == len(got), got
    else:
        assert fault.litert == "wrong"
        assert not refused
        assert wrong


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.litert == "wrong" and f.right is not None],
                         ids=lambda fault: fault.name)  # fmt: skip
def test_a_good_model_is_right(oracle: Oracle, fault: SilentFault) -> None:
    """The valid model is correct by the same measure (negative control)."""
    assert fault.right is not None
    if "short" in fault.name:
        pytest.skip("the values after a variable's end are undefined")
    for got in answers(oracle, fault.good, fault.inputs).values():
        assert off(np.asarray(got), fault.right) <= TOLERANCE


def _fitting(model: Model, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Return the inputs in the types and shapes of the valid model."""
    tensors = [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].inputs]
    return tuple(
        x if x.shape == t.shape and x.dtype.name == t.dtype else np.zeros(t.shape, t.dtype)
        for x, t in zip(inputs, tensors, strict=True)
    )
