"""The compiled loops equal numpy bit for bit, and are optional."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from litecheck.reference.kernels.depthwise import blocks
from litecheck.reference.numerics import numba_loops as module
from litecheck.reference.numerics.numba_loops import _Work, numba_loops
from litecheck.reference.numerics.windows import SAME, axis, pad_image

F = np.float32
Random = np.random.Generator


@pytest.fixture
def random() -> Random:
    return np.random.default_rng(11)


def both(monkeypatch: pytest.MonkeyPatch, make) -> tuple[np.ndarray, np.ndarray]:
    """Return the outputs of ``make`` with the compiled loops, and without them."""
    pytest.importorskip("numba", reason="the extra 'speed' is not installed")
    made = []
    for worth in (-1, sys.maxsize):
        monkeypatch.setattr(module, "WORTH", worth)
        assert (numba_loops(0) is not None) == (worth < 0)
        made.append(make())
    return made[0], made[1]


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("carrier", [np.float32, np.float64])
@pytest.mark.parametrize("held", ["stored", "real"])
def test_depthwise(
    monkeypatch: pytest.MonkeyPatch, random: Random, stride: int, dilation: int, carrier: type, held: str
) -> None:
    rows, columns = axis(23, 3, stride, dilation, SAME), axis(17, 5, stride, dilation, SAME)
    kind = np.int8 if held == "stored" else carrier
    image = pad_image(random.integers(-128, 128, (2, 23, 17, 7)), rows, columns, -9, kind)
    taps = random.integers(-127, 128, (15, 7)).astype(carrier)

    def make() -> np.ndarray:
        monkeypatch.setattr("litecheck.reference.kernels.depthwise.BLOCK", 400)
        out = np.empty((2, rows.out, columns.out * 7), carrier)
        for index, sums in blocks(image, taps, rows, columns):
            out[index] = sums
        return out

    quick, slow = both(monkeypatch, make)
    np.testing.assert_array_equal(quick, slow)
    n, y, x = 1, rows.out - 1, columns.out - 1
    window = image[n, y * stride :: dilation, x * stride :: dilation][:3, :5]
    np.testing.assert_array_equal(quick[n, y].reshape(-1, 7)[x], (window.reshape(15, 7) * taps).sum(axis=0))


def test_loops_are_compiled_for_large_inputs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH", 1000)
    monkeypatch.setattr(_Work, "elements", 0)
    monkeypatch.setattr(module, "_load", lambda: "loaded")
    assert numba_loops(600) is None
    assert numba_loops(400) is None
    assert numba_loops(1) == "loaded"


def test_without_numba_no_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORTH", -1)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    module._load.cache_clear()
    try:
        assert numba_loops(1) is None
    finally:
        module._load.cache_clear()


def test_a_configuration_of_numba_in_the_current_folder_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module._load.cache_clear()
    (tmp_path / module.CONFIGURATION).symlink_to("/dev/zero")
    assert module._load() is None
    module._load.cache_clear()


def test_importing_the_kernels_does_not_import_numba() -> None:
    code = "import sys; from litecheck.reference.registry import kernels; kernels(); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
