"""Sums, ties and sizes that probes of pooling, means and resizing reach."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.probes.probe import Probe
from litecheck.model.stored_values import stored_integers
from tests.cases.probes.fingerprint import fingerprint, of_family

#: The same options give the same bytes (docs/suite.md).
RECORDED = {
    ("pool", "AVERAGE_POOL_2D"): "17b8770dc356",
    ("mean", "MEAN"): "f5c1d36b3edf",
    ("resize_bilinear", "RESIZE_BILINEAR"): "165129293231",
}


@pytest.mark.parametrize(("family", "opcode"), RECORDED)
def test_the_same_seed_draws_the_same_probes(family: str, opcode: str) -> None:
    assert fingerprint(of_family(family, opcode)) == RECORDED[family, opcode]


def constant(probe: Probe) -> list[int]:
    operator = probe.subgraph.operators[0]
    found = stored_integers(probe.subgraph.tensors[operator.inputs[1]])
    assert found is not None
    return [int(v) for v in found]


@pytest.mark.parametrize("family", ["pool", "mean"])
def test_sums_of_bright_images_need_more_than_16_and_20_bits(family: str) -> None:
    """65 * 65 * 128 is 540,800, beyond 2^19; 17 * 17 * 128 is 36,992, beyond 2^15."""
    bright = of_family(family, "MEAN" if family == "mean" else "AVERAGE_POOL_2D")[-2:]
    for each, bits in zip(bright, (15, 19), strict=True):
        images = [run[0] for run in each.runs]
        assert [sorted({int(i.min()), int(i.max())}) for i in images] == [[-128], [127], [90, 127]]
        for lowest in (images[0],):
            sums = lowest.astype(np.int64).sum(axis=(1, 2))
            assert (np.abs(sums) > 1 << bits).all()
        side = images[0].shape[1]
        assert images[0].shape == (1, side, side, 5)
        assert f"{side} x {side}" in each.name


def test_windows_of_pooling() -> None:
    """Filters and strides differ in height and width, with even and odd sizes, both paddings and three
    activations."""
    seen = []
    for each in of_family("pool", "AVERAGE_POOL_2D"):
        options = each.subgraph.operators[0].options
        assert options is not None
        height, width, down, across = (
            options.get(name) for name in ("filter_height", "filter_width", "stride_h", "stride_w")
        )
        seen.append((height, width, down, across))
        shape = each.runs[0][0].shape
        strides = f"stride {down}" if down == across else f"strides {down} and {across}"
        assert each.name.startswith(f"windows of {height} x {width}")
        assert len(each.runs) > 1 or f"over {shape}, {strides}, " in each.name
    assert {h != w for h, w, _, _ in seen} == {d != a for _, _, d, a in seen} == {False, True}
    assert {h % 2 for h, *_ in seen} == {w % 2 for _, w, *_ in seen} == {0, 1}
    sizes = [p.runs[0][0].size for p in of_family("pool", "AVERAGE_POOL_2D")]
    assert {65_536, 65_536 + 1024} <= {*sizes}


def test_the_bound_of_an_activation_is_a_tie() -> None:
    """RELU6 under scale 12: 6 / 12 is half a step."""
    (tied,) = (p for p in of_family("pool", "MAX_POOL_2D") if p.name.endswith("whose bound is a tie"))
    (output,) = tied.subgraph.outputs
    assert 6 / tied.subgraph.tensors[output].quantization.scale[0] == 0.5
    assert "RELU6" in tied.name


def test_axes_of_means() -> None:
    """Each set of axes under four pairs of scales and two sizes, with and without the axes kept."""
    found = of_family("mean", "MEAN")
    axes = {tuple(constant(p)) for p in found}
    assert axes == {(1, 2), (3,), (1,), (0, 1, 2)}
    kept = {bool(p.subgraph.operators[0].options.get("keep_dims")) for p in found}  # type: ignore[union-attr]
    assert kept == {False, True}
    assert len([p for p in found if "keep_dims, scales" in p.name]) == 2 * 8
    outputs = [p.subgraph.tensors[p.subgraph.outputs[0]].size for p in found]
    assert {65_536, 65_537} <= {*outputs}


def test_means_of_ties() -> None:
    """Under equal scales a mean of 8 or 64 values is often k + 1/2: 1 of 8 sums of 8 values."""
    first = of_family("mean", "MEAN")[0]
    x = first.runs[0][0].astype(np.int64)
    assert x.shape[1:3] == (4, 2)
    sums = x.sum(axis=(1, 2))
    assert 0.05 < (sums % 8 == 4).mean() < 0.25


def test_sizes_and_modes_of_resizing() -> None:
    found = of_family("resize_bilinear", "RESIZE_BILINEAR")
    modes = []
    for each in found:
        options = each.subgraph.operators[0].options
        assert options is not None
        corners, half = bool(options.get("align_corners")), bool(options.get("half_pixel_centers"))
        modes.append((corners, half))
        _, height, width, depth = each.runs[0][0].shape
        target = constant(each)
        if " to " in each.name:
            kind = "corners aligned" if corners else "half pixels" if half else "plain"
            assert each.name == f"{height} x {width} x {depth} to {target[0]} x {target[1]}, {kind}"
    assert {*modes} == {(False, False), (True, False), (False, True)}
    ratios = {np.sign(constant(p)[0] - p.runs[0][0].shape[1]) for p in found}
    assert ratios == {-1, 1}
    sizes = [p.subgraph.tensors[p.subgraph.outputs[0]].size for p in found]
    assert {65_536, 65_536 + 1024} <= {*sizes}


def test_resizing_the_lowest_values() -> None:
    """Each square of 2 x 2 pixels with values -128 to -125 occurs as one of 256 channels."""
    lowest = of_family("resize_bilinear", "RESIZE_BILINEAR")[-1]
    x = lowest.runs[0][0]
    assert x.shape == (1, 2, 2, 256)
    assert len({tuple(x[0, :, :, c].ravel().tolist()) for c in range(256)}) == 256
    assert (x.min(), x.max()) == (-128, -125)
    two = of_family("resize_bilinear", "RESIZE_BILINEAR")[-2].runs[0][0]
    assert len(two) == 2
    assert {*two[1].ravel().tolist()} == {-128}
    assert len({*two[0].ravel().tolist()}) > 128
