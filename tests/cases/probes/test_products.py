"""Accumulators, multipliers and values that probes of sums of products reach."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.probes.probe import Probe
from litecheck.model.types import Tensor
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.cases.probes.fingerprint import fingerprint, of_family

#: The same options give the same bytes (docs/suite.md).
RECORDED = {
    "CONV_2D": "c50edb941338",
    "DEPTHWISE_CONV_2D": "d2dbd224f311",
    "FULLY_CONNECTED": "e1cbd0278f00",
    "TRANSPOSE_CONV": "e87d19d291c8",
    "BATCH_MATMUL": "037e73ef1733",
}
BIASED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


def probes(opcode: str) -> tuple[Probe, ...]:
    return of_family(opcode.lower(), opcode)


def tensors(probe: Probe) -> dict[str, Tensor]:
    (operator,) = probe.subgraph.operators
    found = (probe.subgraph.tensors[i] for i in operator.inputs)
    (output,) = probe.subgraph.outputs
    return dict(zip(traits_of(probe.opcode).inputs, found, strict=False)) | {
        "output": probe.subgraph.tensors[output]
    }


def scale(tensor: Tensor) -> np.ndarray:
    return tensor.quantization.scale.astype(np.float64)


@pytest.mark.parametrize("opcode", RECORDED)
def test_the_same_seed_draws_the_same_probes(opcode: str) -> None:
    assert fingerprint(probes(opcode)) == RECORDED[opcode]


@pytest.mark.parametrize("opcode", BIASED)
def test_known_accumulators_are_near_the_middle_of_two_integers(opcode: str) -> None:
    """Rescaled accumulators that no limit of 31 bits moves are within 1.5 multipliers of an integer or of k + 1/2."""
    known = [p for p in probes(opcode) if p.accumulators is not None and "every place" not in p.name]
    assert known
    for each in known:
        assert each.accumulators is not None
        found = tensors(each)
        multiplier = scale(found["input"]) * scale(found["weight"]) / scale(found["output"])
        real = each.accumulators * multiplier
        free = np.abs(each.accumulators) < 1 << 30
        away = np.abs(2 * real - np.rint(2 * real)) / 2
        assert (away <= 1.501 * np.broadcast_to(multiplier, away.shape) + 1e-9)[free].all()


@pytest.mark.parametrize("opcode", BIASED)
def test_ties_of_powers_of_two_are_exact(opcode: str) -> None:
    """About half of the accumulators are rescaled to exactly k + 1/2: 3/4 of those without an offset of 1."""
    exact = next(p for p in probes(opcode) if "powers of two" in p.name)
    assert exact.accumulators is not None
    found = tensors(exact)
    real = exact.accumulators * (scale(found["input"]) * scale(found["weight"]) / scale(found["output"]))
    halves = (real % 1 == 0.5).mean()
    assert 0.4 < halves < 0.75
    zero = int(found["output"].quantization.zero_point[0])
    assert -128 <= real.min() + zero < -118
    assert 117 < real.max() + zero <= 128


@pytest.mark.parametrize("opcode", BIASED)
def test_known_accumulators_equal_the_sums_of_the_operator(opcode: str) -> None:
    """The output is the rescaled accumulator within 1, plus the zero point, clipped to int8."""
    for each in (p for p in probes(opcode) if p.accumulators is not None):
        assert each.accumulators is not None
        found = tensors(each)
        made = (
            ReferenceInterpreter(each.model)
            .run(each.subgraph, each.runs[0])[each.subgraph.outputs[0]]
            .astype(int)
        )
        real = each.accumulators * (scale(found["input"]) * scale(found["weight"]) / scale(found["output"]))
        expected = np.clip(real + found["output"].quantization.zero_point[0], -128, 127)
        assert np.abs(made - expected).max() <= 1.001


@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_large_sums_leave_16_and_24_bits(opcode: str) -> None:
    """Partial sums are large. The sum of the first channel returns to 0, because its second half has the
    opposite sign."""
    large = [p for p in probes(opcode) if p.name.startswith("large sums")]
    depths = [int(p.name.split(", ")[1].split()[0]) for p in large]
    assert depths == ([25, 961] if opcode == "DEPTHWISE_CONV_2D" else [24, 1152])
    for each, bits in zip(large, (15, 23), strict=True):
        weights = each.subgraph.tensors[each.subgraph.operators[0].inputs[1]]
        assert weights.data is not None
        w = weights.data.view(np.int8).reshape(weights.shape).astype(np.int64)
        rows = w.reshape(-1, 11).T if opcode == "DEPTHWISE_CONV_2D" else w.reshape(11, -1)
        sums = np.cumsum(255 * rows, axis=1)
        assert (np.abs(sums).max(axis=1) > 1 << bits).all()
        assert np.abs(sums[0, -1]) < np.abs(sums[-1, -1]) / 2


def test_values_of_batch_matmul() -> None:
    """All pairs of stored values as single products; a constant right side has the zero point 0."""
    found = probes("BATCH_MATMUL")
    for each in found:
        lhs, rhs = (each.subgraph.tensors[i] for i in each.subgraph.operators[0].inputs)
        assert rhs.is_constant == ("constant right side" in each.name)
        assert int(rhs.quantization.zero_point[0]) == (0 if rhs.is_constant else 5)
        assert lhs.shape[-1] == rhs.shape[-2]
        assert each.name.startswith("all pairs" if lhs.shape[-1] == 1 else "sums of products")
        if lhs.shape[-1] == 1:
            assert (lhs.size, rhs.size) == (256, 256)
            assert {*each.runs[0][0].ravel().tolist()} == {*range(-128, 128)}


def test_weight_scales_of_fully_connected() -> None:
    """Weights have a single scale or a scale per unit, each with and without an activation."""
    random = [p for p in probes("FULLY_CONNECTED") if p.name.startswith("random values")]
    assert [(scale(tensors(p)["weight"]).size, p.name.rpartition(" ")[2]) for p in random] == [
        (19, "NONE"), (1, "NONE"), (19, "RELU6"), (1, "RELU6"),
    ]  # fmt: skip
    for each, single in zip(random[::2], random[1::2], strict=True):
        assert scale(tensors(single)["weight"])[0] == np.median(scale(tensors(each)["weight"]))
