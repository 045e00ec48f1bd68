"""Variants that the designed probes distinguish, and the variants that no probe distinguishes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.probes.catalogue import probed_operators, probes
from litecheck.diagnosis.hypotheses import outputs
from litecheck.diagnosis.probe_sets import Group, prepare_probes
from litecheck.diagnosis.result import Hypothesis
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.reference.runtime_tensors import RunError

pytestmark = pytest.mark.slow


def hypothesis(text: str) -> Hypothesis:
    """Return the hypothesis of a text. Example: ``requantize: double, multiplier: float32``."""
    return Hypothesis(tuple(tuple(part.split(": ")) for part in text.split(", ")))  # type: ignore[misc]


def undistinguished(group: Group) -> set[frozenset[str]]:
    """Return the sets of several hypotheses that give the same outputs on all probes."""
    alike: dict[tuple[bytes, ...], set[str]] = {}
    for one in group.hypotheses:
        try:
            made = tuple(a.tobytes() for probe in group.probes for run in outputs(probe, one) for a in run)
        except RunError:
            continue
        alike.setdefault(made, set()).add(str(one))
    return {frozenset(names) for names in alike.values() if len(names) > 1}


#: Hypotheses that no probe distinguishes, with the reason.
BLIND: dict[str, tuple[tuple[str, ...], ...]] = {
    # A 16-bit multiplier has no trace of a product of scales in float32.
    "FULLY_CONNECTED": tuple(
        (f"requantize: {r}, multiplier: float32", f"requantize: {r}, multiplier: float64")
        for r in ("reduced", "reduced-8")
    ),
    "MUL": (("requantize: reduced, multiplier: float32", "requantize: reduced, multiplier: float64"),),
    "LEAKY_RELU": (("requantize: reduced, multiplier: float32", "requantize: reduced, multiplier: float64"),),
    # With a single scale for all columns, both have the same multiplier. They differ beyond the sums of the
    # probes.
    "BATCH_MATMUL": (
        ("requantize/declined: single", "requantize/declined: rndnu"),
        ("requantize: single", "requantize: rndnu"),
    ),
    # The variants differ for int4.
    "DEQUANTIZE": (("product: exact", "product: split-int4-body"),),
    # Negative values, where these differ, are cut off.
    **{
        opcode: (
            *(
                (f"requantize: {one}, multiplier: {width}", f"requantize: {other}, multiplier: {width}")
                for one, other in (("double", "double-half-up"), ("floor", "truncate"))
                for width in ("float32", "float64")
            ),
            *(
                (f"requantize: {r}, multiplier: float32", f"requantize: {r}, multiplier: float64")
                for r in ("reduced", "float32-multiplier", "none")
            ),
        )
        for opcode in ("RELU", "RELU6")
    },
}


@pytest.mark.parametrize("opcode", probed_operators())
def test_all_hypotheses_except_the_listed_are_distinguished(opcode: str) -> None:
    groups = prepare_probes((), [opcode])
    found = set().union(*(undistinguished(group) for group in groups))
    assert found == {frozenset(names) for names in BLIND.get(opcode, ())}


@pytest.mark.parametrize("opcode", probed_operators())
def test_probes_are_sound_models_and_the_same_every_time(opcode: str, tmp_path: Path) -> None:
    first, second = probes(opcode), probes(opcode)
    assert len({probe.name for probe in first}) == len(first)
    for one, other in zip(first, second, strict=True):
        path = tmp_path / "probe.tflite"
        path.write_bytes(model_bytes(one.model))
        assert [op.opcode for op in load_model(path).subgraphs[0].operators] == [opcode]
        for a, b in zip(one.runs, other.runs, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y)


def test_a_different_seed_makes_different_models() -> None:
    one, other = (model_bytes(probes("CONV_2D", seed)[0].model) for seed in (0, 1))
    assert one != other


def test_a_bias_under_zero_points_is_the_accumulator() -> None:
    """With the multiplier 1/2 and rounding half away from zero, the output is half of the bias."""
    ties = probes("CONV_2D")[0]
    assert ties.accumulators is not None
    (made,) = (run[0] for run in outputs(ties, hypothesis("requantize: float64")))
    quantization = ties.subgraph.tensors[1].quantization
    halves = quantization.scale == 1.0  # 0.25 * 1 / 0.5
    wanted = np.trunc(ties.accumulators / 2 + np.copysign(0.5, ties.accumulators)).clip(-133, 122) + 5
    assert halves.sum() > 50
    np.testing.assert_array_equal(made[..., halves], wanted[..., halves])
